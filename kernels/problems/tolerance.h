// How far a right result may be from the double reference. Every figure is derived here, none is fitted.
#pragma once

#include <cmath>

#include "kernels/problems/problem.h"

namespace tl::problems {

// Rounding to nearest changes x by at most this times |x| (2^-p, p significant bits) ...
constexpr double unit_roundoff(DType d) {
  switch (d) {
    case DType::float64: return 0x1p-53;
    case DType::float32: return 0x1p-24;
    case DType::float16: return 0x1p-11;
    case DType::bfloat16: return 0x1p-8;
    case DType::float8e4nv: return 0x1p-4;
    case DType::float8e5: return 0x1p-3;
    default: return 0;
  }
}
// ... or, among the subnormals, by at most half their spacing.
constexpr double half_subnormal(DType d) {
  switch (d) {
    case DType::float16: return 0x1p-25;
    case DType::float8e4nv: return 0x1p-10;
    case DType::float8e5: return 0x1p-17;
    default: return 0;  // bf16, f32: below 2^-134, nothing here comes near
  }
}
inline constexpr double tf32_roundoff = 0x1p-11, tf32_truncation = 0x1p-10;

// A value that was right within `before` and is then rounded to `d`.
constexpr Tolerance stored_as(DType d, Tolerance before) {
  const double u = unit_roundoff(d);
  return {before.absolute * (1 + u) + half_subnormal(d), before.relative * (1 + u) + u};
}

// sum over l of a[l] b[l] with k terms, a and b uniform in [-1, 1], accumulated in f32. A product has deviation 1/3, so
// the running sum stays below S = 4 sqrt(k) / 3. Rounding to nearest: k errors of at most u S, of random sign,
// deviation u S / sqrt(3): 6 deviations of their sum are 6 sqrt(k) u S / sqrt(3) = 4.6 u k. Tensor cores truncate
// instead, once for each 16 terms, by at most 2 u S, always toward zero: k / 16 * 2 u S.
inline double dot_error(std::int64_t k, bool tensor_cores) {
  const double u = unit_roundoff(DType::float32), terms = static_cast<double>(k);
  return 4.6 * u * terms + (tensor_cores ? terms / 16 * 2 * u * (4 * std::sqrt(terms) / 3) : 0.0);
}
// The same with inputs rounded to tf32: a product's relative error has a deviation of at most sqrt(2) 2^-11 / sqrt(3) =
// 4e-4, its size 1/3; 6 deviations of k of them: 8e-4 sqrt(k).
inline double tf32_dot_error(std::int64_t k) { return 8e-4 * std::sqrt(static_cast<double>(k)) + dot_error(k, true); }

// The same with inputs truncated to tf32, as Hopper's tensor cores do that read f32 tiles where the copy engine put
// them. An input's relative error lies in [0, 2^-10], always toward zero: the sum of two has a root mean square of at
// most sqrt(2 / 3 + 2 / 4) 2^-10 = 1.06e-3, times the product's size, 1/3, and with its sign, which is random; 6
// deviations of k of them: 2.1e-3 sqrt(k).
inline double truncated_tf32_dot_error(std::int64_t k) {
  return 2.1e-3 * std::sqrt(static_cast<double>(k)) + dot_error(k, true);
}

// fp8 inputs on Hopper's tensor cores, which keep 13 bits of a sum's fraction. A step of 32 terms cuts each product,
// and the sum twice, by at most 2^-13 S toward zero: the sum's cuts add up, k / 32 * 2; the products' have random
// signs, 6 deviations of k of them, each of at most 1 / sqrt(3): 3.5 sqrt(k).
inline double fp8_dot_error(std::int64_t k) {
  const double terms = static_cast<double>(k);
  return 0x1p-13 * (4 * std::sqrt(terms) / 3) * (terms / 16 + 3.5 * std::sqrt(terms)) + dot_error(k, true);
}

}  // namespace tl::problems
