#include "interp/cli/fault_text.h"

#include <fmt/format.h>

#include <cctype>

#include "interp/sources/sources.h"

namespace tl::cli {

namespace {

// Compilers name a call by its parenthesis; the caret stands under the start of its name: tl.load.
std::size_t start_of_call(std::string_view line, std::size_t column) {
  if (column >= line.size() || line[column] != '(') return column;
  while (column > 0 && (std::isalnum(static_cast<unsigned char>(line[column - 1])) || line[column - 1] == '_' || line[column - 1] == '.'))
    --column;
  return column;
}

// Lines after the first keep the indent of the first.
std::string indented(const std::string& text, std::size_t indent) {
  std::string out;
  for (char c : text) {
    out += c;
    if (c == '\n') out.append(indent, ' ');
  }
  return out;
}

const char* kind_name(FaultKind kind) {
  switch (kind) {
    case FaultKind::out_of_bounds: return "out_of_bounds";
    case FaultKind::uninitialized: return "uninitialized";
    case FaultKind::race: return "race";
    case FaultKind::undefined_lane: return "undefined_lane";
    case FaultKind::false_hint: return "false_hint";
    case FaultKind::assertion: return "assertion";
    case FaultKind::shape: return "shape";
    case FaultKind::deadlock: return "deadlock";
    case FaultKind::nan: return "nan";
    case FaultKind::stopped: return "stopped";
    case FaultKind::other: break;
  }
  return "other";
}

}  // namespace

std::string place_text(const Site& site) {
  std::string_view file = site.file ? site.file : "";
  if (const auto at = file.rfind("/kernels/"); at != std::string_view::npos) file.remove_prefix(at + 1);
  if (file.empty()) return "";
  return site.line > 0 ? fmt::format("{}:{}", file, site.line) : std::string(file);
}

std::string program_text(ProgramId id, int axes) {
  if (axes <= 1 && id.y == 0 && id.z == 0) return std::to_string(id.x);
  return axes == 3 || id.z != 0 ? fmt::format("({}, {}, {})", id.x, id.y, id.z) : fmt::format("({}, {})", id.x, id.y);
}

std::string caret_text(const Site& site, const std::string& note, Paint paint) {
  const std::string line(sources::source_line(site.file ? site.file : "", site.line));
  if (line.empty()) return note.empty() ? "" : fmt::format("    {}\n", indented(note, 4));
  const std::size_t first = line.find_first_not_of(" \t");
  const std::size_t cut = first == std::string::npos ? 0 : first;
  const std::size_t column = site.column > static_cast<int>(cut) ? start_of_call(line, static_cast<std::size_t>(site.column) - 1) - cut : 0;
  return fmt::format("    {}\n    {:{}}{}{}{}\n", line.substr(cut), "", column, paint.bad("^"), note.empty() ? "" : " ",
                     indented(note, column + 6));
}

std::string fault_text(const Fault& fault, Paint paint) {
  const std::string place = place_text(fault.site);
  std::string out = place.empty() ? "" : paint.bold(place + ":") + " ";
  out += fault.headline + "\n" + caret_text(fault.site, fault.detail, paint);
  if (!fault.fix.empty()) out += fmt::format("    {} {}\n", paint.hint("fix:"), indented(fault.fix, 9));
  return out;
}

nlohmann::ordered_json fault_json(const Fault& fault) {
  nlohmann::ordered_json out;
  out["kind"] = kind_name(fault.kind);
  out["file"] = place_text({fault.site.file, 0, 0});
  out["line"] = fault.site.line;
  out["column"] = fault.site.column;
  out["program"] = {fault.program.x, fault.program.y, fault.program.z};
  if (fault.lane >= 0) out["lane"] = fault.lane;
  if (!fault.tensor.empty()) out["tensor"] = fault.tensor;
  if (fault.element >= 0) out["element"] = fault.element;
  out["headline"] = fault.headline;
  out["detail"] = fault.detail;
  out["fix"] = fault.fix;
  return out;
}

std::string error_report(const std::string& fact, const std::string& fix, Paint paint) {
  std::string out = paint.bad("tilescope:") + " " + fact + "\n";
  if (!fix.empty()) out += fmt::format("  {} {}\n", paint.hint("fix:"), indented(fix, 7));
  return out;
}

}  // namespace tl::cli
