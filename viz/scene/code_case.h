// A kernel's case compiled, for the drawing of its code.
#pragma once

#include "interp/run/kernel_case.h"
#include "viz/model/code_run.h"

namespace tl::viz {

// The first launch's code. Throws Error: no toolkit, a GPU without a CUDA path, a text that CUDA refuses.
CodeRun code_of(const run::KernelOptions& kernel, const std::string& gpu);

}  // namespace tl::viz
