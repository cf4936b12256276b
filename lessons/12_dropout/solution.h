// Dropout from a seed, its mask never stored.  y[i] = rand(seed, i) > p ? x[i] / (1 - p) : 0
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct dropout_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto n, int_ auto seed, float_ auto p,
                  constexpr_ auto BLOCK) const {
    auto offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto mask = offs < n;
    auto x = tl.load(x_ptr + offs, {.mask = mask});
    // Yours: a random number an element, the same however the vector is cut; what is kept makes up for what is dropped.
    auto random = tl.rand(seed, offs);
    auto y = tl.where(random > p, x / (1 - p), 0.0);
    tl.store(y_ptr + offs, y, {.mask = mask});
  }
};

}  // namespace tl::kernels
