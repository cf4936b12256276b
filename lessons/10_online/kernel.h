// Softmax of a row of any length, BLOCK columns a step, a row a program.  y[i, j] = exp(x[i, j]) / sum of exp(x[i])
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct online_softmax_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto row_stride, int_ auto n_cols,
                  constexpr_ auto BLOCK) const {
    auto row = tl.program_id(0) * row_stride;
    auto largest = tl.scalar(-inf, tl.float32);
    auto sum = tl.scalar(0.0, tl.float32);
    for (auto start : tl.range(0, n_cols, BLOCK)) {
      auto cols = start + tl.arange(0, BLOCK);
      auto x = tl.load(x_ptr + row + cols, {.mask = cols < n_cols, .other = -inf});
      auto next = tl.maximum(largest, tl.max(x, 0));
      // Yours: what `sum` holds so far was measured from `largest`, what comes is measured from `next`.
      sum += tl.sum(tl.exp(x - next), 0);
      largest = next;
    }
    // Yours: a second loop, which stores the quotients.
  }
};

}  // namespace tl::kernels
