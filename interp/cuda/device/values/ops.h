// The elementwise operators, one struct each, on values already promoted to one type.
#pragma once

#include "interp/cuda/device/values/storage.h"

namespace tl::ops {

enum class Kind { arithmetic, division, bitwise, shift, comparison };

// Integers wrap. C++ leaves the overflow of signed ones open, and the compiler makes use of that.
template <class T>
using WrapAs = choice<same<T, int>, unsigned, choice<same<T, long long>, unsigned long long, T>>;
template <class T>
__forceinline__ T wrapped_sum(T a, T b) {
  return static_cast<T>(static_cast<WrapAs<T>>(a) + static_cast<WrapAs<T>>(b));
}
template <class T>
__forceinline__ T wrapped_difference(T a, T b) {
  return static_cast<T>(static_cast<WrapAs<T>>(a) - static_cast<WrapAs<T>>(b));
}
template <class T>
__forceinline__ T wrapped_product(T a, T b) {
  return static_cast<T>(static_cast<WrapAs<T>>(a) * static_cast<WrapAs<T>>(b));
}

template <class T>
__forceinline__ bool is_within(T shift) {
  return static_cast<unsigned long long>(shift) < sizeof(T) * 8;
}

template <Kind K>
struct Op {
  static constexpr Kind kind = K;
  static constexpr bool is_less = false, is_greater = false, includes_equal = false, is_not_equal = false;
};

// One bit wraps: true + true is false.
struct Add : Op<Kind::arithmetic> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    if constexpr (same<T, bool>) return a != b;
    else return wrapped_sum(a, b);
  }
};
struct Subtract : Op<Kind::arithmetic> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return wrapped_difference(a, b);
  }
};
struct Multiply : Op<Kind::arithmetic> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return wrapped_product(a, b);
  }
};
// Ints truncate toward zero.
struct Divide : Op<Kind::division> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return a / b;
  }
};
// The dividend's sign.
struct Remainder : Op<Kind::division> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return a % b;
  }
  static __forceinline__ float apply(float a, float b) { return fmodf(a, b); }
  static __forceinline__ double apply(double a, double b) { return fmod(a, b); }
};
struct Minimum : Op<Kind::arithmetic> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return b < a ? b : a;
  }
  static __forceinline__ float apply(float a, float b) { return fminf(a, b); }
  static __forceinline__ double apply(double a, double b) { return fmin(a, b); }
};
struct Maximum : Op<Kind::arithmetic> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return a < b ? b : a;
  }
  static __forceinline__ float apply(float a, float b) { return fmaxf(a, b); }
  static __forceinline__ double apply(double a, double b) { return fmax(a, b); }
};
struct And : Op<Kind::bitwise> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return a & b;
  }
};
struct Or : Op<Kind::bitwise> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return a | b;
  }
};
struct Xor : Op<Kind::bitwise> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return a ^ b;
  }
};
// By the width or more: 0, or the sign. C++ leaves it open, and the compiler makes use of that.
struct ShiftLeft : Op<Kind::shift> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return is_within<T>(b) ? a << b : 0;
  }
};
struct ShiftRight : Op<Kind::shift> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return is_within<T>(b) ? a >> b : a < 0 ? -1 : 0;
  }
};
struct Less : Op<Kind::comparison> {
  static constexpr bool is_less = true;
  template <class T>
  static __forceinline__ bool apply(T a, T b) {
    return a < b;
  }
};
struct LessEqual : Op<Kind::comparison> {
  static constexpr bool is_less = true, includes_equal = true;
  template <class T>
  static __forceinline__ bool apply(T a, T b) {
    return a <= b;
  }
};
struct Greater : Op<Kind::comparison> {
  static constexpr bool is_greater = true;
  template <class T>
  static __forceinline__ bool apply(T a, T b) {
    return a > b;
  }
};
struct GreaterEqual : Op<Kind::comparison> {
  static constexpr bool is_greater = true, includes_equal = true;
  template <class T>
  static __forceinline__ bool apply(T a, T b) {
    return a >= b;
  }
};
struct Equal : Op<Kind::comparison> {
  static constexpr bool includes_equal = true;
  template <class T>
  static __forceinline__ bool apply(T a, T b) {
    return a == b;
  }
};
struct NotEqual : Op<Kind::comparison> {
  static constexpr bool is_not_equal = true;
  template <class T>
  static __forceinline__ bool apply(T a, T b) {
    return a != b;
  }
};

// a Op b read from the right: b Mirrored a.
template <class O>
struct Mirror {
  using type = O;
};
template <>
struct Mirror<Less> {
  using type = Greater;
};
template <>
struct Mirror<LessEqual> {
  using type = GreaterEqual;
};
template <>
struct Mirror<Greater> {
  using type = Less;
};
template <>
struct Mirror<GreaterEqual> {
  using type = LessEqual;
};

}  // namespace tl::ops
