#include "interp/triton/source.h"

#include <fmt/format.h>

#include <algorithm>

namespace tl::triton {

Source make_source(std::string file, std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return {std::move(file), std::move(text)};
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
  std::string indent(line.substr(0, static_cast<std::size_t>(std::max(at.column - 1, 0))));
  for (char& c : indent)
    if (c != '\t') c = ' ';
  text += fmt::format("\n{:>6} | {}\n       | {}^", at.line, line, indent);
  return CompileError(text, fix);
}

}  // namespace tl::triton
