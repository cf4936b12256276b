// Right as well: reciprocal.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct softmax_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto stride, int_ auto n_rows, int_ auto n_cols,
                  constexpr_ auto BLOCK) const {
    for (auto row : tl.range(tl.program_id(0), n_rows, tl.num_programs(0))) {
      auto cols = tl.arange(0, BLOCK);  // one block holds a whole row
      auto mask = cols < n_cols;
      auto x = tl.load(x_ptr + row * stride + cols, {.mask = mask, .other = -inf});
      // Yours: the row's softmax into y, from x as it was loaded, without a further load.
      auto shifted = x - tl.max(x, 0);
      auto numerator = tl.exp(shifted);
      auto denominator = tl.sum(numerator, 0);
      tl.store(y_ptr + row * stride + cols, numerator * (1.0 / denominator), {.mask = mask});
    }
  }
};

}  // namespace tl::kernels
