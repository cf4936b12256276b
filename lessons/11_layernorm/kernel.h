// Layer normalization, a row a program.  y[i, j] = (x[i, j] - mean x[i]) / sqrt(variance x[i] + 1e-5) * w[j] + b[j]
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct layernorm_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto w_ptr, ptr auto b_ptr, ptr auto y_ptr, int_ auto row_stride,
                  int_ auto n_cols, constexpr_ auto BLOCK) const {
    auto row = tl.program_id(0) * row_stride;
    auto cols = tl.arange(0, BLOCK);
    auto mask = cols < n_cols;
    auto x = tl.load(x_ptr + row + cols, {.mask = mask, .other = 0}).to(tl.float32);
    auto mean = tl.sum(x, 0) / n_cols;
    // Yours: the variance of the lanes that exist, 1 / sqrt(variance + 1e-5), and what is stored, in y's dtype.
  }
};

}  // namespace tl::kernels
