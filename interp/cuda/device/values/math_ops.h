// An executor's functions of numbers, lane by lane; `Self` is the executor itself.
#pragma once

#include "interp/cuda/device/values/libdevice.h"
#include "interp/cuda/device/values/math.h"

namespace tl::cuda {

template <class Self>
struct MathOps {
#define TL_MATH(NAME, F)                                 \
  template <class X>                                     \
  __forceinline__ auto NAME(const X& x) const {          \
    return executor().noted(detail::math<detail::F>(x)); \
  }
  TL_MATH(exp, Exp)
  TL_MATH(exp2, Exp2)
  TL_MATH(log, Log)
  TL_MATH(log2, Log2)
  TL_MATH(sqrt, Sqrt)
  TL_MATH(rsqrt, Rsqrt)
  TL_MATH(sin, Sin)
  TL_MATH(cos, Cos)
  TL_MATH(sigmoid, Sigmoid)
  TL_MATH(erf, Erf)
  TL_MATH(floor, Floor)
  TL_MATH(ceil, Ceil)
  TL_MATH(sqrt_rn, Sqrt)
  template <class X>
  __forceinline__ auto abs(const X& x) const {
    return tl::magnitude(x);
  }
  TL_MATH(tanh, Tanh)
  TL_MATH(log1p, Log1p)
  TL_MATH(expm1, Expm1)
  TL_MATH(tan, Tan)
  TL_MATH(asin, Asin)
  TL_MATH(acos, Acos)
  TL_MATH(atan, Atan)
  TL_MATH(sinh, Sinh)
  TL_MATH(cosh, Cosh)
  TL_MATH(asinh, Asinh)
  TL_MATH(acosh, Acosh)
  TL_MATH(atanh, Atanh)
  TL_MATH(cbrt, Cbrt)
  TL_MATH(exp10, Exp10)
  TL_MATH(log10, Log10)
  TL_MATH(erfc, Erfc)
  TL_MATH(lgamma, Lgamma)
  TL_MATH(tgamma, Tgamma)
  TL_MATH(round, Round)
  TL_MATH(rint, Rint)
  TL_MATH(trunc, Trunc)
  TL_MATH(j0, BesselJ0)
  TL_MATH(j1, BesselJ1)
  TL_MATH(y0, BesselY0)
  TL_MATH(y1, BesselY1)
  TL_MATH(cyl_bessel_i0, BesselI0)
  TL_MATH(cyl_bessel_i1, BesselI1)
#undef TL_MATH
#define TL_ASKED(NAME, F)                       \
  template <class X>                            \
  __forceinline__ auto NAME(const X& x) const { \
    return tl::detail::asked<tl::detail::F>(x); \
  }
  TL_ASKED(isnan, IsNan)
  TL_ASKED(isinf, IsInf)
  TL_ASKED(isfinite, IsFinite)
  TL_ASKED(signbit, SignBit)
#undef TL_ASKED
#define TL_TWO(NAME, F)                                                    \
  template <class A, class B>                                              \
  __forceinline__ auto NAME(const A& a, const B& b) const {                \
    return executor().noted(tl::detail::math_of_two<tl::detail::F>(a, b)); \
  }
  TL_TWO(pow, Pow)
  TL_TWO(atan2, Atan2)
  TL_TWO(fmod, Fmod)
  TL_TWO(copysign, Copysign)
  TL_TWO(hypot, Hypot)
  TL_TWO(fdim, Fdim)
  TL_TWO(nextafter, Nextafter)
  TL_TWO(div_rn, Quotient)
  TL_TWO(fdiv, Quotient)
#undef TL_TWO
  // Rounded once in fp32 and fp64.
  template <class A, class B, class C>
  __forceinline__ auto fma(const A& a, const B& b, const C& c) const {
    return fused_multiply_add(a, b, c);
  }

 private:
  __forceinline__ const Self& executor() const { return *static_cast<const Self*>(this); }
};

}  // namespace tl::cuda
