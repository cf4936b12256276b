// Says: program 0 makes 3 rounds here and loads nothing in 2 of them
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct copy_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, int_ auto n, constexpr_ auto bs) const {
    auto pid = tl.program_id(0);
    for (auto block : tl.range(0, tl.num_programs(0))) {
      auto offs = block * bs + tl.arange(0, bs);
      auto mask = (offs < n) & (block == pid);
      auto x = tl.load(x_ptr + offs, {.mask = mask});
      tl.store(z_ptr + offs, x, {.mask = mask});
    }
  }
};

}  // namespace tl::kernels
