// The functions that kernels use seldom, which are CUDA's own: their errors stand in its programming guide,
// "Mathematical Functions".
#pragma once

#include "interp/cuda/device/values/math.h"

namespace tl {
namespace detail {

#define TL_FUNCTION(NAME, F)                                         \
  struct NAME {                                                      \
    static __forceinline__ float apply(float x) { return F##f(x); }  \
    static __forceinline__ double apply(double x) { return ::F(x); } \
  };
TL_FUNCTION(Tanh, tanh)
TL_FUNCTION(Log1p, log1p)
TL_FUNCTION(Expm1, expm1)
TL_FUNCTION(Tan, tan)
TL_FUNCTION(Asin, asin)
TL_FUNCTION(Acos, acos)
TL_FUNCTION(Atan, atan)
TL_FUNCTION(Sinh, sinh)
TL_FUNCTION(Cosh, cosh)
TL_FUNCTION(Asinh, asinh)
TL_FUNCTION(Acosh, acosh)
TL_FUNCTION(Atanh, atanh)
TL_FUNCTION(Cbrt, cbrt)
TL_FUNCTION(Exp10, exp10)
TL_FUNCTION(Log10, log10)
TL_FUNCTION(Erfc, erfc)
TL_FUNCTION(Lgamma, lgamma)
TL_FUNCTION(Tgamma, tgamma)
TL_FUNCTION(Round, round)
TL_FUNCTION(Rint, rint)
TL_FUNCTION(Trunc, trunc)
TL_FUNCTION(BesselJ0, j0)
TL_FUNCTION(BesselJ1, j1)
TL_FUNCTION(BesselY0, y0)
TL_FUNCTION(BesselY1, y1)
TL_FUNCTION(BesselI0, cyl_bessel_i0)
TL_FUNCTION(BesselI1, cyl_bessel_i1)
#undef TL_FUNCTION
#define TL_FUNCTION(NAME, F)                                                      \
  struct NAME {                                                                   \
    static __forceinline__ float apply(float x, float y) { return F##f(x, y); }   \
    static __forceinline__ double apply(double x, double y) { return ::F(x, y); } \
  };
TL_FUNCTION(Pow, pow)
TL_FUNCTION(Atan2, atan2)
TL_FUNCTION(Fmod, fmod)
TL_FUNCTION(Copysign, copysign)
TL_FUNCTION(Hypot, hypot)
TL_FUNCTION(Fdim, fdim)
TL_FUNCTION(Nextafter, nextafter)
#undef TL_FUNCTION
struct Quotient {
  template <class T>
  static __forceinline__ T apply(T x, T y) {
    return x / y;
  }
};

// Integers join floats as fp32.
template <class A>
__forceinline__ auto as_real(const A& a) {
  if constexpr (is_literal<A>) return static_cast<float>(plain(a));
  else if constexpr (is_integer_storage<typename A::element>) return cast<DType::float32>(a);
  else return as_block(a);
}

template <class F, class A, class B>
__forceinline__ auto math_of_two(const A& a, const B& b) {
  if constexpr (is_literal<A> && is_literal<B>) {
    return math_of_two<F>(valued(a), b);
  } else {
    const auto x = as_real(a);
    const auto y = as_real(b);
    const auto like = binary<ops::Add>(x, y);  // its shape, layout and dtype
    using X = bare<decltype(like)>;
    using R = typename X::element;
    using T = choice<is_narrow_storage<R>, float, R>;
    if constexpr (is_scalar<X>) {
      return Scalar<R>{convert<R>(F::apply(convert<T>(convert<R>(plain(x))), convert<T>(convert<R>(plain(y)))))};
    } else {
      using S = typename X::shape_type;
      using L = typename X::layout;
      const auto left = spread<R, S, L>(x);
      const auto right = spread<R, S, L>(y);
      X out;
#pragma unroll
      for (int r = 0; r < out.count; ++r)
        out.v[r] = convert<R>(F::apply(convert<T>(R(left.v[r])), convert<T>(R(right.v[r]))));
      return out;
    }
  }
}

// Questions to each lane; integers are asked as fp32.
struct IsNan {
  template <class T>
  static __forceinline__ bool apply(T x) {
    return x != x;
  }
};
struct IsInf {
  static __forceinline__ bool apply(float x) { return fabsf(x) == inf; }
  static __forceinline__ bool apply(double x) { return ::fabs(x) == static_cast<double>(inf); }
};
struct IsFinite {
  static __forceinline__ bool apply(float x) { return fabsf(x) < inf; }
  static __forceinline__ bool apply(double x) { return ::fabs(x) < static_cast<double>(inf); }
};
struct SignBit {
  static __forceinline__ bool apply(float x) { return __float_as_int(x) < 0; }
  static __forceinline__ bool apply(double x) { return __double_as_longlong(x) < 0; }
};
template <class F, class X>
__forceinline__ auto asked(const X& x) {
  if constexpr (is_literal<X>) {
    return asked<F>(valued(x));
  } else {
    using From = typename X::element;
    using T = choice<same<From, double>, double, float>;
    return map<bool>(x, [](From v) { return F::apply(convert<T>(v)); });
  }
}

}  // namespace detail

// tl.libdevice.NAME
struct Libdevice {
#define TL_ONE(NAME, F)                         \
  template <class X>                            \
  __forceinline__ auto NAME(const X& x) const { \
    return detail::math<detail::F>(x);          \
  }
  TL_ONE(tanh, Tanh)
  TL_ONE(log1p, Log1p)
  TL_ONE(expm1, Expm1)
  TL_ONE(tan, Tan)
  TL_ONE(asin, Asin)
  TL_ONE(acos, Acos)
  TL_ONE(atan, Atan)
  TL_ONE(sinh, Sinh)
  TL_ONE(cosh, Cosh)
  TL_ONE(asinh, Asinh)
  TL_ONE(acosh, Acosh)
  TL_ONE(atanh, Atanh)
  TL_ONE(cbrt, Cbrt)
  TL_ONE(exp10, Exp10)
  TL_ONE(log10, Log10)
  TL_ONE(erfc, Erfc)
  TL_ONE(lgamma, Lgamma)
  TL_ONE(tgamma, Tgamma)
  TL_ONE(round, Round)
  TL_ONE(rint, Rint)
  TL_ONE(trunc, Trunc)
  TL_ONE(j0, BesselJ0)
  TL_ONE(j1, BesselJ1)
  TL_ONE(y0, BesselY0)
  TL_ONE(y1, BesselY1)
  TL_ONE(cyl_bessel_i0, BesselI0)
  TL_ONE(cyl_bessel_i1, BesselI1)
  TL_ONE(exp, Exp)
  TL_ONE(exp2, Exp2)
  TL_ONE(log, Log)
  TL_ONE(log2, Log2)
  TL_ONE(sqrt, Sqrt)
  TL_ONE(rsqrt, Rsqrt)
  TL_ONE(sin, Sin)
  TL_ONE(cos, Cos)
  TL_ONE(erf, Erf)
  TL_ONE(floor, Floor)
  TL_ONE(ceil, Ceil)
  TL_ONE(nearbyint, Rint)
  TL_ONE(fast_expf, Exp)
  TL_ONE(fast_exp10f, Exp10)
  TL_ONE(fast_logf, Log)
  TL_ONE(fast_log2f, Log2)
  TL_ONE(fast_log10f, Log10)
  TL_ONE(fast_sinf, Sin)
  TL_ONE(fast_cosf, Cos)
  TL_ONE(fast_tanf, Tan)
  TL_ONE(rsqrt_rn, Rsqrt)
  TL_ONE(sqrt_rn, Sqrt)
#undef TL_ONE
#define TL_ASKED(NAME, F)                       \
  template <class X>                            \
  __forceinline__ auto NAME(const X& x) const { \
    return detail::asked<detail::F>(x);         \
  }
  TL_ASKED(isnan, IsNan)
  TL_ASKED(isinf, IsInf)
  TL_ASKED(finitef, IsFinite)
  TL_ASKED(isfinited, IsFinite)
  TL_ASKED(signbit, SignBit)
#undef TL_ASKED
#define TL_TWO(NAME, F)                                     \
  template <class A, class B>                               \
  __forceinline__ auto NAME(const A& a, const B& b) const { \
    return detail::math_of_two<detail::F>(a, b);            \
  }
  TL_TWO(pow, Pow)
  TL_TWO(atan2, Atan2)
  TL_TWO(fmod, Fmod)
  TL_TWO(copysign, Copysign)
  TL_TWO(hypot, Hypot)
  TL_TWO(fdim, Fdim)
  TL_TWO(nextafter, Nextafter)
  TL_TWO(div_rn, Quotient)
  TL_TWO(fast_dividef, Quotient)
  TL_TWO(fast_powf, Pow)
#undef TL_TWO
  template <class X>
  __forceinline__ auto llrint(const X& x) const {
    return cast<DType::int64>(rint(x));
  }
  template <class X>
  __forceinline__ auto llround(const X& x) const {
    return cast<DType::int64>(round(x));
  }
  template <class X>
  __forceinline__ auto abs(const X& x) const {
    return magnitude(x);
  }
};

}  // namespace tl
