#include "interp/case/tolerances.h"

#include <algorithm>
#include <cmath>

#include "kernels/problems/tolerance.h"

namespace tl::cases {

namespace {

// For arithmetic in the dtype, in another order: the defaults of torch.testing.assert_close.
problems::Tolerance usual_tolerance(DType t) {
  switch (t) {
    case DType::float64: return {1e-7, 1e-7};
    case DType::float32: return {1e-5, 1.3e-6};
    case DType::float16: return {1e-5, 1e-3};
    case DType::bfloat16: return {1e-5, 1.6e-2};
    case DType::float8e4nv: return {1e-2, 0.13};
    case DType::float8e5: return {1e-2, 0.26};
    default: return {0, 0};
  }
}

// Sums of products differ by far more, and those of f32 as tf32: kernels/problems/tolerance.h says how far, of inputs
// uniform in [-1, 1]. Normal ones' products are three times as large.
void allow_for_products(problems::Instance& instance, const Functor& functor) {
  std::int64_t longest = 1;
  bool has_f32 = false;
  for (const Tensor& t : instance.inputs) {
    for (const std::int64_t n : t.shape) longest = std::max(longest, n);
    has_f32 |= t.dtype == DType::float32;
  }
  const bool is_tf32 = has_f32 && !functor.is_ieee && !functor.splits_f32;
  instance.truncated_tolerances = instance.tolerances;
  for (std::size_t i = 0; i < instance.outputs.size(); ++i) {
    const auto allow = [&](problems::Tolerance& t, double error) {
      t = problems::stored_as(instance.outputs[i].dtype, {t.absolute + 3 * error, t.relative});
    };
    allow(instance.tolerances[i],
          is_tf32 ? problems::tf32_dot_error(longest) : problems::dot_error(longest, !functor.is_ieee));
    allow(instance.truncated_tolerances[i],
          is_tf32 ? problems::truncated_tf32_dot_error(longest) : problems::fp8_dot_error(longest));
  }
}

// The root mean square of a tensor's first elements.
double size_of_elements(const Tensor& t) {
  const std::int64_t n = std::min<std::int64_t>(t.elems(), 4096);
  double squares = 0;
  for (std::int64_t i = 0; t.holds_data && i < n; ++i) squares += std::pow(get(t, offset_of(t, i)), 2);
  return n > 0 ? std::sqrt(squares / static_cast<double>(n)) : 0;
}

// A sum of k terms of size r, of random sign, added in f32 one after the other: kernels/problems/tolerance.h has
// 4.6 u k for terms of size 1/3. Those of one sign have a sum k r, whose k errors of random sign come to 3.5 sqrt(k) u
// of it.
void allow_for_sums(problems::Instance& instance) {
  const auto elems = [](const Tensor& t) { return t.elems(); };
  const auto largest = std::ranges::max_element(instance.inputs, {}, elems);
  if (largest == instance.inputs.end() || !is_float(largest->dtype)) return;
  const double size = size_of_elements(*largest);
  for (std::size_t i = 0; i < instance.outputs.size(); ++i) {
    const DType t = instance.outputs[i].dtype;
    const auto terms = static_cast<double>(largest->elems() / std::max<std::int64_t>(instance.outputs[i].elems(), 1));
    if (!is_float(t) || terms < 2) continue;
    const double u = problems::unit_roundoff(t == DType::float64 ? t : DType::float32);
    problems::Tolerance& usual = instance.tolerances[i];
    const problems::Tolerance summed = problems::stored_as(t, {3 * 4.6 * u * terms * size, 3.5 * u * std::sqrt(terms)});
    usual = {std::max(usual.absolute, summed.absolute), std::max(usual.relative, summed.relative)};
  }
}

}  // namespace

void set_usual_tolerances(problems::Instance& instance, const Functor& functor, const std::string& expect) {
  instance.tolerances.clear();
  for (const Tensor& t : instance.outputs) instance.tolerances.push_back(usual_tolerance(t.dtype));
  const auto says = [&](const char* part) { return expect.find(part) != std::string::npos; };
  if (functor.multiplies) allow_for_products(instance, functor);
  else if (says("sum(") && !says("/")) allow_for_sums(instance);  // a mean is smaller than its sum, and so is its error
}

}  // namespace tl::cases
