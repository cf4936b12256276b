#include "lessons/runner/matrices.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "interp/lang/swizzle.h"
#include "kernels/problems/build.h"
#include "lessons/runner/puzzle.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons {

namespace {

DType dtype_of(MatrixValues values) {
  return values == MatrixValues::in_f16    ? DType::float16
         : values == MatrixValues::in_bf16 ? DType::bfloat16
                                           : DType::float32;
}

Tensor matrix(const char* name, std::int64_t rows, std::int64_t cols, std::int64_t padding, MatrixLayout layout,
              DType dtype) {
  switch (layout) {
    case MatrixLayout::columns: return strided(name, dtype, rows, cols, 1, rows + padding);
    case MatrixLayout::gaps: return strided(name, dtype, rows, cols, 2 * (cols + padding), 2);
    default: return padded(name, dtype, rows, cols, cols + padding);
  }
}

// Odd numbers of 13 bits over 16.
double wide(std::int64_t i) { return static_cast<double>(scrambled(i, 12) * 2 + 1) / 16; }

// What a matrix of that dtype holds of a sum.
double stored(DType dtype, double sum) {
  if (dtype == DType::float32) return sum;  // exact
  const Tensor one = make_tensor("c", dtype, {1});
  set(one, 0, sum);
  return get(one, 0);
}

}  // namespace

Matrices::Matrices(const MatrixSizes& z, std::int64_t padding, MatrixLayout layout, MatrixValues values)
    : z_(z),
      a_(matrix("a", z.m, z.k, padding, layout, dtype_of(values))),
      b_(matrix("b", z.k, z.n, padding, layout, dtype_of(values))),
      c_(matrix("c", z.m, z.n, padding, layout, dtype_of(values))) {
  const double sentinel = dtype_of(values) == DType::float16 ? 6e4 : 1e6;
  fill_coded(a_, sentinel, [=](std::int64_t i) {
    if (values == MatrixValues::in_f16) return static_cast<double>(scrambled(i, 10) * 2 + 1) / 4;
    if (values == MatrixValues::in_bf16) return static_cast<double>(scrambled(i, 7) * 2 + 1);
    return values == MatrixValues::wide_a ? wide(i) : static_cast<double>((scrambled(i, 16) & 1023) % 11 - 5);
  });
  fill_coded(b_, sentinel, [=](std::int64_t i) {
    return values == MatrixValues::wide_b ? wide(i) : static_cast<double>((scrambled(i + 9000, 16) & 1023) % 13 - 6);
  });
}

std::vector<Argument> Matrices::arguments() const {
  using problems::constant, problems::integer;
  std::vector<Argument> all{TensorArgument{a_},     TensorArgument{b_},     TensorArgument{c_},
                            integer(z_.m),          integer(z_.n),          integer(z_.k),
                            integer(a_.strides[0]), integer(a_.strides[1]), integer(b_.strides[0]),
                            integer(b_.strides[1]), integer(c_.strides[0]), integer(c_.strides[1]),
                            constant(z_.bm),        constant(z_.bn),        constant(z_.bk)};
  if (z_.group > 0) all.push_back(constant(z_.group));
  return all;
}

Trial Matrices::trial(bool on_gpu) const {
  Trial t{.sizes = {{"m", z_.m}, {"n", z_.n}, {"k", z_.k}, {"bm", z_.bm}, {"bn", z_.bn}, {"bk", z_.bk}},
          .allowed_loads = {{"a", problems::cdiv(z_.n, z_.bn)}, {"b", problems::cdiv(z_.m, z_.bm)}},
          .share = z_.bm * z_.bn,
          .on_gpu = on_gpu};
  if (z_.group > 0) t.sizes.emplace_back("group", z_.group);
  t.instance.inputs = {a_, b_};
  t.instance.outputs = {c_};
  t.instance.tolerances = {{0, 0}};  // no sum needs more than 24 bits
  t.instance.reference_at = computed_once(
      [z = z_, a = a_, b = b_, c = c_](std::int64_t i) {
        double sum = 0;
        for (std::int64_t l = 0; l < z.k; ++l)
          sum += get(a, i / z.n * a.strides[0] + l * a.strides[1]) * get(b, l * b.strides[0] + i % z.n * b.strides[1]);
        return stored(c.dtype, sum);
      },
      c_.elems());
  t.instance = problems::complete(std::move(t.instance));
  return t;
}

namespace {

// Rows and columns that programs first .. last take in a grouped order: of columns instead of rows, from the end.
std::int64_t grouped_lines(std::int64_t rows, std::int64_t columns, std::int64_t group, std::int64_t first,
                           std::int64_t last, bool of_columns, bool from_end) {
  std::set<std::int64_t> of_a, of_b;
  const std::int64_t high = of_columns ? columns : rows, wide = of_columns ? rows : columns;
  for (std::int64_t p = first; p <= last; ++p) {
    const std::int64_t pid = from_end ? rows * columns - 1 - p : p;
    const auto [i, j] = swizzle2d(pid / wide, pid % wide, high, wide, group);
    of_a.insert(i);
    of_b.insert(j);
  }
  return std::ssize(of_a) + std::ssize(of_b);
}

}  // namespace

std::optional<Window> unshared_window(std::int64_t rows, std::int64_t columns, std::int64_t group,
                                      const std::function<std::int64_t(std::int64_t, std::int64_t)>& lines) {
  const std::int64_t all = rows * columns, together = std::min(group * group, all);
  std::vector<Window> windows;
  std::int64_t sum = 0, most = 0;
  for (std::int64_t first = 0; first < all; first += together) {
    const std::int64_t last = std::min(first + together, all) - 1;
    windows.push_back(
        {first, last, lines(first, last), grouped_lines(rows, columns, group, first, last, false, false)});
    sum += windows.back().lines;
  }
  if (windows.front().lines > windows.front().enough) return windows.front();
  for (const bool of_columns : {false, true})
    for (const bool from_end : {false, true}) {
      std::int64_t needed = 0;
      for (const Window& w : windows)
        needed += grouped_lines(rows, columns, group, w.first, w.last, of_columns, from_end);
      most = std::max(most, needed);
    }
  if (10 * sum <= 11 * most) return std::nullopt;  // other good orders cut the windows elsewhere
  return *std::ranges::max_element(windows, {}, [](const Window& w) { return w.lines - w.enough; });
}

std::int64_t distinct_blocks(const Observed& o, const MatrixSizes& z, const Tensor& a, const Tensor& b,
                             std::int64_t first, std::int64_t last) {
  std::int64_t different = 0;
  const auto count = [&](const Tensor& t, std::int64_t rows, std::int64_t cols) {
    std::set<std::pair<std::int64_t, std::int64_t>> seen;
    o.for_each_access(t.name, [&](std::int64_t program, const trace::RecordedAccess& access, const Site&) {
      if (access.writes() || program < first || program > last) return;
      trace::for_each_active_lane(access, [&](std::int64_t, std::int64_t e) {
        const auto [i, j] = place_of(t, e);
        seen.emplace(i / rows, j / cols);
      });
    });
    different += std::ssize(seen);
  };
  count(a, z.bm, z.bk);
  count(b, z.bk, z.bn);
  return different;
}

}  // namespace tl::lessons
