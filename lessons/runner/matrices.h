// Matrices for the lessons on C = A B: numbers whose sums f32 holds exactly in any order, so that an element is right
// or wrong; rows padded.
#pragma once

#include <vector>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

struct MatrixSizes {
  std::int64_t m, n, k, bm, bn, bk, group = 0;  // group: of kernels that take one
};

// How a, b and c lie in memory: row after row, column after column, or with a gap behind every element, so that no
// stride is 1.
enum class MatrixLayout { rows, columns, gaps };
// What they hold: small whole numbers, to be read; or on one side 13 significant bits, fractions among them, which f16,
// tf32 and integers do not hold.
enum class MatrixValues { small, wide_a, wide_b };

class Matrices {
 public:
  // `padding`: sentinels behind each row, or column, of a, b and c.
  Matrices(const MatrixSizes& sizes, std::int64_t padding, MatrixLayout layout = MatrixLayout::rows,
           MatrixValues values = MatrixValues::small);
  // a, b, c, m, n, k, their six strides, bm, bn, bk and, where there is one, group.
  std::vector<Argument> arguments() const;
  // All but the launch.
  Trial trial(bool on_gpu) const;

 private:
  MatrixSizes z_;
  Tensor a_, b_, c_;
};

// Different blocks of A and B, bm x bk and bk x bn, that programs first .. last load.
std::int64_t distinct_blocks(const Observed& observed, const MatrixSizes& sizes, const Tensor& a, const Tensor& b,
                             std::int64_t first, std::int64_t last);

}  // namespace tl::lessons
