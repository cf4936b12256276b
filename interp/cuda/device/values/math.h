// Elementary functions. Ints become fp32; narrow floats compute in fp32 and round once.
//
// exp2 is the chip's own instruction: 2 ulp, results under 2^-126 become 0. The others are CUDA's: exp, log2 2 ulp, log
// 1, erf 2, sqrt rounded to nearest, rsqrt 2; sin and cos 2 after a reduction in double precision, for |x| up to 2^50.
#pragma once

#include "interp/cuda/device/values/elementwise.h"
#include "interp/lang/philox.h"

namespace tl {
namespace detail {

template <class F, class X>
__forceinline__ auto math(const X& x) {
  if constexpr (is_literal<X>) {
    return math<F>(Scalar<float>{convert<float>(plain(x))});
  } else {
    using From = typename X::element;
    using R = storage_of<math_dtype(dtype_of<From>)>;
    using T = choice<same<R, double>, double, float>;
    return map<R>(x, [](From v) { return convert<R>(F::apply(convert<T>(v))); });
  }
}

// x minus the nearest multiple of pi / 2, and which multiple: Payne and Hanek are not needed below 2^50.
__forceinline__ float reduced_angle(float x, int& quadrant) {
  const double n = rint(static_cast<double>(x) * 0.63661977236758134308);
  quadrant = static_cast<int>(static_cast<long long>(n));
  return static_cast<float>(fma(n, -6.123233995736766e-17, fma(n, -1.5707963267948966, static_cast<double>(x))));
}
// On [-pi/4, pi/4]: minimax polynomials as in Cephes (S. Moshier).
__forceinline__ float sine_kernel(float r) {
  const float s = r * r;
  return fmaf(fmaf(fmaf(-1.9515295891e-4f, s, 8.3321608736e-3f), s, -1.6666654611e-1f) * s, r, r);
}
__forceinline__ float cosine_kernel(float r) {
  const float s = r * r;
  return fmaf(fmaf(fmaf(2.443315711809948e-5f, s, -1.388731625493765e-3f), s, 4.166664568298827e-2f), s * s,
              fmaf(s, -0.5f, 1.0f));
}
__forceinline__ float sine(float x, int shift) {
  int q;
  const float r = reduced_angle(x, q);
  q += shift;
  const float y = q & 1 ? cosine_kernel(r) : sine_kernel(r);
  return q & 2 ? -y : y;
}

struct Exp {
  static __forceinline__ float apply(float x) { return expf(x); }
  static __forceinline__ double apply(double x) { return exp(x); }
};
struct Exp2 {
  static __forceinline__ float apply(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
  static __forceinline__ double apply(double x) { return exp2(x); }
};
struct Log {
  static __forceinline__ float apply(float x) { return logf(x); }
  static __forceinline__ double apply(double x) { return log(x); }
};
struct Log2 {
  static __forceinline__ float apply(float x) { return log2f(x); }
  static __forceinline__ double apply(double x) { return log2(x); }
};
struct Sqrt {
  static __forceinline__ float apply(float x) { return sqrtf(x); }
  static __forceinline__ double apply(double x) { return sqrt(x); }
};
struct Rsqrt {
  static __forceinline__ float apply(float x) { return rsqrtf(x); }
  static __forceinline__ double apply(double x) { return rsqrt(x); }
};
struct Sin {
  static __forceinline__ float apply(float x) { return sine(x, 0); }
  static __forceinline__ double apply(double x) { return sin(x); }
};
struct Cos {
  static __forceinline__ float apply(float x) { return sine(x, 1); }
  static __forceinline__ double apply(double x) { return cos(x); }
};
struct Sigmoid {
  static __forceinline__ float apply(float x) { return 1.0f / (1.0f + expf(-x)); }
  static __forceinline__ double apply(double x) { return 1.0 / (1.0 + exp(-x)); }
};
struct Erf {
  static __forceinline__ float apply(float x) { return erff(x); }
  static __forceinline__ double apply(double x) { return erf(x); }
};
struct Floor {
  static __forceinline__ float apply(float x) { return floorf(x); }
  static __forceinline__ double apply(double x) { return floor(x); }
};
struct Ceil {
  static __forceinline__ float apply(float x) { return ceilf(x); }
  static __forceinline__ double apply(double x) { return ceil(x); }
};

// Word by word: of a product of 64 bits NVRTC makes 64-bit arithmetic of all that follows.
struct WordMultiply {
  __forceinline__ PhiloxProduct operator()(PhiloxWord a, PhiloxWord b) const { return {__umulhi(a, b), a * b}; }
};

template <class Seed, class I>
__forceinline__ PhiloxCounter random_bits(Seed seed, I offset) {
  const auto high = sizeof(I) == 8 ? static_cast<PhiloxWord>(static_cast<unsigned long long>(offset) >> 32) : 0u;
  return philox(static_cast<unsigned long long>(static_cast<long long>(seed)), static_cast<PhiloxWord>(offset), high,
                WordMultiply{});
}

}  // namespace detail

template <class X>
__forceinline__ auto magnitude(const X& x) {
  using T = typename bare<decltype(detail::valued(x))>::element;
  return map<T>(detail::valued(x), [](T v) {
    if constexpr (is_narrow_storage<T>) return from_float<T>(fabsf(to_float(v)));
    else if constexpr (same<T, float>) return fabsf(v);
    else if constexpr (same<T, double>) return fabs(v);
    else return v < T(0) ? ops::wrapped_difference(T(0), v) : v;
  });
}

// a b + c, rounded once.
template <class A, class B, class C>
__forceinline__ auto fused_multiply_add(const A& a, const B& b, const C& c) {
  const auto product = binary<ops::Multiply>(a, b);  // its shape, layout and dtype
  const auto like = binary<ops::Add>(product, c);
  using X = bare<decltype(like)>;
  using R = typename X::element;
  static_assert(is_float(dtype_of<R>), "tl.fma takes floats: write x * y + z for integers");
  using T = choice<is_narrow_storage<R>, float, R>;
  auto apply = [](T x, T y, T z) {
    if constexpr (same<T, float>) return fmaf(x, y, z);
    else return ::fma(x, y, z);
  };
  if constexpr (is_scalar<X>) {
    return Scalar<R>{convert<R>(apply(convert<T>(plain(a)), convert<T>(plain(b)), convert<T>(plain(c))))};
  } else {
    using S = typename X::shape_type;
    using L = typename X::layout;
    const auto x = spread<T, S, L>(a);
    const auto y = spread<T, S, L>(b);
    const auto z = spread<T, S, L>(c);
    X out;
#pragma unroll
    for (int r = 0; r < out.count; ++r) out.v[r] = convert<R>(apply(x.v[r], y.v[r], z.v[r]));
    return out;
  }
}

}  // namespace tl
