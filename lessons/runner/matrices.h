// Matrices for the lessons on C = A B: small whole numbers, coded by index, so that every sum is exact in any order; rows padded.
#pragma once

#include <vector>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

struct MatrixSizes {
  std::int64_t m, n, k, bm, bn, bk, group = 0;  // group: of kernels that take one
};

class Matrices {
 public:
  // `padding`: sentinels behind each row of a, b and c.
  Matrices(const MatrixSizes& sizes, std::int64_t padding);
  // a, b, c, m, n, k, their six strides, bm, bn, bk and, where there is one, group.
  std::vector<Argument> arguments() const;
  // All but the launch.
  Trial trial(bool on_gpu) const;

 private:
  MatrixSizes z_;
  Tensor a_, b_, c_;
};

// Each element of A is loaded once a block of columns, each of B once a block of rows: what tiles are for.
std::optional<Finding> each_element_once_a_block(const Observed& observed, const MatrixSizes& sizes);

// Different blocks of A and B, bm x bk and bk x bn, that programs first .. last load.
std::int64_t distinct_blocks(const Observed& observed, const MatrixSizes& sizes, std::int64_t a_stride, std::int64_t b_stride, std::int64_t first, std::int64_t last);

}  // namespace tl::lessons
