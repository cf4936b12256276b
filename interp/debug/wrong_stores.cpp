#include "interp/debug/wrong_stores.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/lang/stop_scope.h"

namespace tl::debug {

using trace::Moment;

std::map<trace::Moment, std::string> wrong_stores(const trace::RecordedTrace& trace) {
  if (!trace.wrong)
    throw Error("what is right is not known here", "name the expected values when it is recorded: --expect 'y = ...'");
  std::map<std::pair<std::string, std::int64_t>, Moment> last;
  for (std::size_t p = 0; p < trace.programs.size(); ++p) {
    end_if_stopped();
    const trace::RecordedProgram& program = trace.programs[p];
    for (std::size_t s = 0; s < program.steps.size(); ++s) {
      if (program.steps[s].access < 0 || !program.accesses[program.steps[s].access].writes()) continue;
      const trace::RecordedAccess& a = program.accesses[program.steps[s].access];
      const std::string& name = trace.launches[program.launch].tensors[a.tensor].name;
      const auto it = trace.wrong->find(name);
      if (it != trace.wrong->end() && !it->second.empty())
        trace::for_each_active_lane(a, [&, &elements = it->second](std::int64_t, std::int64_t e) {
          if (std::ranges::binary_search(elements, e)) last[{name, e}] = {p, static_cast<std::uint32_t>(s)};
        });
    }
  }
  std::map<Moment, std::string> stores;
  std::map<Moment, int> counts;
  for (const auto& [cell, moment] : last) {
    const auto& tensors = trace.launches[trace.programs[moment.program].launch].tensors;
    if (counts[moment]++ == 0)
      stores[moment] =
          trace::cell_name(*std::ranges::find(tensors, cell.first, &trace::RecordedTensor::name), cell.second) +
          ", which is wrong";
  }
  for (auto& [moment, text] : stores)
    if (counts[moment] > 1) text += fmt::format(" (and {} more)", counts[moment] - 1);
  return stores;
}

}  // namespace tl::debug
