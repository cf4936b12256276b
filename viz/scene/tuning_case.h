// A kernel's configs, ranked by the model, for the drawing of them.
#pragma once

#include "interp/run/kernel_case.h"
#include "viz/model/tuning_run.h"

namespace tl::viz {

// For the sizes that are given: what configs set is left open. With what `tilescope tune` kept here, and what was
// recorded on a GPU at these sizes. Throws Error: the kernel declares no configs.
TuningRun tuning_of(const run::KernelOptions& kernel, const std::string& gpu);

}  // namespace tl::viz
