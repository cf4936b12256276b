// Right as well: two halves.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct copy_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, int_ auto n, constexpr_ auto bs) const {
    auto begin = tl.program_id(0) * bs;
    tl.static_for(2_c, [&](auto half) {
      auto offs = begin + half * (bs / 2_c) + tl.arange(0, bs / 2_c);
      auto x = tl.load(x_ptr + offs, {.mask = offs < n});
      tl.store(z_ptr + offs, x, {.mask = offs < n});
    });
  }
};

}  // namespace tl::kernels
