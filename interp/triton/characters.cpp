#include "interp/triton/characters.h"

#include <algorithm>
#include <cctype>

#include "interp/triton/source.h"

namespace tl::triton {

namespace {

char32_t code_of(std::string_view text) {
  const std::size_t length = character_length(text);
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[i])); };
  if (length <= 1) return length ? byte(0) : U'\uFFFD';
  char32_t code = byte(0) & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (byte(i) & 0x3F);
  return code;
}

// Signs, spaces and pictures beyond ASCII; all else there is taken for letters.
struct Range {
  char32_t first, last;
};
constexpr Range signs[] = {{0x80, 0xA9},     {0xAB, 0xB4},      {0xB6, 0xB6},     {0xB8, 0xB9},     {0xBB, 0xBF},
                           {0xD7, 0xD7},     {0xF7, 0xF7},      {0x2000, 0x203E}, {0x2041, 0x2053}, {0x2055, 0x2070},
                           {0x20A0, 0x20CF}, {0x2190, 0x2BFF},  {0x3000, 0x3004}, {0x3008, 0x3020}, {0xE000, 0xF8FF},
                           {0xFE10, 0xFE32}, {0xFEFF, 0xFF0F},  {0xFF1A, 0xFF20}, {0xFF3B, 0xFF3E}, {0xFF5B, 0xFF64},
                           {0xFFF0, 0xFFFF}, {0x1F000, 0x1FFFF}};

struct Lookalike {
  char32_t character;
  std::string_view meant;
};
constexpr Lookalike lookalikes[] = {
    {0xA0, " "},    {0x2002, " "},  {0x2003, " "},   {0x2009, " "}, {0x202F, " "},  {0x3000, " "},  {0x2010, "-"},
    {0x2011, "-"},  {0x2012, "-"},  {0x2013, "-"},   {0x2014, "-"}, {0x2212, "-"},  {0xFF0D, "-"},  {0xD7, "*"},
    {0x2217, "*"},  {0x22C5, "*"},  {0xF7, "/"},     {0x2215, "/"}, {0x2264, "<="}, {0x2265, ">="}, {0x2260, "!="},
    {0x201C, "\""}, {0x201D, "\""}, {0x201E, "\""},  {0xAB, "\""},  {0xBB, "\""},   {0x2018, "'"},  {0x2019, "'"},
    {0x201A, "'"},  {0xB4, "'"},    {0x2026, "..."}, {0xFF08, "("}, {0xFF09, ")"},  {0xFF0C, ","},  {0xFF1A, ":"},
    {0xFF1B, ";"},  {0xFF1D, "="},  {0xFF0B, "+"},   {0xFF3B, "["}, {0xFF3D, "]"},  {0x2192, "->"}, {0xFF0A, "*"}};

}  // namespace

bool begins_with_letter(std::string_view text) {
  if (text.empty()) return false;
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return std::isalnum(first) || first == '_';
  const char32_t code = code_of(text);
  return code != U'\uFFFD' &&
         std::ranges::none_of(signs, [&](const Range& r) { return r.first <= code && code <= r.last; });
}

std::string_view meant_by(std::string_view character) {
  if (character == "`") return "'";
  const auto* const found = std::ranges::find(lookalikes, code_of(character), &Lookalike::character);
  return found == std::end(lookalikes) ? "" : found->meant;
}

}  // namespace tl::triton
