#include "viz/scene/story.h"

#include <algorithm>
#include <optional>

#include "interp/debug/wrong_stores.h"
#include "viz/model/panel.h"
#include "viz/scene/default_moment.h"
#include "viz/scene/scene_case.h"

namespace tl::viz {

namespace {

using trace::RecordedAccess;
using trace::RecordedProgram;

// Behind the op that went wrong: what a race stored stands in memory then.
std::optional<debug::Moment> first_fault(const trace::RecordedTrace& trace) {
  for (std::size_t p = 0; p < trace.programs.size(); ++p)
    if (const auto& faults = trace.programs[p].faults; !faults.empty())
      return debug::Moment{
          p, std::min(faults.front().step + 1, static_cast<std::uint32_t>(trace.programs[p].steps.size()))};
  return std::nullopt;
}

// Memory behind the first store of a wrong value, which is chosen.
std::optional<Story> first_wrong(const trace::RecordedTrace& trace) {
  if (!trace.wrong) return std::nullopt;
  const auto stores = debug::wrong_stores(trace);
  if (stores.empty()) return std::nullopt;
  const debug::Moment at = stores.begin()->first;
  const RecordedProgram& program = trace.programs[at.program];
  const RecordedAccess& store = program.accesses[program.steps[at.step].access];
  const auto& wrong = trace.wrong->at(trace.launches[program.launch].tensors[store.tensor].name);
  Story story{"memory", {at.program, at.step + 1}};
  trace::for_each_active_lane(store, [&](std::int64_t, std::int64_t element) {
    if (story.chosen.has_cells() || !std::ranges::binary_search(wrong, element)) return;
    story.chosen.launch = program.launch;
    story.chosen.tensor = store.tensor;
    story.chosen.first = story.chosen.last = element;
  });
  return story;
}

// Behind the first step for which f holds.
template <class F>
std::optional<debug::Moment> behind_step(const trace::RecordedTrace& trace, const F& f) {
  for (std::size_t p = 0; p < trace.programs.size(); ++p)
    for (std::uint32_t s = 0; s < trace.programs[p].steps.size(); ++s)
      if (f(trace.programs[p], trace.programs[p].steps[s])) return debug::Moment{p, s + 1};
  return std::nullopt;
}

// Whether a variable holds what the op before a moment gave: the block's picture shows variables.
bool is_named(debug::Session& session, debug::Moment behind) {
  const debug::Moment before = session.now();
  session.go(behind);
  const auto& program = session.program();
  const auto& results = program.results(program.steps[behind.step - 1]);
  const debug::ProgramView& view = session.view();
  const bool is_held = std::ranges::any_of(view.variables(), [&](const debug::Variable& v) {
    const std::int32_t value = view.value_at(v, behind.step);
    return value >= 0 && std::ranges::count(results, value) > 0;
  });
  session.go(before);
  return is_held;
}

std::int64_t first_stored_by(const RecordedProgram& p) {
  const auto store = std::ranges::find_if(p.accesses, [](const RecordedAccess& a) { return a.writes() && a.active; });
  return store == p.accesses.end() ? -1 : store->first;
}

// Whether the second program's block of the output lies beneath the first one's, not beside it.
bool goes_down(const trace::RecordedTrace& trace) {
  if (trace.programs.size() < 2 || trace.launches.front().grid[1] > 1) return false;  // a grid of two axes is no order
  const auto store =
      std::ranges::find_if(trace.programs[0].accesses, [](const RecordedAccess& a) { return a.writes(); });
  if (store == trace.programs[0].accesses.end()) return false;
  const trace::RecordedTensor& c = trace.launches.front().tensors[store->tensor];
  const std::int64_t first = first_stored_by(trace.programs[0]), second = first_stored_by(trace.programs[1]);
  return c.strides.size() > 1 && c.strides[0] > 0 && second > first && (second - first) % c.strides[0] == 0;
}

}  // namespace

Story story_of(debug::Session& session, std::shared_ptr<Findings> findings) {
  const debug::Moment before = session.now();
  const trace::RecordedTrace& trace = session.trace();
  Scene scene{.session = session};
  scene.findings = std::move(findings);
  const auto try_at = [&](const char* panel, debug::Moment moment) -> std::optional<Story> {
    session.go(moment);
    const bool is_there = find_panel(panel)->missing(scene).empty();
    session.go(before);
    if (!is_there) return std::nullopt;
    return Story{panel, moment, {}};
  };
  const auto try_panel = [&](const char* panel) { return try_at(panel, default_moment(session, panel, "")); };

  if (const auto fault = first_fault(trace))
    for (const char* panel : {"offsets", "block"})  // of an access that was refused: the offsets that it was given
      if (auto story = try_at(panel, *fault)) return *story;
  if (auto story = first_wrong(trace)) return *story;
  if (auto story = try_panel("attention")) return *story;
  if (auto story = try_panel("matmul")) {
    if (goes_down(trace) && try_panel("order")) story->panel = "order";
    return *story;
  }
  if (auto story = try_panel("softmax")) return *story;
  const auto is_matrix = [](const RecordedProgram& p, const trace::Step& s) {
    return s.access >= 0 && p.accesses[s.access].shape.rank == 2;
  };
  const auto is_masked_matrix = [&](const RecordedProgram& p, const trace::Step& s) {
    return is_matrix(p, s) && p.accesses[s.access].active < p.accesses[s.access].lanes();
  };
  if (behind_step(trace, is_masked_matrix))
    if (auto story = try_panel("mask")) return *story;
  if (behind_step(trace, is_matrix)) return {"memory", default_moment(session, "memory", ""), {}};
  if (const auto scan = behind_step(
          trace, [](const RecordedProgram&, const trace::Step& s) { return family_of(s.op) == OpFamily::scan; }))
    return is_named(session, *scan) ? Story{"block", *scan, {}}
                                    : Story{"memory", default_moment(session, "memory", ""), {}};
  if (auto story = try_panel("offsets")) return *story;
  return {"memory", default_moment(session, "memory", ""), {}};
}

run::KernelOptions case_to_open(run::KernelOptions kernel, const std::string& gpu) {
  if (!kernel.settings.empty()) return kernel;
  const problems::Problem& problem = problems::find(kernel.kernel);
  if (problem.beyond_l2.empty()) return kernel;
  try {
    debug::Session session(steps_of(kernel, gpu, "<2,=0,=0"));  // two programs say where the second one goes
    if (story_of(session, nullptr).panel == "order") kernel.settings = problem.beyond_l2;
  } catch (const std::exception&) {  // a wrong kernel opens, too: its run says what is wrong
  }
  return kernel;
}

}  // namespace tl::viz
