// What a case says beside its recording: the interpreter's output and time, the reference, runs recorded on GPUs.
#pragma once

#include <optional>

#include "interp/cli/kernel_case.h"
#include "viz/model/panel.h"

namespace tl::viz {

struct Outcomes {
  std::vector<Outcome> all;  // the reference among them
  std::string output;        // the tensor compared
  std::vector<std::int64_t> shape;
};
// Runs the case once more, unobserved, for its time. Its outputs hold the interpreter's result afterwards.
Outcomes outcomes_of(cli::Case& c);

// The first launch as the model runs it; beside it the same work row by row, where a kernel groups its programs.
struct ModelRun {
  machine::Schedule own;
  std::optional<machine::Schedule> other_order;
};
// `resident`: programs an SM holds at once; 0: as occupancy says.
ModelRun model_of(const cli::Case& c, const std::string& gpu, std::int64_t resident);

}  // namespace tl::viz
