#include "viz/model/requests.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tl::viz {

namespace {

using Place = std::tuple<int, int, int, int, trace::AccessKind>;  // file, line, column, tensor

// A place's plan, and how often the program came there.
struct Passes {
  const machine::LinePlan* plan = nullptr;
  std::size_t count = 0;
};

}  // namespace

std::vector<const machine::AccessPlan*> plans_of_accesses(const ModelRun* model, const trace::RecordedTrace& trace,
                                                          std::size_t program) {
  const trace::RecordedProgram& p = trace.programs[program];
  std::vector<const machine::AccessPlan*> found(p.accesses.size(), nullptr);
  const auto launch = static_cast<std::size_t>(p.launch);
  if (!model || launch >= model->plans.size()) return found;
  const machine::LinePlans& plans = model->plans[launch];
  std::map<Place, Passes> passes;
  for (const trace::Step& step : p.steps) {
    if (step.access < 0 || step.site.file < 0) continue;
    const trace::RecordedAccess& a = p.accesses[static_cast<std::size_t>(step.access)];
    const auto [at, is_new] = passes.try_emplace({step.site.file, step.site.line, step.site.column, a.tensor, a.kind});
    Passes& place = at->second;
    if (is_new) {
      const auto known = plans.find(
          {trace.files[static_cast<std::size_t>(step.site.file)], step.site.line, step.site.column, a.tensor, a.kind});
      if (known != plans.end()) place.plan = &known->second;
    }
    if (!place.plan) continue;
    const machine::AccessPlan& plan = place.plan->numbered(place.plan->of_pass(place.count++));
    if (std::ranges::equal(plan.shape, a.shape.span())) found[static_cast<std::size_t>(step.access)] = &plan;
  }
  return found;
}

std::vector<machine::Request> requests_of(const machine::AccessPlan* plan, const trace::RecordedAccess& a,
                                          int element_bytes) {
  const machine::AccessPlan simple =
      plan ? machine::AccessPlan{} : machine::plan_one_lane_an_element(a.kind, a.shape.span(), element_bytes);
  std::vector<machine::Request> all;
  machine::for_each_request(plan ? *plan : simple, a, [&](const machine::Request& r) { all.push_back(r); });
  return all;
}

}  // namespace tl::viz
