// The machine code with the lines of the texts that it comes from.
#pragma once

#include <string>

#include "interp/cuda/host/compile.h"

namespace tl::cuda {

// As nvdisasm -c -gi writes it. Throws Error when it is not there.
std::string disassemble_with_lines(const Compiled& compiled);

}  // namespace tl::cuda
