// Dropout that stores its mask for the backward pass.
// keep[i] = rand(seed, i) > p;  output[i] = keep[i] ? x[i] / (1 - p) : 0
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct dropout_with_mask_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto keep_ptr, ptr auto output_ptr, int_ auto n, float_ auto p,
                  int_ auto seed, constexpr_ auto BLOCK_SIZE) const {
    auto pid = tl.program_id(0);
    auto offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE);
    auto mask = offsets < n;
    auto x = tl.load(x_ptr + offsets, {.mask = mask});
    auto x_keep = tl.rand(seed, offsets) > p;
    tl.store(keep_ptr + offsets, x_keep.to(keep_ptr.dtype), {.mask = mask});
    auto output = tl.where(x_keep, x / (1 - p), 0.0);
    tl.store(output_ptr + offsets, output, {.mask = mask});
  }
};

}  // namespace tl::kernels
