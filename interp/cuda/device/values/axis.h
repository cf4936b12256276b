// Ops along an axis, which is a constant.
#pragma once

#include "interp/cuda/device/values/constant.h"

// The axis may be the literal 0; any other plain int is told how to write it.
#define TL_AXIS(NAME)                                                                               \
  template <class X, class... F>                                                                    \
  __forceinline__ auto NAME(const X& x, Zero, const F&... f) {                                      \
    return NAME(x, constant<0>{}, f...);                                                            \
  }                                                                                                 \
  template <class X, class... F>                                                                    \
  __forceinline__ auto NAME(const X&, AnyInt, const F&...) {                                        \
    static_assert(same<X, AnyInt>, "tl." #NAME ": the axis is a constant: write 1_c instead of 1"); \
  }
