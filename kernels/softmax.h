// Fused softmax: a program normalizes every num_programs-th row.  y = exp(x - max x) / sum exp(x - max x)
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct softmax_kernel {
  void operator()(auto& tl, ptr auto output_ptr, ptr auto input_ptr, int_ auto input_row_stride,
                  int_ auto output_row_stride, int_ auto n_rows, int_ auto n_cols, constexpr_ auto BLOCK_SIZE,
                  constexpr_ auto num_stages) const {
    auto row_start = tl.program_id(0);
    auto row_step = tl.num_programs(0);
    for (auto row_idx : tl.range(row_start, n_rows, row_step, {.num_stages = num_stages})) {
      auto row_start_ptr = input_ptr + row_idx * input_row_stride;
      // the block is the next power of two of n_cols: a row fits in one block, with a mask
      auto col_offsets = tl.arange(0, BLOCK_SIZE);
      auto mask = col_offsets < n_cols;
      auto row = tl.load(row_start_ptr + col_offsets, {.mask = mask, .other = -inf});
      // without the maximum, exp would overflow
      auto row_minus_max = row - tl.max(row, 0);
      auto numerator = tl.exp(row_minus_max);
      auto denominator = tl.sum(numerator, 0);
      auto softmax_output = numerator / denominator;
      auto output_row_start_ptr = output_ptr + row_idx * output_row_stride;
      tl.store(output_row_start_ptr + col_offsets, softmax_output, {.mask = mask});
    }
  }
};

}  // namespace tl::kernels
