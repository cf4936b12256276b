#include "lessons/runner/matrices.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "kernels/problems/build.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons {

namespace {

Tensor matrix(const char* name, std::int64_t rows, std::int64_t cols, std::int64_t padding, MatrixLayout layout) {
  switch (layout) {
    case MatrixLayout::columns: return strided(name, DType::float32, rows, cols, 1, rows + padding);
    case MatrixLayout::gaps: return strided(name, DType::float32, rows, cols, 2 * (cols + padding), 2);
    default: return padded(name, DType::float32, rows, cols, cols + padding);
  }
}

// Odd numbers of 13 bits over 16.
double wide(std::int64_t i) { return static_cast<double>(scrambled(i, 12) * 2 + 1) / 16; }

}  // namespace

Matrices::Matrices(const MatrixSizes& z, std::int64_t padding, MatrixLayout layout, MatrixValues values)
    : z_(z),
      a_(matrix("a", z.m, z.k, padding, layout)),
      b_(matrix("b", z.k, z.n, padding, layout)),
      c_(matrix("c", z.m, z.n, padding, layout)) {
  constexpr double sentinel = 1e6;
  fill_coded(a_, sentinel, [=](std::int64_t i) {
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
  t.instance.reference_at = problems::reference_by_element([z = z_, a = a_, b = b_](std::int64_t i) {
    double sum = 0;
    for (std::int64_t l = 0; l < z.k; ++l)
      sum += get(a, i / z.n * a.strides[0] + l * a.strides[1]) * get(b, l * b.strides[0] + i % z.n * b.strides[1]);
    return sum;
  });
  t.instance = problems::complete(std::move(t.instance));
  return t;
}

std::int64_t distinct_blocks(const Observed& o, const MatrixSizes& z, const Tensor& a, const Tensor& b,
                             std::int64_t first, std::int64_t last) {
  std::int64_t different = 0;
  const auto count = [&](const Tensor& t, std::int64_t rows, std::int64_t cols) {
    std::set<std::pair<std::int64_t, std::int64_t>> seen;
    o.for_each_access(t.name, [&](std::int64_t program, const trace::RecordedAccess& access, const Site&) {
      if (access.writes() || program < first || program > last) return;
      trace::for_each_active_lane(access, [&](std::int64_t, std::int64_t e, std::int64_t) {
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
