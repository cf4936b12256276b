// Loops of the functions that kernels use seldom, which are not compiled for each instruction set.
#pragma once

#include "interp/cpu/loops.h"

namespace tl::cpu {

// Null: no such function.
UnaryLoop function_loop(trace::Op, DType);
BinaryLoop function_loop_of_two(trace::Op, DType);

}  // namespace tl::cpu
