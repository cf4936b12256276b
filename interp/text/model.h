// A light model of a kernel's text, C++ or Python: functions, statements, lambdas, calls, and the names they declare.
#pragma once

#include <string>
#include <vector>

#include "interp/text/lexer.h"

namespace tl::text {

// Token indices, both included; empty when last < first.
struct TokenRange {
  int first = 0, last = -1;
  bool contains(int token) const { return first <= token && token <= last; }
  bool contains(const TokenRange& inner) const { return first <= inner.first && inner.last <= last; }
  bool is_empty() const { return last < first; }
};

struct Parameter {
  std::string name;  // "" without one
  bool is_reference = false, is_pack = false;
};

// A function, or a lambda that has a name or is passed to a helper: calling it is a call. Lambdas passed to tl, as by
// tl.static_for, belong to the function around them.
struct Function {
  std::string name;  // of a functor's operator(): the struct's name
  bool is_functor = false;
  std::vector<Parameter> parameters;  // without `tl`
  TokenRange body;                    // between its braces; in Python its statements
  int begin = -1, end = -1;           // its braces; in Python its def and its last statement
  int outer = -1;                     // of a lambda: the function it stands in
  int opens = -1;                     // ( of its parameters; of a lambda without any -1
  int captures = -1;                  // [ of a lambda
  bool is_constexpr = false;
};

// A lambda that is no function.
struct Lambda {
  std::vector<Parameter> parameters;
  TokenRange body;
  int statement = -1;  // it stands in
  int captures = -1;   // its [
};

enum class StatementKind : unsigned char { plain, loop, condition, returns };

struct Statement {
  StatementKind kind = StatementKind::plain;
  TokenRange tokens;                 // of a loop or condition: up to the closing parenthesis, the colon
  TokenRange value;                  // what a declaration is initialized with, what a return returns
  TokenRange body, otherwise;        // of a loop or condition, braces included; after else
  int function = -1;                 // -1: none
  int lambda = -1;                   // innermost lambda it stands in
  int parent = -1;                   // statement that lambda stands in
  int loop = -1;                     // innermost loop within the same function and lambda
  std::vector<std::string> names;    // it declares
  std::vector<bool> is_initialized;  // by name
};

// What a reader finds in a text.
struct Contents {
  std::vector<Token> tokens;
  std::vector<Function> functions;
  std::vector<Statement> statements;
  std::vector<Lambda> lambdas;
  bool names_ops = false;  // a run tells the place of an op's own token; compilers tell one of its expression's
};

class Model {
 public:
  using Reader = Contents (*)(std::string_view text);
  Model(std::string file, std::string text, Reader read = nullptr);  // null: of C++
  Model(const Model&) = delete;                                      // tokens point into the text
  Model& operator=(const Model&) = delete;

  const std::string& file() const { return file_; }
  const std::string& text() const { return text_; }
  const std::vector<Token>& tokens() const { return all_.tokens; }
  const std::vector<Function>& functions() const { return all_.functions; }
  const std::vector<Statement>& statements() const { return all_.statements; }
  const std::vector<Lambda>& lambdas() const { return all_.lambdas; }
  bool names_ops() const { return all_.names_ops; }

  int lines() const { return static_cast<int>(lines_.size()); }
  std::string_view line(int number) const;  // from 1; "" outside

  const Token& token(int i) const { return all_.tokens[i]; }
  bool is(int i, std::string_view text) const {  // false outside
    return i >= 0 && i < static_cast<int>(all_.tokens.size()) && token(i).is(text);
  }
  // The token that begins or stands at a line and column; -1: none.
  int token_at(int line, int column) const;
  int statement_of(int token) const;            // innermost; -1: none
  int function_at(int line, int column) const;  // that begins there; -1: none

  // Names that are called in a range, `f(` or `f<...>(`, by their tokens; `x.f(` as well.
  std::vector<int> calls(const TokenRange& range) const;
  bool is_member(int name) const { return is(name - 1, ".") || is(name - 1, "->"); }
  // Arguments of the call whose name is at `token`; without `tl`.
  std::vector<TokenRange> arguments(int token) const;
  // The pieces between an opening bracket and its partner, cut at commas.
  std::vector<TokenRange> split(int open) const;
  std::string text_of(const TokenRange& range) const;

 private:
  friend class ModelReader;
  std::string file_, text_;
  std::vector<std::string_view> lines_;
  Contents all_;
};

// The definitions of namespaces: a function, a struct, a constant, each up to its last brace or semicolon.
struct Definition {
  std::string name;  // "" where it gives none
  bool is_struct = false;
  TokenRange tokens;
};
std::vector<Definition> definitions_of(const std::vector<Token>& tokens);

}  // namespace tl::text
