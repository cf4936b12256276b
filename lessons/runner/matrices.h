// Matrices for the lessons on C = A B: numbers whose sums f32 holds exactly in any order, so that an element is right
// or wrong; rows padded.
#pragma once

#include <functional>
#include <optional>
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
// Or a, b and c in 16 bits, whose sums are whole numbers that 16 bits do not hold: rounded once, where c is stored.
enum class MatrixValues { small, wide_a, wide_b, in_f16, in_bf16 };

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

// Programs first .. last, and how many different rows of A and columns of B they take, and need to.
struct Window {
  std::int64_t first = 0, last = 0, lines = 0, enough = 0;
};
// C in rows x columns of work, taken in groups of `group` rows or, as well, of columns, from either end. Of the windows
// of group * group programs the first that takes more lines than the grouped order, or, where only their sum is larger
// than in any such order, the worst. `lines`: of programs first .. last.
std::optional<Window> unshared_window(std::int64_t rows, std::int64_t columns, std::int64_t group,
                                      const std::function<std::int64_t(std::int64_t, std::int64_t)>& lines);

}  // namespace tl::lessons
