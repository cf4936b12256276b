// How each dtype is stored and converted: fp16, bf16 and fp8 as bits of their own, without CUDA's slow headers.
#pragma once

#include "interp/cuda/device/values/constant.h"
#include "interp/lang/dtype.h"
#include "interp/lang/promotion.h"

namespace tl {

struct Float16 {
  unsigned short bits;
};
struct BFloat16 {
  unsigned short bits;
};
struct Float8E4NV {
  unsigned char bits;
};
struct Float8E5 {
  unsigned char bits;
};

// x.to(dtype, tl.bitcast); x.to(dtype, tl.rtz)
struct Bitcast {};
struct TowardZero {};
template <class T>
concept cast_way = same<T, Bitcast> || same<T, TowardZero>;

// A dtype as a value: tl.float32, p.dtype. Each has a type of its own.
template <DType D>
struct Dtype {
  static constexpr DType value = D;
};
template <DType D>
inline constexpr bool is_constant_argument<Dtype<D>> = true;
template <DType A, DType B>
constexpr constant<(A == B)> operator==(Dtype<A>, Dtype<B>) {
  return {};
}

template <class T>
struct Storage;
template <DType D>
struct StorageOf;
#define TL_STORAGE(T, D)                     \
  template <>                                \
  struct Storage<T> {                        \
    static constexpr DType dtype = DType::D; \
  };                                         \
  template <>                                \
  struct StorageOf<DType::D> {               \
    using type = T;                          \
  };
TL_STORAGE(bool, int1)
TL_STORAGE(int, int32)
TL_STORAGE(long long, int64)
TL_STORAGE(unsigned char, uint8)
TL_STORAGE(unsigned, uint32)
TL_STORAGE(Float16, float16)
TL_STORAGE(BFloat16, bfloat16)
TL_STORAGE(float, float32)
TL_STORAGE(double, float64)
TL_STORAGE(Float8E4NV, float8e4nv)
TL_STORAGE(Float8E5, float8e5)
TL_STORAGE(signed char, int8)
TL_STORAGE(short, int16)
TL_STORAGE(unsigned short, uint16)
TL_STORAGE(unsigned long long, uint64)
#undef TL_STORAGE

template <class T>
inline constexpr DType dtype_of = Storage<T>::dtype;
template <DType D>
using storage_of = typename StorageOf<D>::type;

template <class T>
inline constexpr bool is_narrow_storage = is_narrow_float(dtype_of<T>);

namespace detail {

// Every finite fp8 with `Mantissa` bits is this much arithmetic away; NaN apart. For chips without the instruction.
template <int Mantissa, int LeastExponent, int Largest>
__forceinline__ unsigned char encode_fp8(float x) {
  const unsigned bits = __float_as_uint(x), sign = bits >> 24 & 0x80;
  float a = __uint_as_float(bits & 0x7fffffff);
  if (a != a) return sign | 0x7f;
  a = fminf(a, Largest);
  int exponent = static_cast<int>(__float_as_uint(a) >> 23) - 127;
  exponent = exponent < LeastExponent ? LeastExponent : exponent;
  const float steps = rintf(a * __uint_as_float(static_cast<unsigned>(127 - exponent + Mantissa) << 23));
  return sign | (((exponent - LeastExponent) << Mantissa) + static_cast<int>(steps));
}

}  // namespace detail

__forceinline__ float to_float(float x) { return x; }
__forceinline__ float to_float(Float16 x) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(x.bits));
  return f;
}
__forceinline__ float to_float(BFloat16 x) { return __uint_as_float(static_cast<unsigned>(x.bits) << 16); }
__forceinline__ float to_float(Float8E5 x) { return to_float(Float16{static_cast<unsigned short>(x.bits << 8)}); }
__forceinline__ float to_float(Float8E4NV x) {
  const unsigned short half = (x.bits & 0x80) << 8 | (x.bits & 0x7f) << 7;
  return (x.bits & 0x7f) == 0x7f ? __uint_as_float(0x7fc00000) : to_float(Float16{half}) * 256.0f;
}

template <class T>
__forceinline__ T from_float(float x);
template <>
__forceinline__ float from_float<float>(float x) {
  return x;
}
template <>
__forceinline__ Float16 from_float<Float16>(float x) {
  Float16 h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(x));
  return h;
}
template <>
__forceinline__ BFloat16 from_float<BFloat16>(float x) {
  BFloat16 h;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h.bits) : "f"(x));
  return h;
}
// Two at once, `low` in the low half of the word.
template <class T>
__forceinline__ unsigned rounded_pair(float low, float high) {
  unsigned w;
  if constexpr (same<T, Float16>) asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(high), "f"(low));
  else asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(high), "f"(low));
  return w;
}
#if __CUDA_ARCH__ >= 890
template <>
__forceinline__ Float8E4NV from_float<Float8E4NV>(float x) {
  unsigned short pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  return {static_cast<unsigned char>(pair)};
}
template <>
__forceinline__ Float8E5 from_float<Float8E5>(float x) {
  unsigned short pair;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  return {static_cast<unsigned char>(pair)};
}
#else
template <>
__forceinline__ Float8E4NV from_float<Float8E4NV>(float x) {
  return {detail::encode_fp8<3, -6, 448>(x)};
}
template <>
__forceinline__ Float8E5 from_float<Float8E5>(float x) {
  return {detail::encode_fp8<2, -14, 57344>(x)};
}
#endif

// A double or an int as the float that rounds on as the exact value would: toward zero, with the last bit set where
// anything was lost.
__forceinline__ float round_to_odd(double x) {
  const float z = __double2float_rz(x);
  return static_cast<double>(z) == x || x != x ? z : __uint_as_float(__float_as_uint(z) | 1);
}
__forceinline__ float round_to_odd(long long x) {
  const float z = __ll2float_rz(x);
  return static_cast<long long>(z) == x ? z : __uint_as_float(__float_as_uint(z) | 1);
}

__forceinline__ float round_to_odd(unsigned long long x) {
  const float z = __ull2float_rz(x);
  return static_cast<unsigned long long>(z) == x ? z : __uint_as_float(__float_as_uint(z) | 1);
}

// The language's casts: to nearest even once; floats to ints truncate and saturate, NaN gives 0; fp8 saturates.
template <class To, class From>
__forceinline__ To convert(From x) {
  if constexpr (same<To, From>) {
    return x;
  } else if constexpr (is_narrow_storage<From>) {
    return convert<To>(to_float(x));
  } else if constexpr (same<To, bool>) {
    return x != From{};
  } else if constexpr (is_narrow_storage<To>) {
    if constexpr (same<From, double>) return from_float<To>(round_to_odd(x));
    else if constexpr (same<From, float>) return from_float<To>(x);
    else if constexpr (same<From, unsigned long long>) return from_float<To>(round_to_odd(x));
    else return from_float<To>(round_to_odd(static_cast<long long>(x)));
  } else if constexpr ((same<From, float> || same<From, double>) && !same<To, float> && !same<To, double>) {
    if (x != x) return To{};
    if constexpr (sizeof(To) < 4) {
      constexpr bool is_signed = static_cast<To>(-1) < 0;
      constexpr int most = (1 << (8 * sizeof(To) - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
      return static_cast<To>(convert<int>(x < From(least) ? From(least) : x > From(most) ? From(most) : x));
    } else if constexpr (same<From, float> && same<To, unsigned long long>) return __float2ull_rz(x);
    else if constexpr (same<To, unsigned long long>) return __double2ull_rz(x);
    else if constexpr (same<From, float> && same<To, int>) return __float2int_rz(x);
    else if constexpr (same<From, float> && same<To, unsigned>) return __float2uint_rz(x);
    else if constexpr (same<From, float>) return __float2ll_rz(x);
    else if constexpr (same<To, int>) return __double2int_rz(x);
    else if constexpr (same<To, unsigned>) return __double2uint_rz(x);
    else return __double2ll_rz(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace tl

// The host names tensors' elements by CUDA's names.
using __half = tl::Float16;
using __nv_bfloat16 = tl::BFloat16;
using __nv_fp8_e4m3 = tl::Float8E4NV;
using __nv_fp8_e5m2 = tl::Float8E5;
