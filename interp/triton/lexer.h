// Cuts Python into tokens: indentation, brackets that join lines, strings with their prefixes.
#pragma once

#include <string_view>
#include <vector>

#include "interp/triton/source.h"

namespace tl::triton {

// newline ends a logical line; indent and dedent stand before the first token of a line that is indented otherwise.
enum class TokenKind : unsigned char { name, number, string, sign, newline, indent, dedent, unknown, end };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;  // of a string: all of it, as it is written
  Position at, end;       // `end`: the column behind its last character

  bool is(std::string_view t) const { return text == t && (kind == TokenKind::sign || kind == TokenKind::name); }
};

// The tokens of a file; the last one is `end`. They point into the source's text. Throws CompileError: a bracket that
// is not closed, or closed by another's; a string without an end; indentation that Python refuses.
std::vector<Token> lex(const Source& source);
// Those of an expression within a string, which stands at `at`; no indentation.
std::vector<Token> lex_expression(const Source& source, std::string_view text, Position at);

}  // namespace tl::triton
