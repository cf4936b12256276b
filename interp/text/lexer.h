// Cuts C++ into tokens with their places: the one reader of literals, comments, directives and brackets. Any text is
// read to its end, unfinished ones too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tl::text {

// literal: a string or a character, with its prefix and suffix; number: 1'000, 2_c, 1e-3f. A directive goes from # to
// the end of its last line.
enum class TokenKind : unsigned char { name, number, literal, sign, comment, directive };

struct Token {
  TokenKind kind = TokenKind::sign;
  std::string_view text;
  int line = 0, column = 0;  // from 1, in bytes, as compilers count
  int partner = -1;          // of a bracket: the index of its other half

  bool is(std::string_view t) const { return text == t; }
};

// The tokens point into `source`.
std::vector<Token> lex(std::string_view source);                // code, brackets matched
std::vector<Token> lex_with_comments(std::string_view source);  // and comments and directives among it

// The source with spaces in place of comments and quoted text: lines and columns stay, and a search finds only code.
std::string code_of(std::string_view source);

// The text between a literal's quotes, escapes as they are written: `a\n` for u8"a\n".
std::string_view content_of(const Token& literal);
// The value of an integer: 1000 for 1'000u, 2 for 2_c; ~0 for any other token and for one that is too large.
unsigned long long integer_of(const Token& number);
bool is_integer(const Token& number);  // 12, 0x1F, 2_c; not 1.5 or 1e3

}  // namespace tl::text
