// sums of column blocks by block pointers, the columns' bound not checked (triton#2138, microsoft/triton-shared#203)
// case: M=8 N=20 x=f32[M, N]:ones y=out:f32[M] grid=1 expect='y = sum(x, 1)'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct block_ptr_check {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto M, int_ auto N) const {
    auto bp = tl.make_block_ptr(x_ptr, tl.tuple(M, N), tl.tuple(N, 1), tl.tuple(0, 0), tl.shape(8_c, 16_c),
                                tl.axes(1_c, 0_c));
    auto acc = tl.zeros(tl.shape(8_c), tl.float32);
    for (auto c : tl.range(0, N, 16)) {
      acc = acc + tl.sum(tl.load(bp, {.boundary_check = tl.axes(0_c), .padding = tl.zero}), 1_c);
      bp = tl.advance(bp, tl.tuple(0, 16));
    }
    tl.store(y_ptr + tl.arange(0, 8_c), acc);
  }
};
}  // namespace tl::kernels
