#include "interp/report/fault_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "interp/debug/fault_text.h"
#include "interp/sources/sources.h"

namespace tl::report {

namespace {

debug::Paint debug_paint(Paint paint) { return {paint.on}; }

std::string_view line_of(const Site& site) { return sources::source_line(site.file ? site.file : "", site.line); }

}  // namespace

std::string place_text(const Site& site) { return debug::place_text(site); }

std::string program_text(ProgramId id, int axes) {
  if (axes <= 1 && id.y == 0 && id.z == 0) return std::to_string(id.x);
  return axes == 3 || id.z != 0 ? fmt::format("({}, {}, {})", id.x, id.y, id.z) : fmt::format("({}, {})", id.x, id.y);
}

std::string caret_text(const Site& site, const std::string& note, Paint paint) {
  return debug::caret_text(line_of(site), site.column, note, debug_paint(paint));
}

std::string fault_text(const Fault& fault, Paint paint) {
  return debug::fault_text(fault, line_of(fault.site), debug_paint(paint));
}

nlohmann::ordered_json fault_json(const Fault& fault) {
  nlohmann::ordered_json out;
  std::string kind = debug::name_of(fault.kind);
  std::replace(kind.begin(), kind.end(), ' ', '_');
  out["kind"] = kind;
  out["file"] = place_text({fault.site.file, 0, 0});
  out["line"] = fault.site.line;
  out["column"] = fault.site.column;
  out["program"] = {fault.program.x, fault.program.y, fault.program.z};
  if (fault.lane >= 0) out["lane"] = fault.lane;
  if (!fault.tensor.empty()) out["tensor"] = fault.tensor;
  if (fault.element >= 0) out["element"] = fault.element;
  out["headline"] = fault.headline;
  out["detail"] = fault.detail;
  out["fix"] = debug::fix_text(fault, line_of(fault.site));
  return out;
}

std::string error_report(const std::string& fact, const std::string& fix, Paint paint) {
  std::string out = paint.bad("tilescope:") + " " + fact + "\n";
  if (!fix.empty()) out += fmt::format("  {} {}\n", paint.hint("fix:"), debug::indented(fix, 7));
  return out;
}

}  // namespace tl::report
