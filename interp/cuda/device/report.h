// Tells the host something about the compiled kernel: a comment in the PTX, no instruction.
#pragma once

#include "interp/rules/report.h"

namespace tl::cuda {

using rules::Report;

template <Report Kind, int Value = 1>
__forceinline__ void report() {
  asm volatile("// tilescope %0 %1" ::"n"(static_cast<int>(Kind)), "n"(Value));
}
// A value that is a constant once loops and branches are compiled. Where it is not constant, the host sees a register.
template <Report Kind>
__forceinline__ void report(int value) {
  asm volatile("// tilescope %0 %1" ::"n"(static_cast<int>(Kind)), "r"(value));
}

}  // namespace tl::cuda
