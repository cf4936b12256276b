#include "viz/panels/syntax.h"

#include <set>
#include <string_view>

namespace tl::viz {

namespace {

bool is_keyword(std::string_view word) {
  static const std::set<std::string_view> words = {
      // C++
      "auto", "bool", "const", "constexpr", "else", "false", "float", "for", "if", "inline", "int", "namespace",
      "operator", "return", "struct", "template", "true", "using", "void", "while",
      // Python
      "False", "None", "True", "and", "as", "assert", "break", "class", "continue", "def", "elif", "except", "from",
      "import", "in", "is", "lambda", "not", "or", "pass", "try", "with"};
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
