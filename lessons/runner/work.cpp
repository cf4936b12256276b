#include "lessons/runner/work.h"

#include <fmt/format.h>

#include "interp/report/fault_text.h"
#include "interp/report/numbers.h"
#include "lessons/runner/blocks.h"

namespace tl::lessons {

namespace {

std::string program_text(const Observed& o, const trace::RecordedProgram& p) {
  const auto& grid = o.trace().launches[static_cast<std::size_t>(p.launch)].grid;
  return report::program_text(p.id, grid[2] > 1 ? 3 : grid[1] > 1 ? 2 : 1);
}

// The first access of which no lane is active, and how many there are.
std::optional<Finding> all_lanes_masked(const Observed& o) {
  std::int64_t many = 0;
  const trace::RecordedProgram* program = nullptr;
  const trace::Step* first = nullptr;
  for (const trace::RecordedProgram& p : o.trace().programs)
    for (const trace::Step& step : p.steps)
      if (step.access >= 0 && p.accesses[static_cast<std::size_t>(step.access)].active == 0 && many++ == 0)
        program = &p, first = &step;
  if (many == 0) return std::nullopt;
  const trace::RecordedAccess& a = program->accesses[static_cast<std::size_t>(first->access)];
  const std::string& tensor =
      o.trace().launches[static_cast<std::size_t>(program->launch)].tensors[static_cast<std::size_t>(a.tensor)].name;
  return at(Finding{fmt::format("the numbers are right, but program {} {} {} with every lane masked off",
                                program_text(o, *program), a.writes() ? "stores to" : "loads from", tensor),
                    fmt::format("so {}, in all programs together",
                                many == 1 ? "is one access" : fmt::format("are {} accesses", many)),
                    "it moves nothing and takes its time all the same: does a loop go further than there is something "
                    "to do, or does a program take what is another's?"},
            o.site(first->site));
}

std::optional<Finding> too_many_dots(const Observed& o, int most) {
  for (const trace::RecordedProgram& p : o.trace().programs) {
    int dots = 0;
    std::optional<Site> where;
    for (const trace::Step& step : p.steps)
      if (step.op == trace::Op::dot) ++dots, where = o.site(step.site);
    if (dots > most)
      return at(
          Finding{fmt::format("the numbers are right, but program {} multiplies {} pairs of tiles, and {}",
                              program_text(o, p), dots, most == 1 ? "one suffices" : fmt::format("{} suffice", most)),
                  "", "what is in the sum already, or is zero, need not be multiplied"},
          where);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Finding> work_in_vain(const Trial& trial, const Observed& o) {
  if (!trial.work) return std::nullopt;
  if (!trial.work->may_mask_all_lanes)
    if (auto found = all_lanes_masked(o)) return found;
  return trial.work->dots < 0 ? std::nullopt : too_many_dots(o, trial.work->dots);
}

}  // namespace tl::lessons
