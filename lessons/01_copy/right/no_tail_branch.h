// Right as well: no tail branch.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct copy_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, int_ auto n, constexpr_ auto bs) const {
    auto offs = tl.program_id(0) * bs + tl.arange(0, bs);
    if ((tl.program_id(0) + 1) * bs <= n) {
      tl.store(z_ptr + offs, tl.load(x_ptr + offs));
    } else {
      tl.store(z_ptr + offs, tl.load(x_ptr + offs, {.mask = offs < n}), {.mask = offs < n});
    }
  }
};

}  // namespace tl::kernels
