// Softmax of rows of any width, a block of columns a step.  y = exp(x - max x) / sum exp(x - max x)
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct online_softmax_kernel {
  void operator()(auto& tl, ptr auto output_ptr, ptr auto input_ptr, int_ auto input_row_stride,
                  int_ auto output_row_stride, int_ auto n_rows, int_ auto n_cols, constexpr_ auto BLOCK_SIZE) const {
    auto last = (tl.cdiv(n_cols, BLOCK_SIZE) - 1) * BLOCK_SIZE;
    for (auto row_idx : tl.range(tl.program_id(0), n_rows, tl.num_programs(0))) {
      auto row_start_ptr = input_ptr + row_idx * input_row_stride;
      auto largest = tl.scalar(-inf, tl.float32);
      auto denominator = tl.scalar(0.0, tl.float32);
      for (auto start : tl.range(0, n_cols, BLOCK_SIZE)) {
        auto cols = start + tl.arange(0, BLOCK_SIZE);
        auto block =
            tl.load(row_start_ptr + cols, {.mask = cols < n_cols, .other = -inf, .eviction_policy = "evict_last"});
        // what was summed so far is measured from the old maximum
        auto next = tl.maximum(largest, tl.max(block, 0));
        denominator = denominator * tl.exp(largest - next) + tl.sum(tl.exp(block - next), 0);
        largest = next;
      }
      // from the row's end to its start: what was read last is still in cache, and will not be read again
      auto output_row_start_ptr = output_ptr + row_idx * output_row_stride;
      for (auto back : tl.range(0, n_cols, BLOCK_SIZE)) {
        auto cols = last - back + tl.arange(0, BLOCK_SIZE);
        auto mask = cols < n_cols;
        auto block = tl.load(row_start_ptr + cols, {.mask = mask, .other = -inf, .eviction_policy = "evict_first"});
        tl.store(output_row_start_ptr + cols, tl.exp(block - largest) / denominator,
                 {.mask = mask, .eviction_policy = "evict_first"});
      }
    }
  }
};

}  // namespace tl::kernels
