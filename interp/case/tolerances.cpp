#include "interp/case/tolerances.h"

#include <algorithm>

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

}  // namespace

void set_usual_tolerances(problems::Instance& instance, const Functor& functor) {
  instance.tolerances.clear();
  for (const Tensor& t : instance.outputs) instance.tolerances.push_back(usual_tolerance(t.dtype));
  if (functor.multiplies) allow_for_products(instance, functor);
}

}  // namespace tl::cases
