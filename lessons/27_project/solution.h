// Cross entropy of each row: loss[i] = log(sum over j of exp(x[i, j])) - x[i, target[i]]
// case: x=f32[rows, cols]:normal target='i32[rows]:each(i * 7 % 50)' loss=out:f32[rows] rows=20 cols=50 row_stride=cols
// case: n_cols=cols BLOCK=16 grid=rows
// case: expect='loss = log(sum(exp(x), 1)) - sum(where(arange(50)[None, :] == target[:, None], x, 0), 1)'
// Yours: a case, and the kernel: rows of any length, BLOCK columns a step, each element of x loaded once.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct cross_entropy_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto target_ptr, ptr auto loss_ptr, int_ auto row_stride,
                  int_ auto n_cols, constexpr_ auto BLOCK) const {
    auto row = tl.program_id(0);
    auto target = tl.load(target_ptr + row);
    auto largest = tl.scalar(-inf, tl.float32);
    auto total = tl.scalar(0.0, tl.float32);
    auto chosen = tl.scalar(0.0, tl.float32);
    for (auto start : tl.range(0, n_cols, BLOCK)) {
      auto cols = start + tl.arange(0, BLOCK);
      auto x = tl.load(x_ptr + row * row_stride + cols, {.mask = cols < n_cols, .other = -inf}).to(tl.float32);
      auto next = tl.maximum(largest, tl.max(x, 0));
      total = total * tl.exp(largest - next) + tl.sum(tl.exp(x - next), 0);
      chosen += tl.sum(tl.where(cols == target, x, 0.0), 0);
      largest = next;
    }
    tl.store(loss_ptr + row, tl.log(total) + largest - chosen);
  }
};

}  // namespace tl::kernels
