// Rows longer than a block, for softmax: heights that f32's exp does not reach, maxima that come first, last, or rise
// all the way; and what a loop over their blocks may compute instead.
#pragma once

#include <vector>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

struct SoftmaxRows {
  std::int64_t rows, cols, block_rows, block_cols, padding = 0;  // sentinels behind each row

  Tensor input() const;
  std::function<double(std::int64_t element)> value(const Tensor& x) const;
  std::vector<Slip> slips(const Tensor& x) const;
  static problems::Tolerance tolerance() { return {1e-30, 1e-5}; }  // exp of a difference takes its rounding along
};

// Of the puzzles on long rows: z[m, n] by blocks of BM x BN, each element of x loaded so often.
std::vector<Trial> softmax_puzzle_trials(const Kernel& kernel, int loads);

}  // namespace tl::lessons
