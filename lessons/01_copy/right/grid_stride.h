// Right as well: grid stride.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct copy_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, int_ auto n, constexpr_ auto bs) const {
    for (auto begin : tl.range(tl.program_id(0) * bs, n, tl.num_programs(0) * bs)) {
      auto offs = begin + tl.arange(0, bs);
      auto mask = offs < n;
      auto x = tl.load(x_ptr + offs, {.mask = mask});
      tl.store(z_ptr + offs, x, {.mask = mask});
    }
  }
};

}  // namespace tl::kernels
