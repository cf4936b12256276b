// The lecture's helpers for offsets and masks.  get_2d_offset(i, j)[r, c] = i[r] * stride_0 + j[c] * stride_1
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

// The offsets of chunk number n_prev_chunks of `size` elements.
auto get_1d_offset(auto& tl, constexpr_ auto size, auto n_prev_chunks) {
  return n_prev_chunks * size + tl.arange(0, size);
}

auto get_2d_offset(auto& tl, auto offs_0, auto offs_1, auto stride_0, auto stride_1) {
  return tl.expand_dims(offs_0, 1_c) * stride_0 + tl.expand_dims(offs_1, 0_c) * stride_1;
}

auto get_2d_mask(auto& tl, auto offs_0, auto offs_1, auto max_0, auto max_1) {
  return (tl.expand_dims(offs_0, 1_c) < max_0) & (tl.expand_dims(offs_1, 0_c) < max_1);
}

}  // namespace tl::kernels
