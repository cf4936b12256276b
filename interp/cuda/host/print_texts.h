// The texts of tl.print_if and its like are read before a kernel is compiled for a GPU, and refused where the
// interpreter would.
#pragma once

#include <string>

#include "interp/cuda/host/sources.h"

namespace tl::cuda {

// Reads the kernel's functor and what its file and its helpers' files hold beside functors. Throws CompileError: a
// invalid condition on program ids, another number of {} than of values.
void check_print_texts(const Sources& sources, const std::string& kernel);

}  // namespace tl::cuda
