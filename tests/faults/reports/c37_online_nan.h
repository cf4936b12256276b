// online softmax, left padding: the first blocks of a row are masked wholly, so m stays -inf (triton#1273,
// flashinfer#4401)
// case: rows=2 cols=64 BLOCK=16 pad=i32[rows]:values(0, 20) x=f32[rows, cols] y=out:f32[rows] grid=rows
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct online_nan {
  void operator()(auto& tl, ptr auto pad_ptr, ptr auto x_ptr, ptr auto y_ptr, int_ auto cols,
                  constexpr_ auto BLOCK) const {
    auto row = tl.program_id(0);
    auto pad = tl.load(pad_ptr + row);
    auto m = tl.scalar(-inf, tl.float32);
    auto d = tl.scalar(0, tl.float32);
    for (auto c : tl.range(0, cols, BLOCK)) {
      auto o = c + tl.arange(0, BLOCK);
      auto x = tl.load(x_ptr + row * cols + o, {.mask = (o < cols) & (o >= pad), .other = -inf});
      auto m_new = tl.maximum(m, tl.max(x, 0_c));
      d = d * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new), 0_c);
      m = m_new;
    }
    tl.store(y_ptr + row, m + tl.log(d));
  }
};
}  // namespace tl::kernels
