// Where ops stand in a kernel's text.
#pragma once

#include <string>
#include <vector>

#include "interp/text/model.h"
#include "interp/trace/event.h"

namespace tl::debug {

using text::Function;
using text::Lambda;
using text::Parameter;
using text::Statement;
using text::StatementKind;
using text::Token;
using text::TokenKind;
using text::TokenRange;

class SourceModel : public text::Model {
 public:
  SourceModel(const std::string& file, std::string text);  // Python by the file's name, else C++

  // The op's own token, for a caret: compilers name the start of an expression or its last token.
  int op_token(trace::Op op, int line, int column) const;
  bool is_op(trace::Op op, int token) const;  // whether this token may be that op's own
  int line_of(const Statement& statement) const { return token(statement.tokens.first).line; }
  int first_statement_line(int from) const;  // the first line where one begins; 0: none
  // The compiler gives ops of one kind in a statement one location. This is the token of the n-th of them to be
  // executed, counted from 0 and from the first again after the last; -1: the statement has none.
  int nth_token(trace::Op op, int statement, std::size_t n) const;
};

}  // namespace tl::debug
