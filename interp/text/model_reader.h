// Finds the functions, statements and lambdas among a model's tokens.
#pragma once

#include "interp/text/model.h"

namespace tl::text {

class ModelReader {
 public:
  explicit ModelReader(Model& model) : m_(model) {}
  void run();

 private:
  // What a statement stands in.
  struct Around {
    int function = -1, lambda = -1, parent = -1, loop = -1;
  };

  const Token& token(int i) const { return m_.token(i); }
  bool is(int i, std::string_view text) const { return m_.is(i, text); }
  bool is_name(int i) const { return i < end_ && token(i).kind == TokenKind::name; }
  // The token after a bracket's pair or a single token.
  int after(int i) const { return token(i).partner > i ? token(i).partner + 1 : i + 1; }
  Statement& statement(int s) { return m_.all_.statements[s]; }

  void find_functions(int first, int last, const std::string& owner);
  int body_of(int open, int last) const;
  std::vector<Parameter> parameters_in(int open, bool is_functor) const;
  void find_statements(TokenRange range, const Around& around);  // by value: functions are added on the way
  int parse_statement(int first, int last, const Around& around);
  bool is_macro_head(int first, int last) const;
  int parse_flow(int first, int last, const Around& around);
  int add_statement(Statement statement, const Around& around);
  int end_of_type(int i, int last) const;
  void find_names(Statement& statement, int first, int last) const;
  void find_lambdas(int statement);
  bool is_function(const Statement& around, const TokenRange& body, int captures) const;

  Model& m_;
  int end_ = 0;
  int depth_ = 0;  // of nested statements; limited, so that endless nesting is read no deeper
};

}  // namespace tl::text
