// Says: program 0 stores 6 elements of z, and its share is 2
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct copy_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, int_ auto n, constexpr_ auto bs) const {
    if (tl.program_id(0) > 0) return;
    for (auto begin : tl.range(0, n, bs)) {
      auto offs = begin + tl.arange(0, bs);  // the positions that this program takes
      auto mask = offs < n;                     // which of them lie inside x and z
      auto x = tl.load(x_ptr + offs, {.mask = mask});
      tl.store(z_ptr + offs, x, {.mask = mask});
    }
  }
};

}  // namespace tl::kernels
