// Cuts a kernel's text into tokens with their places. Knows just enough C++: comments, literals and brackets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tl::debug {

enum class TokenKind : unsigned char { name, number, text, sign };

struct Token {
  TokenKind kind = TokenKind::sign;
  std::string_view text;
  int line = 0, column = 0;  // from 1, in bytes, as compilers count
  int partner = -1;          // of a bracket: the index of its other half

  bool is(std::string_view t) const { return text == t; }
};

// Tokens point into `source`. Lines that begin with # are left out.
std::vector<Token> lex(std::string_view source);

}  // namespace tl::debug
