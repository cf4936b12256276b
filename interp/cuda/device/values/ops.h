// The elementwise operators, one struct each, on values already promoted to one type.
#pragma once

#include "interp/cuda/device/values/storage.h"
#include "interp/rules/ops.h"

namespace tl::ops {

using rules::Kind;
using rules::Operator;

// Integers wrap. C++ leaves the overflow of signed ones open, and the compiler makes use of that.
template <class T>
using WrapAs = choice<same<T, int> || same<T, short> || same<T, unsigned short> || same<T, signed char>, unsigned,
                      choice<same<T, long long>, unsigned long long, T>>;
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

template <Operator O>
struct Op {
  static constexpr Operator code = O;
  static constexpr Kind kind = rules::kind_of(O);
};

// One bit wraps: true + true is false.
struct Add : Op<Operator::add> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    if constexpr (same<T, bool>) return a != b;
    else return wrapped_sum(a, b);
  }
};
struct Subtract : Op<Operator::subtract> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return wrapped_difference(a, b);
  }
};
struct Multiply : Op<Operator::multiply> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return wrapped_product(a, b);
  }
};
// Ints truncate toward zero.
struct Divide : Op<Operator::divide> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return a / b;
  }
};
// The same quotients where many are taken by one divisor: its reciprocal is taken once. Two steps of Newton's method
// from a x (1 / d) round correctly (Markstein) as long as nothing under- or overflows: the rest goes the usual way,
// which calls a subroutine for every 0, and lanes beyond a mask are often 0.
struct Divisor {
  static constexpr int worth_it = 16;  // quotients a thread: of 8 dropout took 1.1 times as long, softmax 0.93
  float d, reciprocal;
  bool is_usual;

  explicit __forceinline__ Divisor(float divisor)
      : d(divisor), reciprocal(1 / divisor), is_usual(fabsf(divisor) >= 0x1p-24f && fabsf(divisor) <= 0x1p24f) {}

  template <int N, class F>
  __forceinline__ void divide(const float (&dividends)[N], F give) const {
    bool all_usual = is_usual;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const float a = dividends[i];  // of +0 they are exact; of -0 the sign is lost
      all_usual &= (fabsf(a) >= 0x1p-100f && fabsf(a) <= 0x1p100f) || __float_as_uint(a) == 0;
    }
    if (all_usual) {
#pragma unroll
      for (int i = 0; i < N; ++i) {
        const float a = dividends[i], rough = a * reciprocal;
        const float near = fmaf(fmaf(-d, rough, a), reciprocal, rough);
        give(i, fmaf(fmaf(-d, near, a), reciprocal, near));
      }
    } else {
#pragma unroll
      for (int i = 0; i < N; ++i) give(i, dividends[i] / d);
    }
  }
};
// The dividend's sign.
struct Remainder : Op<Operator::remainder> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return a % b;
  }
  static __forceinline__ float apply(float a, float b) { return fmodf(a, b); }
  static __forceinline__ double apply(double a, double b) { return fmod(a, b); }
};
struct Minimum : Op<Operator::minimum> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return b < a ? b : a;
  }
  static __forceinline__ float apply(float a, float b) { return fminf(a, b); }
  static __forceinline__ double apply(double a, double b) { return fmin(a, b); }
};
struct Maximum : Op<Operator::maximum> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return a < b ? b : a;
  }
  static __forceinline__ float apply(float a, float b) { return fmaxf(a, b); }
  static __forceinline__ double apply(double a, double b) { return fmax(a, b); }
};
struct And : Op<Operator::bit_and> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return a & b;
  }
};
struct Or : Op<Operator::bit_or> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return a | b;
  }
};
struct Xor : Op<Operator::bit_xor> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return a ^ b;
  }
};
// By the width or more: 0, or the sign. C++ leaves it open, and the compiler makes use of that.
struct ShiftLeft : Op<Operator::shift_left> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return is_within<T>(b) ? a << b : 0;
  }
};
struct ShiftRight : Op<Operator::shift_right> {
  template <class T>
  static __forceinline__ T apply(T a, T b) {
    return is_within<T>(b) ? a >> b : a < 0 ? -1 : 0;
  }
};

template <Operator O>
struct Compare : Op<O> {
  static constexpr bool is_less = O == Operator::less || O == Operator::less_equal;
  static constexpr bool is_greater = O == Operator::greater || O == Operator::greater_equal;
  static constexpr bool includes_equal = O == Operator::less_equal || O == Operator::greater_equal;
  template <class T>
  static __forceinline__ bool apply(T a, T b) {
    if constexpr (O == Operator::less) return a < b;
    else if constexpr (O == Operator::less_equal) return a <= b;
    else if constexpr (O == Operator::greater) return a > b;
    else if constexpr (O == Operator::greater_equal) return a >= b;
    else if constexpr (O == Operator::equal) return a == b;
    else return a != b;
  }
};
using Less = Compare<Operator::less>;
using LessEqual = Compare<Operator::less_equal>;
using Greater = Compare<Operator::greater>;
using GreaterEqual = Compare<Operator::greater_equal>;
using Equal = Compare<Operator::equal>;
using NotEqual = Compare<Operator::not_equal>;

// a Op b read from the right: b Mirrored a.
template <class O>
using mirror = Compare<rules::mirrored(O::code)>;

}  // namespace tl::ops
