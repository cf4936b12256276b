// Softmax of each row as five kernels, every step a round trip through memory.  y = exp(x - max x) / sum exp(x - max x)
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

// max[i] = max over j of x[i, j]
struct row_max_kernel {
  void operator()(auto& tl, ptr auto max_ptr, ptr auto x_ptr, int_ auto row_stride, int_ auto n_cols,
                  constexpr_ auto BLOCK_SIZE) const {
    auto row = tl.program_id(0);
    auto cols = tl.arange(0, BLOCK_SIZE);
    auto x = tl.load(x_ptr + row * row_stride + cols, {.mask = cols < n_cols, .other = -inf});
    tl.store(max_ptr + row, tl.max(x, 0));
  }
};

// z[i, j] = x[i, j] - max[i]
struct row_subtract_kernel {
  void operator()(auto& tl, ptr auto z_ptr, ptr auto x_ptr, ptr auto max_ptr, int_ auto row_stride, int_ auto n_cols,
                  constexpr_ auto BLOCK_SIZE) const {
    auto row = tl.program_id(0);
    auto cols = tl.arange(0, BLOCK_SIZE);
    auto mask = cols < n_cols;
    auto x = tl.load(x_ptr + row * row_stride + cols, {.mask = mask});
    tl.store(z_ptr + row * row_stride + cols, x - tl.load(max_ptr + row), {.mask = mask});
  }
};

// numerator[i] = exp(z[i]), over all elements
struct exp_kernel {
  void operator()(auto& tl, ptr auto numerator_ptr, ptr auto z_ptr, int_ auto n, constexpr_ auto BLOCK_SIZE) const {
    auto offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE);
    auto mask = offsets < n;
    tl.store(numerator_ptr + offsets, tl.exp(tl.load(z_ptr + offsets, {.mask = mask})), {.mask = mask});
  }
};

// denominator[i] = sum over j of numerator[i, j]
struct row_sum_kernel {
  void operator()(auto& tl, ptr auto denominator_ptr, ptr auto numerator_ptr, int_ auto row_stride, int_ auto n_cols,
                  constexpr_ auto BLOCK_SIZE) const {
    auto row = tl.program_id(0);
    auto cols = tl.arange(0, BLOCK_SIZE);
    auto numerator = tl.load(numerator_ptr + row * row_stride + cols, {.mask = cols < n_cols, .other = 0});
    tl.store(denominator_ptr + row, tl.sum(numerator, 0));
  }
};

// y[i, j] = numerator[i, j] / denominator[i]
struct row_divide_kernel {
  void operator()(auto& tl, ptr auto y_ptr, ptr auto numerator_ptr, ptr auto denominator_ptr, int_ auto row_stride,
                  int_ auto n_cols, constexpr_ auto BLOCK_SIZE) const {
    auto row = tl.program_id(0);
    auto cols = tl.arange(0, BLOCK_SIZE);
    auto mask = cols < n_cols;
    auto numerator = tl.load(numerator_ptr + row * row_stride + cols, {.mask = mask});
    tl.store(y_ptr + row * row_stride + cols, numerator / tl.load(denominator_ptr + row), {.mask = mask});
  }
};

}  // namespace tl::kernels
