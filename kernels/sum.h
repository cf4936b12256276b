// Sums a vector: each program adds its block's sum to the one result, atomically.  z[0] = sum over i of x[i]
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct sum_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, int_ auto n, constexpr_ auto BLOCK_SIZE) const {
    auto pid = tl.program_id(0);
    auto offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE);
    auto mask = offsets < n;
    auto x = tl.load(x_ptr + offsets, {.mask = mask, .other = 0});
    tl.atomic_add(z_ptr, tl.sum(x, 0));
  }
};

}  // namespace tl::kernels
