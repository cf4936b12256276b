#include "interp/debug/program_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/debug/show.h"

namespace tl::debug {

std::vector<NamedValue> named_values(const trace::RecordedTrace& trace, std::size_t program, const Sources& sources) {
  const ProgramView view(trace, program, sources);
  std::vector<bool> is_pid(view.program().values.size());
  for (const trace::Step& s : view.program().steps)
    if (s.op == trace::Op::program_id)
      for (std::int32_t r : view.program().results(s)) is_pid[r] = true;
  std::vector<NamedValue> result;
  for (const Variable& v : view.variables()) {
    if (v.frame != 0 || v.values.empty()) continue;
    const std::int32_t value = v.values.back().second;
    if (is_pid[value]) continue;  // the line begins with it
    const auto same = std::find_if(result.begin(), result.end(), [&](const NamedValue& n) { return n.name == v.name; });
    const trace::RecordedValue* const recorded = &view.program().values[value];
    if (same != result.end()) same->value = recorded;  // a loop's last round
    else result.push_back({v.name, recorded});
  }
  return result;
}

std::string program_line(const trace::RecordedTrace& trace, std::size_t program, const Sources& sources) {
  const trace::RecordedProgram& p = trace.programs[program];
  const trace::RecordedLaunch& launch = trace.launches[p.launch];
  std::string result = fmt::format("pid = {}", p.id.x);
  if (launch.grid[2] > 1) result = fmt::format("pid = ({}, {}, {})", p.id.x, p.id.y, p.id.z);
  else if (launch.grid[1] > 1) result = fmt::format("pid = ({}, {})", p.id.x, p.id.y);
  const char* separator = " | ";
  for (const NamedValue& v : named_values(trace, program, sources)) {
    result += fmt::format("{}{} = {}", separator, v.name, elements_text(*v.value, launch));
    separator = ", ";
  }
  return result;
}

}  // namespace tl::debug
