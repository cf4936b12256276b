// Dropout from a seed: the mask is recomputed, never stored.  output[i] = rand(seed, i) > p ? x[i] / (1 - p) : 0
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct dropout_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto output_ptr, int_ auto n, float_ auto p, int_ auto seed,
                  constexpr_ auto BLOCK_SIZE) const {
    auto pid = tl.program_id(0);
    auto offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE);
    auto mask = offsets < n;
    auto x = tl.load(x_ptr + offsets, {.mask = mask});
    auto random = tl.rand(seed, offsets);
    auto x_keep = random > p;
    auto output = tl.where(x_keep, x / (1 - p), 0.0);
    tl.store(output_ptr + offsets, output, {.mask = mask});
  }
};

}  // namespace tl::kernels
