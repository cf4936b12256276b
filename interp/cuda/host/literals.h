// Literals that do not fit the integers they join. No type tells their value, so the check is left in the code where
// the optimizer could not prove that they fit: what is left is found here, by the lines that the PTX names.
#pragma once

#include <string>
#include <vector>

#include "interp/cuda/host/sources.h"

namespace tl::cuda {

// Throws CompileError, in the interpreter's words, for a literal. Where it is a C++ number known only when the kernel
// runs, the check stays and a note says so.
void check_literals(const std::string& ptx, const Sources& sources, std::vector<std::string>& notes);

}  // namespace tl::cuda
