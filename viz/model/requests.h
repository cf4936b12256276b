// The requests that warps make for a recorded access: as `tilescope coalesce` counts them where the kernel's plans are
// known, else with one lane an element.
#pragma once

#include <vector>

#include "viz/model/model_run.h"
#include "viz/model/moment.h"

namespace tl::viz {

// For each access of a recorded program, by its number there; null: the model has none.
std::vector<const machine::AccessPlan*> plans_of_accesses(const ModelRun* model, const trace::RecordedTrace& trace,
                                                          std::size_t program);
// In any order. Without a plan: lane i of warp w takes element 32 w + i.
std::vector<machine::Request> requests_of(const machine::AccessPlan* plan, const trace::RecordedAccess& access,
                                          int element_bytes);

}  // namespace tl::viz
