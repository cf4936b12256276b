#include "viz/panels/syntax.h"

#include <set>
#include <string_view>

namespace tl::viz {

namespace {

bool is_keyword(std::string_view word) {
  static const std::set<std::string_view> words = {
      "auto",     "struct", "void",  "const", "constexpr", "for",  "if",       "else",      "while",
      "return",   "def",    "in",    "and",   "or",        "not",  "import",   "namespace", "using",
      "template", "true",   "false", "int",   "float",     "bool", "operator", "inline"};
  return words.contains(word);
}

}  // namespace

// Roles whose contrast with the paper is checked in every theme; categories are for areas, too pale for text.
Colour colour_of(const text::Token& token) {
  if (token.kind == text::TokenKind::number) return {Role::load};
  if (token.kind == text::TokenKind::literal) return {Role::good};
  if (token.kind == text::TokenKind::sign) return {Role::soft};
  return is_keyword(token.text) ? Colour{Role::model} : token.text == "tl" ? Colour{Role::store} : Colour{Role::ink};
}

}  // namespace tl::viz
