// Rows longer than a block, for softmax: heights that f32's exp does not reach, maxima that come first, last, or rise
// all the way; and what a loop over their blocks may compute instead.
#pragma once

#include <vector>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

// A kernel that takes the largest from x, or the largest and the sum's logarithm at once, or brings both to powers of 2
// first, rounds numbers as large as the largest |x|, at most twice; exp makes that a relative error.
inline problems::Tolerance softmax_tolerance(double largest) { return {1e-30, 5e-6 + largest * 0x1p-23}; }

struct SoftmaxRows {
  std::int64_t rows, cols, block_rows, block_cols, padding = 0;  // sentinels behind each row
  bool is_far = false;  // around 300 and -1000, where f32 has few digits left for differences; else within 128

  Tensor input() const;
  std::function<double(std::int64_t element)> value(const Tensor& x) const;
  std::vector<Slip> slips(const Tensor& x) const;
  problems::Tolerance tolerance() const { return softmax_tolerance(is_far ? 1200 : 128); }
};

// Of the puzzles on long rows: z[m, n] by blocks of BM x BN, each element of x loaded so often.
std::vector<Trial> softmax_puzzle_trials(const Kernel& kernel, int loads);
Trial softmax_puzzle_by_chance(const Kernel& kernel, int loads, Chance& c);

}  // namespace tl::lessons
