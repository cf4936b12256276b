// Layer normalization, a row a program.  y = (x - mean x) / sqrt(variance x + eps) * w + b
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct layernorm_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto w_ptr, ptr auto b_ptr, ptr auto y_ptr, int_ auto row_stride,
                  int_ auto n_cols, float_ auto eps, constexpr_ auto BLOCK_SIZE) const {
    auto row = tl.program_id(0);
    auto cols = tl.arange(0, BLOCK_SIZE);
    auto mask = cols < n_cols;
    auto x = tl.load(x_ptr + row * row_stride + cols, {.mask = mask, .other = 0}).to(tl.float32);
    auto mean = tl.sum(x, 0) / n_cols;
    auto x_centred = tl.where(mask, x - mean, 0.0);  // masked lanes must not count in the variance
    auto var = tl.sum(x_centred * x_centred, 0) / n_cols;
    auto rstd = 1 / tl.sqrt(var + eps);
    auto w = tl.load(w_ptr + cols, {.mask = mask});
    auto b = tl.load(b_ptr + cols, {.mask = mask});
    auto y = x_centred * rstd * w + b;
    tl.store(y_ptr + row * row_stride + cols, y.to(y_ptr.dtype), {.mask = mask});
  }
};

}  // namespace tl::kernels
