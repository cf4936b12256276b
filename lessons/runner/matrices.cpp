#include "lessons/runner/matrices.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "kernels/problems/build.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons {

Matrices::Matrices(const MatrixSizes& z, std::int64_t padding)
    : z_(z), a_(padded("a", DType::float32, z.m, z.k, z.k + padding)), b_(padded("b", DType::float32, z.k, z.n, z.n + padding)), c_(padded("c", DType::float32, z.m, z.n, z.n + padding)) {
  constexpr double sentinel = 1e6;
  fill_coded(a_, sentinel, [k = z.k](std::int64_t i) { return static_cast<double>((i / k * 3 + i % k * 7) % 11 - 5); });
  fill_coded(b_, sentinel, [n = z.n](std::int64_t i) { return static_cast<double>((i / n * 5 + i % n * 2) % 13 - 6); });
}

std::vector<Argument> Matrices::arguments() const {
  using problems::constant, problems::integer;
  std::vector<Argument> all{TensorArgument{a_}, TensorArgument{b_}, TensorArgument{c_}, integer(z_.m), integer(z_.n), integer(z_.k),
                            integer(a_.strides[0]), integer(1), integer(b_.strides[0]), integer(1), integer(c_.strides[0]), integer(1),
                            constant(z_.bm), constant(z_.bn), constant(z_.bk)};
  if (z_.group > 0) all.push_back(constant(z_.group));
  return all;
}

Trial Matrices::trial(bool on_gpu) const {
  Trial t{.sizes = {{"m", z_.m}, {"n", z_.n}, {"k", z_.k}, {"bm", z_.bm}, {"bn", z_.bn}, {"bk", z_.bk}}, .on_gpu = on_gpu};
  if (z_.group > 0) t.sizes.emplace_back("group", z_.group);
  t.instance.inputs = {a_, b_};
  t.instance.outputs = {c_};
  t.instance.tolerances = {{0, 0}};  // whole numbers below 2^24
  t.instance.reference_at = problems::reference_by_element([z = z_, a = a_, b = b_](std::int64_t i) {
    double sum = 0;
    for (std::int64_t l = 0; l < z.k; ++l) sum += get(a, i / z.n * a.strides[0] + l) * get(b, l * b.strides[0] + i % z.n);
    return sum;
  });
  t.instance = problems::complete(std::move(t.instance));
  return t;
}

std::optional<Finding> each_element_once_a_block(const Observed& o, const MatrixSizes& z) {
  const std::int64_t a = o.count("a").loaded, b = o.count("b").loaded, c = o.count("c").stored;
  const std::int64_t want_a = z.m * z.k * problems::cdiv(z.n, z.bn), want_b = z.k * z.n * problems::cdiv(z.m, z.bm);
  if (a == want_a && b == want_b && c == z.m * z.n) return std::nullopt;
  return Finding{fmt::format("C is right, but more moves than must: {} loads of A and {} of B where {} and {} suffice, {} stores for {} elements", a, b, want_a, want_b, c, z.m * z.n), "",
                 "each step loads one block of A and one of B, once"};
}

std::int64_t distinct_blocks(const Observed& o, const MatrixSizes& z, std::int64_t a_stride, std::int64_t b_stride, std::int64_t first, std::int64_t last) {
  std::set<std::pair<std::int64_t, std::int64_t>> a_blocks, b_blocks;
  const auto visit = [&](const char* name, auto& seen, std::int64_t stride, std::int64_t rows, std::int64_t cols) {
    o.for_each_access(name, [&](std::int64_t program, const trace::RecordedAccess& a, const Site&) {
      if (a.writes() || program < first || program > last) return;
      trace::for_each_active_lane(a, [&](std::int64_t, std::int64_t e, std::int64_t) { seen.emplace(e / stride / rows, e % stride / cols); });
    });
  };
  visit("a", a_blocks, a_stride, z.bm, z.bk);
  visit("b", b_blocks, b_stride, z.bk, z.bn);
  return std::ssize(a_blocks) + std::ssize(b_blocks);
}

}  // namespace tl::lessons
