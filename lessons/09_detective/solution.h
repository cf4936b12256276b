// Stretches rows to 0 .. 1.  y[i, j] = (x[i, j] - min x[i]) / (max x[i] - min x[i])
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct stretch_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto row_stride, int_ auto n_rows, int_ auto n_cols,
                  constexpr_ auto BLOCK) const {
    for (auto row : tl.range(tl.program_id(0), n_rows, tl.num_programs(0))) {
      auto low = tl.scalar(inf, tl.float32);
      auto high = tl.scalar(-inf, tl.float32);
      for (auto start : tl.range(0, n_cols, BLOCK)) {
        auto cols = start + tl.arange(0, BLOCK);
        auto x = tl.load(x_ptr + row * row_stride + cols, {.mask = cols < n_cols, .other = 0});
        low = tl.minimum(low, tl.min(tl.where(cols < n_cols, x, inf), 0));
        high = tl.maximum(high, tl.max(tl.where(cols < n_cols, x, -inf), 0));
      }
      for (auto begin : tl.range(0, n_cols, BLOCK)) {
        auto j = begin + tl.arange(0, BLOCK);
        auto again = tl.load(x_ptr + row * row_stride + j, {.mask = j < n_cols});
        auto y = (again - low) / (high - low);
        tl.store(y_ptr + row * row_stride + j, y, {.mask = j < n_cols});
      }
    }
  }
};

}  // namespace tl::kernels
