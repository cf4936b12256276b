// What the debugger knows of a kernel's text: functions, statements, lambdas, and the names they declare.
#pragma once

#include <string>
#include <vector>

#include "interp/debug/lexer.h"
#include "interp/trace/event.h"

namespace tl::debug {

// Token indices, both included; empty when last < first.
struct TokenRange {
  int first = 0, last = -1;
  bool contains(int token) const { return first <= token && token <= last; }
  bool contains(const TokenRange& inner) const { return first <= inner.first && inner.last <= last; }
  bool is_empty() const { return last < first; }
};

struct Parameter {
  std::string name;
  bool is_reference = false;
};

// Also a lambda that has a name, or that a helper is given: whoever calls it, calls a function. Lambdas given to tl are
// the text's own flow.
struct Function {
  std::string name;  // of a functor's operator(): the struct's name
  bool is_functor = false;
  std::vector<Parameter> parameters;  // without `tl`
  TokenRange body;
  int outer = -1;  // of a lambda: the function it stands in
};

// One that is no function.
struct Lambda {
  std::vector<Parameter> parameters;
  TokenRange body;
  int statement = -1;  // it stands in
};

enum class StatementKind : unsigned char { plain, loop, condition, returns };

struct Statement {
  StatementKind kind = StatementKind::plain;
  TokenRange tokens;  // of a loop or condition: up to the closing parenthesis
  TokenRange value;   // what a declaration is initialized with, what a return returns
  TokenRange body;    // of a loop
  int function = -1;
  int lambda = -1;                 // innermost lambda it stands in
  int parent = -1;                 // statement that lambda stands in
  int loop = -1;                   // innermost loop within the same function and lambda
  std::vector<std::string> names;  // it declares
};

class SourceModel {
 public:
  SourceModel(std::string file, std::string text);
  SourceModel(const SourceModel&) = delete;  // tokens point into the text
  SourceModel& operator=(const SourceModel&) = delete;

  const std::string& file() const { return file_; }
  const std::vector<Token>& tokens() const { return tokens_; }
  const std::vector<Function>& functions() const { return functions_; }
  const std::vector<Statement>& statements() const { return statements_; }
  const std::vector<Lambda>& lambdas() const { return lambdas_; }

  int lines() const { return static_cast<int>(lines_.size()); }
  std::string_view line(int number) const;  // from 1; "" outside

  // The token a place names: the one that begins or stands there. -1: none.
  int token_at(int line, int column) const;
  int statement_of(int token) const;  // innermost; -1: none
  // The op's own token, for a caret: compilers name the start of an expression or its last token.
  int op_token(trace::Op op, int line, int column) const;
  bool is_op(trace::Op op, int token) const;                      // could this token be that op's own?
  std::vector<int> op_tokens(trace::Op op, int statement) const;  // all of a statement that could, without its lambdas'

  std::vector<int> calls(int function) const;  // all that a function makes itself, of names without a dot
  // Arguments of the call whose name is at `token`; without `tl`.
  std::vector<TokenRange> arguments(int token) const;
  std::string text_of(const TokenRange& range) const;

 private:
  const Token& token(int i) const { return tokens_[static_cast<std::size_t>(i)]; }
  bool is(int i, std::string_view text) const {
    return i >= 0 && i < static_cast<int>(tokens_.size()) && token(i).is(text);
  }
  void find_functions(int first, int last, const std::string& owner);
  int find_statements(int first, int last, int function, int lambda, int parent, int loop);
  int parse_statement(int first, int last, int function, int lambda, int parent, int loop);
  int add_statement(Statement statement);
  void find_lambdas(int statement);
  bool is_function(const Lambda& lambda, int opens) const;
  void find_names(Statement& statement) const;
  std::vector<TokenRange> split(int open) const;
  std::vector<Parameter> parameters_in(int open) const;

  std::string file_, text_;
  std::vector<std::string_view> lines_;
  std::vector<Token> tokens_;
  std::vector<Function> functions_;
  std::vector<Statement> statements_;
  std::vector<Lambda> lambdas_;
};

}  // namespace tl::debug
