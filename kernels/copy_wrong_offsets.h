// Meant to copy a vector, wrong on purpose: offsets do not move with the program.  z[i] = x[i], the first block only
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct copy_wrong_offsets_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, int_ auto n, constexpr_ auto bs) const {
    auto pid = tl.program_id(0);
    auto offs = tl.arange(0, bs);
    auto mask = offs < n;
    auto x = tl.load(x_ptr + offs, {.mask = mask});
    tl.store(z_ptr + offs, x, {.mask = mask});
  }
};

}  // namespace tl::kernels
