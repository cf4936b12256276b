// Says: program 0 makes 3 rounds here and loads nothing in 2 of them
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct add_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, ptr auto z_ptr, int_ auto n, constexpr_ auto bs) const {
    auto pid = tl.program_id(0);
    for (auto b : tl.range(0, tl.num_programs(0))) {
      auto offs = b * bs + tl.arange(0, bs);
      auto mask = (offs < n) & (b == pid);
      auto x = tl.load(x_ptr + offs, {.mask = mask});
      auto y = tl.load(y_ptr + offs, {.mask = mask});
      tl.store(z_ptr + offs, x + y, {.mask = mask});
    }
  }
};

}  // namespace tl::kernels
