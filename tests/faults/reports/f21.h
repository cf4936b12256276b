// online softmax whose running maximum begins at a finite sentinel: logits below it vanish (flashinfer#4401)
// case: rows=2 cols=64 BLOCK=16 x=f32[rows, cols]:each(-60000 - i % 7) y=out:f32[rows] grid=rows
// case: expect='y = amax(x, 1) + log(sum(exp(x - amax(x, 1)[:, None]), 1))'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct f21 {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto cols, constexpr_ auto BLOCK) const {
    auto row = tl.program_id(0);
    auto m = tl.scalar(-inf, tl.float32);
    auto d = tl.scalar(0, tl.float32);
    for (auto c : tl.range(0, cols, BLOCK)) {
      auto o = c + tl.arange(0, BLOCK);
      auto x = tl.load(x_ptr + row * cols + o, {.mask = o < cols, .other = -inf});
      auto m_new = tl.maximum(m, tl.max(x, 0_c));
      d = d * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new), 0_c);
      m = m_new;
    }
    tl.store(y_ptr + row, m + tl.log(d));
  }
};
}  // namespace tl::kernels
