#include "interp/debug/fault_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>

namespace tl::debug {

namespace {

// Compilers name a call by its parenthesis; the caret stands under the start of its name: tl.load.
std::size_t start_of_call(std::string_view line, std::size_t column) {
  if (column >= line.size() || line[column] != '(') return column;
  while (column > 0 && (std::isalnum(static_cast<unsigned char>(line[column - 1])) || line[column - 1] == '_' ||
                        line[column - 1] == '.'))
    --column;
  return column;
}

}  // namespace

const char* name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::out_of_bounds: return "out of bounds";
    case FaultKind::uninitialized: return "uninitialized";
    case FaultKind::race: return "race";
    case FaultKind::undefined_lane: return "undefined lane";
    case FaultKind::false_hint: return "false hint";
    case FaultKind::assertion: return "assertion";
    case FaultKind::shape: return "shape";
    case FaultKind::deadlock: return "deadlock";
    case FaultKind::nan: return "nan";
    case FaultKind::stopped: return "stopped";
    case FaultKind::other: break;
  }
  return "fault";
}

std::string indented(const std::string& text, std::size_t indent) {
  std::string out;
  for (char c : text) {
    out += c;
    if (c == '\n') out.append(indent, ' ');
  }
  return out;
}

std::string place_text(const Site& site) {
  std::string_view file = site.file ? site.file : "";
  if (const auto at = file.rfind("/kernels/"); at != std::string_view::npos) file.remove_prefix(at + 1);
  if (file.empty()) return "";
  return site.line > 0 ? fmt::format("{}:{}", file, site.line) : std::string(file);
}

std::string caret_text(std::string_view line, int column, const std::string& note, const Paint& paint) {
  if (line.empty()) return note.empty() ? "" : fmt::format("    {}\n", indented(note, 4));
  const std::size_t first = line.find_first_not_of(" \t"), cut = first == std::string_view::npos ? 0 : first;
  const std::size_t at =
      column > static_cast<int>(cut) ? start_of_call(line, static_cast<std::size_t>(column) - 1) - cut : 0;
  return fmt::format("    {}\n    {:{}}{}{}{}\n", line.substr(cut), "", at, paint(Color::red, "^"),
                     note.empty() ? "" : " ", indented(note, at + 6));
}

std::string fix_text(const Fault& fault, std::string_view line) {
  static const std::regex pointer_plus_name(R"([\w.]*\(\s*\w+\s*\+\s*([A-Za-z_]\w*)\s*[,)])");
  const auto end = fault.fix.find(", or what says so");
  if (fault.kind != FaultKind::out_of_bounds || end == std::string::npos) return fault.fix;
  const std::size_t column = fault.site.column > 0 ? static_cast<std::size_t>(fault.site.column) - 1 : 0;
  const std::string call(line.substr(std::min(start_of_call(line, column), line.size())));
  std::smatch found;
  if (!std::regex_search(call, found, pointer_plus_name, std::regex_constants::match_continuous)) return fault.fix;
  std::string fix = fault.fix.substr(0, end);
  const std::string general = "offsets ", own = found[1].str() + ' ';
  for (std::size_t at = 0; (at = fix.find(general, at)) != std::string::npos; at += own.size())
    fix.replace(at, general.size(), own);
  return fix;
}

std::string fault_text(const Fault& fault, std::string_view line, const Paint& paint) {
  const std::string place = place_text(fault.site);
  std::string out = place.empty() ? "" : paint(Color::bold, place + ":") + " ";
  out += fault.headline + "\n" + caret_text(line, fault.site.column, fault.detail, paint);
  if (!fault.fix.empty())
    out += fmt::format("    {} {}\n", paint(Color::cyan, "fix:"), indented(fix_text(fault, line), 9));
  return out;
}

}  // namespace tl::debug
