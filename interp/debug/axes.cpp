#include "interp/debug/axes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "interp/debug/arithmetic.h"
#include "interp/lang/promotion.h"

namespace tl::debug {

namespace {

// The last two axes, and how many such matrices there are.
struct Matrices {
  std::int64_t count, rows, columns;
  explicit Matrices(const Array& a) : rows(a.shape.end()[-2]), columns(a.shape.end()[-1]) {
    count = rows * columns > 0 ? a.elems() / (rows * columns) : 0;
  }
};

}  // namespace

Array dot(const Array& a, const Array& b) {
  if (a.shape.size() < 2 || b.shape.size() != a.shape.size() || a.shape.end()[-1] != b.shape.end()[-2] ||
      !std::equal(a.shape.begin(), a.shape.end() - 2, b.shape.begin()))
    throw Error(fmt::format("a product takes m x k and k x n, not {} and {}", fmt::join(a.shape, " x "),
                            fmt::join(b.shape, " x ")),
                "of `b` stored n x k, a @ b.T; slices as in x[0:4, :]");
  const DType t = promote(a.dtype, b.dtype);
  const Matrices of_a(a), of_b(b);
  const std::int64_t m = of_a.rows, k = of_a.columns, n = of_b.columns;
  std::vector<double> right;  // what is read along rows is kept as doubles
  for (const Number v : b.data) right.push_back(cast(v, b.dtype, DType::float64).real);
  Array result{t, false, a.shape, {}};
  result.shape.back() = n;
  std::vector<double> row(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < of_a.count * m; ++i) {
    end_if_stopped();
    std::ranges::fill(row, 0);
    for (std::int64_t l = 0; l < k; ++l) {
      const double left = cast(a.data[i * k + l], a.dtype, DType::float64).real;
      for (std::int64_t j = 0; j < n; ++j) row[j] += left * right[(i / m * k + l) * n + j];
    }
    for (const double v : row) result.data.push_back(cast({.real = v}, DType::float64, t));
  }
  return result;
}

Array transposed(const Array& a) {
  if (a.shape.size() < 2) throw Error("only two axes can be exchanged", "x[:, None] is a column of a row");
  const Matrices of(a);
  Array result = a;
  std::swap(result.shape.end()[-1], result.shape.end()[-2]);
  for (std::int64_t at = 0; at < of.count; ++at)
    for (std::int64_t i = 0; i < of.rows; ++i)
      for (std::int64_t j = 0; j < of.columns; ++j) {
        const std::int64_t from = (at * of.rows + i) * of.columns + j, to = (at * of.columns + j) * of.rows + i;
        result.data[to] = a.data[from];
        if (!a.unset.empty()) result.unset[to] = a.unset[from];
      }
  return result;
}

Array with_new_axes(Array a, const std::vector<bool>& is_new) {
  std::vector<std::int64_t> shape;
  std::size_t from = 0;
  for (const bool here : is_new) shape.push_back(here ? 1 : a.shape[from++]);
  shape.insert(shape.end(), a.shape.begin() + static_cast<std::ptrdiff_t>(from), a.shape.end());
  a.shape = std::move(shape);
  return a;
}

Array reduce(std::string_view function, const Array& a, std::int64_t axis) {
  const auto rank = static_cast<std::int64_t>(a.shape.size());
  if (axis < -rank || axis >= rank)
    throw Error(fmt::format("no axis {} of {}", axis, rank), "the axes are counted from 0");
  const auto at = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  Array result{function == "sum" ? sum_dtype(a.dtype) : max_dtype(a.dtype), false, a.shape, {}};
  result.shape.erase(result.shape.begin() + static_cast<std::ptrdiff_t>(at));
  std::int64_t inner = 1;
  for (std::size_t d = at + 1; d < a.shape.size(); ++d) inner *= a.shape[d];
  const std::int64_t extent = a.shape[at], outer = extent * inner > 0 ? a.elems() / (extent * inner) : 0;
  if (extent == 0 && function != "sum")
    throw Error(fmt::format("{} of nothing", function), "give the axis at least one element");
  Array line{a.dtype, false, {extent}, std::vector<Number>(static_cast<std::size_t>(extent))};
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t i = 0; i < inner; ++i) {
      for (std::int64_t e = 0; e < extent; ++e) line.data[e] = a.data[(o * extent + e) * inner + i];
      result.data.push_back(reduce(function, line).data[0]);
    }
  return result;
}

}  // namespace tl::debug
