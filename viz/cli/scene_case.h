// What a case says beside its recording: the interpreter's output and time, the reference, runs recorded on GPUs.
#pragma once

#include <optional>

#include "interp/cli/kernel_case.h"
#include "viz/model/panel.h"

namespace tl::viz {

// Runs the case once more, unobserved, for its time. Its outputs hold the interpreter's result afterwards.
void add_outcomes(Scene& scene, cli::Case& c);

// The first launch as the model runs it; beside it the same work row by row, where a kernel groups its programs.
struct ModelRun {
  machine::Schedule own;
  std::optional<machine::Schedule> other_order;
};
// `resident`: programs an SM holds at once; 0: as many as its threads allow.
ModelRun model_of(const cli::Case& c, const std::string& gpu, std::int64_t resident);

}  // namespace tl::viz
