// Says: lane 391 of program 9 stands at position 4999, beyond the end, and tak
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct copy_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, int_ auto n, constexpr_ auto bs) const {
    auto pid = tl.program_id(0);
    auto offs = pid * bs + tl.arange(0, bs) % 32;  // the positions that this program takes
    auto mask = offs < n;                     // which of them lie inside x and z
    auto x = tl.load(x_ptr + offs, {.mask = mask});
    tl.store(z_ptr + offs, x, {.mask = mask});
  }
};

}  // namespace tl::kernels
