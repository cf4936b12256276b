// Adds two vectors, a block of BLOCK_SIZE elements a program.  z[i] = x[i] + y[i]
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct add_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, ptr auto z_ptr, int_ auto n,
                  constexpr_ auto BLOCK_SIZE) const {
    auto pid = tl.program_id(0);
    auto offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE);
    auto mask = offsets < n;
    auto x = tl.load(x_ptr + offsets, {.mask = mask});
    auto y = tl.load(y_ptr + offsets, {.mask = mask});
    tl.store(z_ptr + offsets, x + y, {.mask = mask});
  }
};

}  // namespace tl::kernels
