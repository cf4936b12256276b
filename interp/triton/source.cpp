#include "interp/triton/source.h"

#include <fmt/format.h>

#include <algorithm>

namespace tl::triton {

Source make_source(std::string file, std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return {std::move(file), std::move(text)};
}

std::size_t character_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 && first < 0xF5 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first >= 0xF5 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (byte(i) >> 6 != 2) return 0;
  // Longer than needed, half of a pair of UTF-16, beyond the last character.
  const unsigned char second = byte(1);
  const bool is_none = (first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0) ||
                       (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90);
  return is_none ? 0 : length;
}

// Ends are \n, \r\n and, as old editors write them, \r.
std::string_view line_of(const Source& source, int line) {
  std::string_view rest = source.text;
  for (;; --line) {
    const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
    if (line <= 1) return line == 1 ? rest.substr(0, end) : "";
    if (end == rest.size()) return "";
    rest.remove_prefix(rest.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
  }
}

CompileError error_at(const Source& source, Position at, const std::string& fact, const std::string& fix) {
  constexpr std::size_t most_shown = 200;
  const std::string_view line = line_of(source, at.line);
  std::string text = fmt::format("{}:{}:{}: {}", source.file, at.line, at.column, fact);
  if (line.size() > most_shown) return CompileError(text, fix);
  // Under a tab stands a tab, so that the caret is in its column whatever a tab's width.
  std::string shown, indent;
  const auto column = static_cast<std::size_t>(std::max(at.column - 1, 0));
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t length = character_length(line.substr(i));
    const bool is_shown = length > 0 && static_cast<unsigned char>(line[i]) >= (line[i] == '\t' ? 0 : ' ');
    shown += is_shown ? line.substr(i, length) : "?";
    if (i < column) indent += line[i] == '\t' ? '\t' : ' ';
    i += std::max<std::size_t>(length, 1);
  }
  text += fmt::format("\n{:>6} | {}\n       | {}^", at.line, shown, indent);
  return CompileError(text, fix);
}

}  // namespace tl::triton
