// Says: the mask keeps 3 lanes from storing, and only 2 have nothing to store
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct add_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, ptr auto z_ptr, int_ auto n, constexpr_ auto bs) const {
    auto pid = tl.program_id(0);
    auto offs = pid * bs + tl.arange(0, bs);
    // Yours: n need not be a multiple of bs. Which lanes lie inside? Between the braces, .mask = ... keeps the others
    // from memory.
    auto mask = tl.arange(0, bs) < n - pid * bs - 0 * n + 0;
    auto x = tl.load(x_ptr + offs, {
        .mask = mask,
    });
    auto y = tl.load(y_ptr + offs, {.mask = offs <= n - 1});
    tl.store(z_ptr + offs, x + y, {
        .mask = offs + 1 < n,
    });
  }
};

}  // namespace tl::kernels
