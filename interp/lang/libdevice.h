// The functions of tl.libdevice by libdevice's names, of one value and of two: each executor says what they do.
#pragma once

// clang-format off
#define TL_LIBDEVICE(ONE, TWO)                                                                                   \
  ONE(tanh) ONE(log1p) ONE(expm1) ONE(tan) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(asinh)          \
  ONE(acosh) ONE(atanh) ONE(cbrt) ONE(exp10) ONE(log10) ONE(erfc) ONE(lgamma) ONE(tgamma) ONE(round)             \
  ONE(rint) ONE(trunc) ONE(isnan) ONE(isinf) ONE(signbit) ONE(exp) ONE(exp2) ONE(log) ONE(log2) ONE(sqrt)        \
  ONE(rsqrt) ONE(sin) ONE(cos) ONE(erf) ONE(floor) ONE(ceil) ONE(abs) ONE(sqrt_rn) ONE(nearbyint)                \
  ONE(j0) ONE(j1) ONE(y0) ONE(y1) ONE(cyl_bessel_i0) ONE(cyl_bessel_i1)                                          \
  ONE(finitef) ONE(isfinited) ONE(fast_expf) ONE(fast_exp10f) ONE(fast_logf) ONE(fast_log2f) ONE(fast_log10f)    \
  ONE(fast_sinf) ONE(fast_cosf) ONE(fast_tanf) ONE(rsqrt_rn) ONE(llrint) ONE(llround)                           \
  TWO(pow) TWO(atan2) TWO(fmod) TWO(copysign) TWO(hypot) TWO(fdim) TWO(nextafter) TWO(div_rn) TWO(fast_powf)     \
  TWO(fast_dividef)
// clang-format on
