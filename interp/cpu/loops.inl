// The loops themselves, included once a variant. Nothing of std's templates may be instantiated here: the linker would mix the variants.
#include <math.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "interp/cpu/loops.h"
#include "interp/lang/narrow.h"
#include "interp/lang/philox.h"

namespace tl::cpu::TL_LOOPS {
namespace {

using i64 = std::int64_t;
using u32 = std::uint32_t;
using u16 = std::uint16_t;
using u8 = std::uint8_t;
using trace::Op;

template <class T, class U>
constexpr T bits(U v) {
  static_assert(sizeof(T) == sizeof(U));
  return __builtin_bit_cast(T, v);
}

// ---- arithmetic -----------------------------------------------------------------------------------------------------------------

template <class T> constexpr bool real = false;
template <> constexpr bool real<float> = true;
template <> constexpr bool real<double> = true;
template <class T> struct UnsignedOf { using type = T; };
template <> struct UnsignedOf<std::int32_t> { using type = u32; };
template <> struct UnsignedOf<i64> { using type = std::uint64_t; };
template <class T> using Unsigned = typename UnsignedOf<T>::type;

// Integers wrap.
struct Add { template <class T> static T f(T a, T b) { if constexpr (real<T>) return a + b; else return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b)); } };
struct Sub { template <class T> static T f(T a, T b) { if constexpr (real<T>) return a - b; else return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b)); } };
struct Mul { template <class T> static T f(T a, T b) { if constexpr (real<T>) return a * b; else return static_cast<T>(static_cast<Unsigned<T>>(a) * static_cast<Unsigned<T>>(b)); } };
// Toward zero. What no number is: all ones for x / 0, x for x % 0, as the GPU's instruction sequence gives.
struct Div {
  template <class T> static T f(T a, T b) {
    if constexpr (real<T>) return a / b;
    else if (b == 0) return static_cast<T>(-1);
    else if (static_cast<T>(-1) < 0 && b == static_cast<T>(-1)) return static_cast<T>(Unsigned<T>{0} - static_cast<Unsigned<T>>(a));
    else return static_cast<T>(a / b);
  }
};
struct Mod {
  template <class T> static T f(T a, T b) {
    if constexpr (sizeof(T) == 4 && real<T>) return fmodf(a, b);
    else if constexpr (real<T>) return fmod(a, b);
    else if (b == 0) return a;
    else if (static_cast<T>(-1) < 0 && b == static_cast<T>(-1)) return 0;
    else return static_cast<T>(a % b);
  }
};
struct And { template <class T> static T f(T a, T b) { return static_cast<T>(a & b); } };
struct Or { template <class T> static T f(T a, T b) { return static_cast<T>(a | b); } };
struct Xor { template <class T> static T f(T a, T b) { return static_cast<T>(a ^ b); } };
// A shift by the width or more gives what is left: 0, or the sign.
struct Shl {
  template <class T> static T f(T a, T b) {
    constexpr unsigned width = sizeof(T) * 8;
    return static_cast<Unsigned<T>>(b) >= width ? T{0} : static_cast<T>(static_cast<Unsigned<T>>(a) << (static_cast<unsigned>(b) & (width - 1)));
  }
};
struct Shr {
  template <class T> static T f(T a, T b) {
    constexpr unsigned width = sizeof(T) * 8;
    const unsigned by = static_cast<Unsigned<T>>(b) >= width ? width : static_cast<unsigned>(b);
    return by == width ? static_cast<T>(a < 0 ? -1 : 0) : static_cast<T>(a >> by);
  }
};
template <class T> inline bool negative(T v) {
  if constexpr (sizeof(T) == 4) return bits<std::int32_t>(v) < 0;
  else return bits<i64>(v) < 0;
}
// NaN is dropped, and +0 is above -0, as in fmaxf on a GPU.
struct Max { template <class T> static T f(T a, T b) { if constexpr (real<T>) return (a > b) | (b != b) | ((a == b) & !negative(a)) ? a : b; else return a > b ? a : b; } };
struct Min { template <class T> static T f(T a, T b) { if constexpr (real<T>) return (a < b) | (b != b) | ((a == b) & negative(a)) ? a : b; else return a < b ? a : b; } };
struct Umulhi {
  template <class T> static T f(T a, T b) {
    if constexpr (sizeof(T) == 8) return static_cast<T>((static_cast<unsigned __int128>(static_cast<std::uint64_t>(a)) * static_cast<std::uint64_t>(b)) >> 64);
    else return static_cast<T>((static_cast<std::uint64_t>(static_cast<u32>(a)) * static_cast<u32>(b)) >> 32);
  }
};

#ifdef __AVX512F__
// a[i] / y of one y, without the slow instruction: by the rounded reciprocal r, then twice q += (a - q y) r. The residues are exact, and the last
// step rounds as a division does (Markstein, 1990) while nothing leaves the normal numbers. False where something might: the output is void then.
inline bool divide_by_one(float* out, const float* a, float y, i64 n) {
  const float size = __builtin_fabsf(y);
  if (!(size >= 0x1p-24f && size <= 0x1p24f)) return false;
  const __m512 divisor = _mm512_set1_ps(y), r = _mm512_set1_ps(1.0f / y);
  const __m512i smallest = _mm512_set1_epi32(27 << 23), span = _mm512_set1_epi32(160 << 23);  // 2^-100 to 2^60
  __mmask16 bad = 0;
  for (i64 i = 0; i < n; i += 16) {
    const __mmask16 there = n - i >= 16 ? static_cast<__mmask16>(-1) : static_cast<__mmask16>((1u << (n - i)) - 1);
    const __m512 x = _mm512_maskz_loadu_ps(there, a + i);
    const __m512i all = _mm512_castps_si512(x), magnitude = _mm512_and_si512(all, _mm512_set1_epi32(0x7fffffff));
    // +0 goes through as well, and is frequent: a masked lane's exp(-inf).
    const __mmask16 nonzero = _mm512_test_epi32_mask(all, all);
    __m512 q = _mm512_mul_ps(x, r);
    if (!nonzero) {
      _mm512_mask_storeu_ps(out + i, there, q);
      continue;
    }
    bad |= _mm512_mask_cmpgt_epu32_mask(nonzero, _mm512_sub_epi32(magnitude, smallest), span);
    q = _mm512_fmadd_ps(_mm512_fnmadd_ps(q, divisor, x), r, q);
    q = _mm512_fmadd_ps(_mm512_fnmadd_ps(q, divisor, x), r, q);
    _mm512_mask_storeu_ps(out + i, there, q);
  }
  return bad == 0;
}
#endif

template <class F, class T>
void binary_loop(void* out_, const void* a_, i64 sa, const void* b_, i64 sb, i64 n) {
  T* __restrict out = static_cast<T*>(out_);
  const T *a = static_cast<const T*>(a_), *b = static_cast<const T*>(b_);
  if (sa == 1 && sb == 1) {
    for (i64 i = 0; i < n; ++i) out[i] = F::f(a[i], b[i]);
  } else if (sa == 1 && sb == 0) {
    const T y = *b;
#ifdef __AVX512F__
    if constexpr (__is_same(F, Div) && __is_same(T, float))
      if (out != a && divide_by_one(out, a, y, n)) return;
#endif
    for (i64 i = 0; i < n; ++i) out[i] = F::f(a[i], y);
  } else if (sa == 0 && sb == 1) {
    const T x = *a;
    for (i64 i = 0; i < n; ++i) out[i] = F::f(x, b[i]);
  } else {
    for (i64 i = 0; i < n; ++i) out[i] = F::f(a[i * sa], b[i * sb]);
  }
}

struct Lt { template <class T> static u8 f(T a, T b) { return a < b; } };
struct Le { template <class T> static u8 f(T a, T b) { return a <= b; } };
struct Gt { template <class T> static u8 f(T a, T b) { return a > b; } };
struct Ge { template <class T> static u8 f(T a, T b) { return a >= b; } };
struct Eq { template <class T> static u8 f(T a, T b) { return a == b; } };
struct Ne { template <class T> static u8 f(T a, T b) { return a != b; } };

template <class F, class T>
void compare_loop(void* out_, const void* a_, i64 sa, const void* b_, i64 sb, i64 n) {
  u8* __restrict out = static_cast<u8*>(out_);
  const T *a = static_cast<const T*>(a_), *b = static_cast<const T*>(b_);
  if (sa == 1 && sb == 1) {
    for (i64 i = 0; i < n; ++i) out[i] = F::f(a[i], b[i]);
  } else if (sa == 1 && sb == 0) {
    const T y = *b;
    for (i64 i = 0; i < n; ++i) out[i] = F::f(a[i], y);
  } else {
    for (i64 i = 0; i < n; ++i) out[i] = F::f(a[i * sa], b[i * sb]);
  }
}

template <class T>
BinaryLoop binary_of(Op op) {
  switch (op) {
    case Op::add: return binary_loop<Add, T>;
    case Op::sub: return binary_loop<Sub, T>;
    case Op::mul: return binary_loop<Mul, T>;
    case Op::div: return binary_loop<Div, T>;
    case Op::mod: return binary_loop<Mod, T>;
    case Op::maximum: return binary_loop<Max, T>;
    case Op::minimum: return binary_loop<Min, T>;
    case Op::lt: return compare_loop<Lt, T>;
    case Op::le: return compare_loop<Le, T>;
    case Op::gt: return compare_loop<Gt, T>;
    case Op::ge: return compare_loop<Ge, T>;
    case Op::eq: return compare_loop<Eq, T>;
    case Op::ne: return compare_loop<Ne, T>;
    default: break;
  }
  if constexpr (!real<T>) {
    switch (op) {
      case Op::bit_and: return binary_loop<And, T>;
      case Op::bit_or: return binary_loop<Or, T>;
      case Op::bit_xor: return binary_loop<Xor, T>;
      case Op::shl: return binary_loop<Shl, T>;
      case Op::shr: return binary_loop<Shr, T>;
      case Op::umulhi: return binary_loop<Umulhi, T>;
      default: break;
    }
  }
  return nullptr;
}

BinaryLoop find_binary(Op op, DType d) {
  switch (d) {
    case DType::int1:  // one bit: it wraps
      switch (op) {
        case Op::add: case Op::sub: case Op::bit_xor: return binary_loop<Xor, u8>;
        case Op::mul: case Op::bit_and: case Op::minimum: return binary_loop<And, u8>;
        case Op::bit_or: case Op::maximum: return binary_loop<Or, u8>;
        case Op::shl: case Op::shr: case Op::umulhi: case Op::div: case Op::mod: return nullptr;
        default: return binary_of<u8>(op);
      }
    case DType::uint8: return binary_of<u8>(op);
    case DType::int32: return binary_of<std::int32_t>(op);
    case DType::int64: return binary_of<i64>(op);
    case DType::uint32: return binary_of<u32>(op);
    case DType::float32: return binary_of<float>(op);
    case DType::float64: return binary_of<double>(op);
    default: return nullptr;
  }
}

// ---- math -----------------------------------------------------------------------------------------------------------------------

// The nearest whole number, as an int and as a float: adding 1.5 * 2^23 leaves it in the low bits. Of a NaN, any int and a NaN.
constexpr float whole_magic = 12582912.0f;
struct Whole {
  std::int32_t number;
  float value;
};
inline Whole whole_of(float with_magic) {
  return {bits<std::int32_t>(with_magic) - bits<std::int32_t>(whole_magic), with_magic - whole_magic};
}
// v 2^n for n in [-152, 130], in two factors so that subnormals round once and overflow reaches infinity.
inline float scale_by_power(float v, std::int32_t n) {
  const u32 half = static_cast<u32>(n >> 1), rest = static_cast<u32>(n) - half;
  return v * bits<float>((half + 127) << 23) * bits<float>((rest + 127) << 23);
}

// a b + c: fused in the variants whose machines all can, which halves a polynomial; the bounds below hold either way.
inline float multiply_add(float a, float b, float c) {
#ifdef __FMA__
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

// 2^x = 2^n 2^r, r in [-1/2, 1/2]; Cephes' exp2f polynomial: within 2 ulp. A NaN comes through the arithmetic.
inline float exp2_of(float x) {
  const bool vanishes = x < -151.0f;  // as a masked lane's -inf: kept away from subnormal products, which are slow
  float v = x > 130.0f ? 130.0f : x;
  v = vanishes ? 0.0f : v;
  const Whole n = whole_of(v + whole_magic);
  const float r = v - n.value;
  float p = 1.535336188319500e-4f;
  p = multiply_add(p, r, 1.339887440266574e-3f);
  p = multiply_add(p, r, 9.618437357674640e-3f);
  p = multiply_add(p, r, 5.550332471162809e-2f);
  p = multiply_add(p, r, 2.402264791363012e-1f);
  p = multiply_add(p, r, 6.931472028550421e-1f);
  const float y = scale_by_power(multiply_add(p, r, 1.0f), n.number);
  return vanishes ? 0.0f : y;
}
// e^x = 2^n e^r, r = x - n ln 2 in two parts; Cephes' expf polynomial: within 2 ulp.
inline float exp_of(float x) {
  const bool vanishes = x < -105.0f;
  float v = x > 90.0f ? 90.0f : x;
  v = vanishes ? 0.0f : v;
  const Whole n = whole_of(multiply_add(v, 1.44269504088896341f, whole_magic));
  const float r = multiply_add(n.value, 2.12194440e-4f, multiply_add(n.value, -0.693359375f, v));
  float p = 1.9875691500e-4f;
  p = multiply_add(p, r, 1.3981999507e-3f);
  p = multiply_add(p, r, 8.3334519073e-3f);
  p = multiply_add(p, r, 4.1665795894e-2f);
  p = multiply_add(p, r, 1.6666665459e-1f);
  p = multiply_add(p, r, 5.0000001201e-1f);
  const float y = scale_by_power(multiply_add(p, r * r, r) + 1.0f, n.number);
  return vanishes ? 0.0f : y;
}

#ifdef __AVX512F__
// The same two with AVX-512's scaling by a power of two, which overflows, and vanishes, as it should: sixteen lanes in half the instructions.
// Lanes that vanish are computed as 2^0 and zeroed, since subnormal products are slow.
inline __m512 polynomial(__m512 r, const float* coefficients, int n) {
  __m512 p = _mm512_set1_ps(coefficients[0]);
  for (int i = 1; i < n; ++i) p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(coefficients[i]));
  return p;
}
inline __m512 whole_of(__m512 x) { return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
inline __m512 exp2_of(__m512 x) {
  static constexpr float c[] = {1.535336188319500e-4f, 1.339887440266574e-3f, 9.618437357674640e-3f, 5.550332471162809e-2f, 2.402264791363012e-1f, 6.931472028550421e-1f, 1.0f};
  const __mmask16 stays = _mm512_cmp_ps_mask(x, _mm512_set1_ps(-151.0f), _CMP_NLT_UQ);
  const __m512 v = _mm512_maskz_min_ps(stays, _mm512_set1_ps(130.0f), x);  // of a NaN, the second
  const __m512 n = whole_of(v);
  return _mm512_maskz_scalef_ps(stays, polynomial(_mm512_sub_ps(v, n), c, 7), n);
}
inline __m512 exp_of(__m512 x) {
  static constexpr float c[] = {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f};
  const __mmask16 stays = _mm512_cmp_ps_mask(x, _mm512_set1_ps(-105.0f), _CMP_NLT_UQ);
  const __m512 v = _mm512_maskz_min_ps(stays, _mm512_set1_ps(90.0f), x);
  const __m512 n = whole_of(_mm512_mul_ps(v, _mm512_set1_ps(1.44269504088896341f)));
  const __m512 r = _mm512_fmadd_ps(n, _mm512_set1_ps(2.12194440e-4f), _mm512_fmadd_ps(n, _mm512_set1_ps(-0.693359375f), v));
  const __m512 y = _mm512_add_ps(_mm512_fmadd_ps(polynomial(r, c, 6), _mm512_mul_ps(r, r), r), _mm512_set1_ps(1.0f));
  return _mm512_maskz_scalef_ps(stays, y, n);
}
// All sixteen as a masked tail's -inf, of which both make 0.
inline bool all_vanish(__m512 x) { return _mm512_cmp_ps_mask(x, _mm512_set1_ps(-151.0f), _CMP_NLT_UQ) == 0; }
#endif

struct Neg { template <class T> static T f(T a) { if constexpr (real<T>) return -a; else return static_cast<T>(Unsigned<T>{0} - static_cast<Unsigned<T>>(a)); } };
struct Not { template <class T> static T f(T a) { return static_cast<T>(~a); } };
struct LogicalNot { static u8 f(u8 a) { return a ^ 1; } };
struct Abs { template <class T> static T f(T a) { if constexpr (sizeof(T) == 4 && real<T>) return __builtin_fabsf(a); else if constexpr (real<T>) return __builtin_fabs(a); else return a < 0 ? Neg::f(a) : a; } };
struct Exp {
#ifdef __AVX512F__
  static __m512 f(__m512 a) { return exp_of(a); }
#endif
  static float f(float a) { return exp_of(a); } static double f(double a) { return exp(a); } };
struct Exp2 {
#ifdef __AVX512F__
  static __m512 f(__m512 a) { return exp2_of(a); }
#endif
  static float f(float a) { return exp2_of(a); } static double f(double a) { return exp2(a); } };
struct Log { static float f(float a) { return logf(a); } static double f(double a) { return log(a); } };
struct Log2 { static float f(float a) { return log2f(a); } static double f(double a) { return log2(a); } };
struct Sqrt { static float f(float a) { return __builtin_sqrtf(a); } static double f(double a) { return __builtin_sqrt(a); } };
struct Rsqrt { static float f(float a) { return 1.0f / __builtin_sqrtf(a); } static double f(double a) { return 1.0 / __builtin_sqrt(a); } };
struct Sin { static float f(float a) { return sinf(a); } static double f(double a) { return sin(a); } };
struct Cos { static float f(float a) { return cosf(a); } static double f(double a) { return cos(a); } };
struct Sigmoid { static float f(float a) { return 1.0f / (1.0f + exp_of(-a)); } static double f(double a) { return 1.0 / (1.0 + exp(-a)); } };
struct Erf { static float f(float a) { return erff(a); } static double f(double a) { return erf(a); } };
struct Floor { static float f(float a) { return __builtin_floorf(a); } static double f(double a) { return __builtin_floor(a); } };
struct Ceil { static float f(float a) { return __builtin_ceilf(a); } static double f(double a) { return __builtin_ceil(a); } };

template <class F, class T>
void unary_loop(void* out_, const void* in_, i64 stride, i64 n) {
  T* __restrict out = static_cast<T*>(out_);
  const T* in = static_cast<const T*>(in_);
  if (stride == 1) {
    for (i64 i = 0; i < n; ++i) out[i] = F::f(in[i]);
  } else {
    for (i64 i = 0; i < n; ++i) out[i] = F::f(in[i * stride]);
  }
}

#ifdef __AVX512F__
// F of sixteen floats at a time; the last few by a mask, so that a lane's value does not depend on where it stands.
template <class F>
void by_sixteen(void* out_, const void* in_, i64 stride, i64 n) {
  float* out = static_cast<float*>(out_);
  const float* in = static_cast<const float*>(in_);
  const __m512i steps = _mm512_mullo_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi32(static_cast<int>(stride)));
  for (i64 i = 0; i < n; i += 16) {
    const __mmask16 there = n - i >= 16 ? static_cast<__mmask16>(-1) : static_cast<__mmask16>((1u << (n - i)) - 1);
    const __m512 x = stride == 1 ? _mm512_maskz_loadu_ps(there, in + i) : _mm512_mask_i32gather_ps(_mm512_setzero_ps(), there, steps, in + i * stride, 4);
    _mm512_mask_storeu_ps(out + i, there, all_vanish(x) ? _mm512_setzero_ps() : F::f(x));
  }
}
template <> void unary_loop<Exp, float>(void* out, const void* in, i64 stride, i64 n) { by_sixteen<Exp>(out, in, stride, n); }
template <> void unary_loop<Exp2, float>(void* out, const void* in, i64 stride, i64 n) { by_sixteen<Exp2>(out, in, stride, n); }
#endif

template <class T>
UnaryLoop unary_of(Op op) {
  if (op == Op::neg) return unary_loop<Neg, T>;
  if (op == Op::abs) return unary_loop<Abs, T>;
  if constexpr (real<T>) {
    switch (op) {
      case Op::exp: return unary_loop<Exp, T>;
      case Op::exp2: return unary_loop<Exp2, T>;
      case Op::log: return unary_loop<Log, T>;
      case Op::log2: return unary_loop<Log2, T>;
      case Op::sqrt: return unary_loop<Sqrt, T>;
      case Op::rsqrt: return unary_loop<Rsqrt, T>;
      case Op::sin: return unary_loop<Sin, T>;
      case Op::cos: return unary_loop<Cos, T>;
      case Op::sigmoid: return unary_loop<Sigmoid, T>;
      case Op::erf: return unary_loop<Erf, T>;
      case Op::floor: return unary_loop<Floor, T>;
      case Op::ceil: return unary_loop<Ceil, T>;
      default: return nullptr;
    }
  } else {
    return op == Op::bit_not ? unary_loop<Not, T> : nullptr;
  }
}

UnaryLoop find_unary(Op op, DType d) {
  switch (d) {
    case DType::int1: return op == Op::bit_not || op == Op::logical_not ? unary_loop<LogicalNot, u8> : nullptr;
    case DType::uint8: return unary_of<u8>(op);
    case DType::int32: return unary_of<std::int32_t>(op);
    case DType::int64: return unary_of<i64>(op);
    case DType::uint32: return unary_of<u32>(op);
    case DType::float32: return unary_of<float>(op);
    case DType::float64: return unary_of<double>(op);
    default: return nullptr;
  }
}

// ---- casts ----------------------------------------------------------------------------------------------------------------------

struct Half { using Bits = u16; };
struct BFloat { using Bits = u16; };
struct E4 { using Bits = u8; };
struct E5 { using Bits = u8; };
struct Bool { using Bits = u8; };
template <class T> struct StoredAs { using type = T; };
template <> struct StoredAs<Half> { using type = u16; };
template <> struct StoredAs<BFloat> { using type = u16; };
template <> struct StoredAs<E4> { using type = u8; };
template <> struct StoredAs<E5> { using type = u8; };
template <> struct StoredAs<Bool> { using type = u8; };
template <class T> using Stored = typename StoredAs<T>::type;
template <class T> constexpr bool narrow = false;
template <> constexpr bool narrow<Half> = true;
template <> constexpr bool narrow<BFloat> = true;
template <> constexpr bool narrow<E4> = true;
template <> constexpr bool narrow<E5> = true;
template <class T> constexpr DType dtype_of = DType::float16;
template <> constexpr DType dtype_of<BFloat> = DType::bfloat16;
template <> constexpr DType dtype_of<E4> = DType::float8e4nv;
template <> constexpr DType dtype_of<E5> = DType::float8e5;

template <class T> inline float to_float(Stored<T> v);
// The exponent is rebiased by an exact multiplication, which also makes subnormals right.
template <> inline float to_float<Half>(u16 v) {
  const u32 magnitude = static_cast<u32>(v & 0x7fff) << 13;
  const u32 sign = static_cast<u32>(v & 0x8000) << 16;
  const u32 scaled = bits<u32>(bits<float>(magnitude) * 0x1p112f);
  const u32 special = magnitude | 0x7f800000u;  // infinity and NaN keep their mantissa
  return bits<float>((magnitude >= 0x0f800000u ? special : scaled) | sign);
}
template <> inline float to_float<BFloat>(u16 v) { return bits<float>(static_cast<u32>(v) << 16); }
template <> inline float to_float<E5>(u8 v) { return to_float<Half>(static_cast<u16>(v << 8)); }
template <> inline float to_float<E4>(u8 v) {
  const u32 magnitude = static_cast<u32>(v & 0x7f) << 20;
  const u32 sign = static_cast<u32>(v & 0x80) << 24;
  const u32 scaled = bits<u32>(bits<float>(magnitude) * 0x1p120f);
  return bits<float>(((v & 0x7f) == 0x7f ? 0x7fc00000u : scaled) | sign);
}

// Rounds to nearest even once: normal results by adding half an ulp of the target to the bits, subnormal ones by adding a power of two.
template <class T, int ExponentBits, int MantissaBits, u32 Overflow, u32 Infinity, u32 Nan>
inline Stored<T> round_from(float value) {
  constexpr int bias = (1 << (ExponentBits - 1)) - 1, drop = 23 - MantissaBits;
  const u32 all = bits<u32>(value), magnitude = all & 0x7fffffffu;
  const u32 sign = (all >> 31) << (ExponentBits + MantissaBits);
  const u32 rounded = magnitude + ((1u << (drop - 1)) - 1) + ((magnitude >> drop) & 1);
  const u32 normal = (rounded >> drop) - (static_cast<u32>(127 - bias) << MantissaBits);
  constexpr float magic = bits<float>(static_cast<u32>(127 - bias + drop + 1) << 23);
  const u32 tiny = bits<u32>(bits<float>(magnitude) + magic) - bits<u32>(magic);
  u32 result = magnitude < (static_cast<u32>(127 - bias + 1) << 23) ? tiny : normal;
  result = magnitude >= (static_cast<u32>(127 - bias + 1) << 23) && normal > Overflow ? Infinity : result;
  result |= sign;
  return static_cast<Stored<T>>(magnitude > 0x7f800000u ? Nan : result);
}
template <class T> inline Stored<T> from_float(float v);
template <> inline u16 from_float<Half>(float v) { return round_from<Half, 5, 10, 0x7bff, 0x7c00, 0x7fff>(v); }
template <> inline u8 from_float<E4>(float v) { return round_from<E4, 4, 3, 0x7e, 0x7e, 0x7f>(v); }
template <> inline u8 from_float<E5>(float v) { return round_from<E5, 5, 2, 0x7b, 0x7b, 0x7f>(v); }
template <> inline u16 from_float<BFloat>(float v) {
  const u32 all = bits<u32>(v);
  const u32 rounded = (all + 0x7fffu + ((all >> 16) & 1)) >> 16;
  return static_cast<u16>((all & 0x7fffffffu) > 0x7f800000u ? 0x7fff : rounded);
}

// Toward zero, saturating, NaN to 0.
template <class To, class From>
inline To saturate(From v) {
  constexpr bool is_signed = static_cast<To>(-1) < 0;
  constexpr int digits = static_cast<int>(sizeof(To)) * 8 - is_signed;
  constexpr From beyond = digits == 63 ? static_cast<From>(0x1p63) : digits == 31 ? static_cast<From>(0x1p31) : digits == 32 ? static_cast<From>(0x1p32) : static_cast<From>(0x1p8);
  constexpr To largest = digits == 63 ? static_cast<To>(0x7fffffffffffffff) : static_cast<To>((i64{1} << digits) - 1);
  constexpr To smallest = is_signed ? static_cast<To>(-static_cast<i64>(largest) - 1) : To{0};
  if (!(v > (is_signed ? -beyond : From{-1}))) return v == v ? smallest : To{0};
  if (v >= beyond) return largest;
  return static_cast<To>(v);
}

template <class To, class From>
inline Stored<To> convert(Stored<From> v) {
  if constexpr (narrow<From>) {
    return convert<To, float>(to_float<From>(v));
  } else if constexpr (__is_same(From, Bool)) {
    return convert<To, u8>(v);
  } else if constexpr (__is_same(To, Bool)) {
    return v != 0;
  } else if constexpr (narrow<To>) {
    if constexpr (__is_same(From, float)) return from_float<To>(v);
    else if constexpr (__is_same(From, u8)) return from_float<To>(v);
    else return static_cast<Stored<To>>(encode_narrow(dtype_of<To>, static_cast<double>(v)));  // rounds once
  } else if constexpr (real<From> && !real<To>) {
    return saturate<To, From>(v);
  } else {
    return static_cast<To>(v);
  }
}

template <class From, class To>
void cast_loop(void* out_, const void* in_, i64 stride, i64 n) {
  Stored<To>* __restrict out = static_cast<Stored<To>*>(out_);
  const Stored<From>* in = static_cast<const Stored<From>*>(in_);
  if (stride == 1) {
    for (i64 i = 0; i < n; ++i) out[i] = convert<To, From>(in[i]);
  } else {
    for (i64 i = 0; i < n; ++i) out[i] = convert<To, From>(in[i * stride]);
  }
}

template <class From>
UnaryLoop cast_of(DType to) {
  switch (to) {
    case DType::int1: return cast_loop<From, Bool>;
    case DType::int32: return cast_loop<From, std::int32_t>;
    case DType::int64: return cast_loop<From, i64>;
    case DType::uint8: return cast_loop<From, u8>;
    case DType::uint32: return cast_loop<From, u32>;
    case DType::float16: return cast_loop<From, Half>;
    case DType::bfloat16: return cast_loop<From, BFloat>;
    case DType::float32: return cast_loop<From, float>;
    case DType::float64: return cast_loop<From, double>;
    case DType::float8e4nv: return cast_loop<From, E4>;
    case DType::float8e5: return cast_loop<From, E5>;
  }
  return nullptr;
}

UnaryLoop find_cast(DType from, DType to) {
  switch (from) {
    case DType::int1: return cast_of<Bool>(to);
    case DType::int32: return cast_of<std::int32_t>(to);
    case DType::int64: return cast_of<i64>(to);
    case DType::uint8: return cast_of<u8>(to);
    case DType::uint32: return cast_of<u32>(to);
    case DType::float16: return cast_of<Half>(to);
    case DType::bfloat16: return cast_of<BFloat>(to);
    case DType::float32: return cast_of<float>(to);
    case DType::float64: return cast_of<double>(to);
    case DType::float8e4nv: return cast_of<E4>(to);
    case DType::float8e5: return cast_of<E5>(to);
  }
  return nullptr;
}

// ---- choice, fma, reductions ----------------------------------------------------------------------------------------------------

template <class T>
void select_loop(void* out_, const u8* m, i64 sm, const void* a_, i64 sa, const void* b_, i64 sb, i64 n) {
  T* __restrict out = static_cast<T*>(out_);
  const T *a = static_cast<const T*>(a_), *b = static_cast<const T*>(b_);
  if (sm == 1 && sa == 1 && sb == 1) {
    for (i64 i = 0; i < n; ++i) { const T x = a[i], y = b[i]; out[i] = m[i] ? x : y; }
  } else if (sm == 1 && sa == 1 && sb == 0) {
    const T y = *b;
    for (i64 i = 0; i < n; ++i) { const T x = a[i]; out[i] = m[i] ? x : y; }
  } else {
    for (i64 i = 0; i < n; ++i) out[i] = m[i * sm] ? a[i * sa] : b[i * sb];
  }
}
SelectLoop find_select(int bytes) {
  return bytes == 1 ? select_loop<u8> : bytes == 2 ? select_loop<u16> : bytes == 4 ? select_loop<u32> : select_loop<std::uint64_t>;
}

template <class T>
void fma_loop(void* out_, const void* a_, i64 sa, const void* b_, i64 sb, const void* c_, i64 sc, i64 n) {
  T* __restrict out = static_cast<T*>(out_);
  const T *a = static_cast<const T*>(a_), *b = static_cast<const T*>(b_), *c = static_cast<const T*>(c_);
  for (i64 i = 0; i < n; ++i) {
    if constexpr (sizeof(T) == 4) out[i] = __builtin_fmaf(a[i * sa], b[i * sb], c[i * sc]);
    else out[i] = __builtin_fma(a[i * sa], b[i * sb], c[i * sc]);
  }
}
FmaLoop find_fma(DType d) { return d == DType::float32 ? fma_loop<float> : d == DType::float64 ? fma_loop<double> : nullptr; }

// The largest or smallest by one comparison a lane, which drops NaN. False where it says too little: of zeros the sign, of no numbers at all anything.
struct Larger { template <class T> static T f(T a, T b) { return a > b ? a : b; } };
struct Smaller { template <class T> static T f(T a, T b) { return a < b ? a : b; } };
#ifdef __AVX512F__
inline __m512 best_of(Larger, __m512 a, __m512 b) { return _mm512_max_ps(a, b); }
inline __m512 best_of(Smaller, __m512 a, __m512 b) { return _mm512_min_ps(a, b); }
template <class F>
inline bool reduce_quickly(float worst, float& best, const float* in, i64 n) {
  __m512 part[4];
  for (__m512& p : part) p = _mm512_set1_ps(worst);
  i64 i = 0;
  for (; i + 64 <= n; i += 64)
    for (int j = 0; j < 4; ++j) part[j] = best_of(F(), _mm512_loadu_ps(in + i + 16 * j), part[j]);
  for (; i < n; i += 16) {
    const __mmask16 there = n - i >= 16 ? static_cast<__mmask16>(-1) : static_cast<__mmask16>((1u << (n - i)) - 1);
    part[0] = best_of(F(), _mm512_mask_loadu_ps(part[0], there, in + i), part[0]);
  }
  float lanes[16];
  _mm512_storeu_ps(lanes, best_of(F(), best_of(F(), part[0], part[1]), best_of(F(), part[2], part[3])));
  for (int half = 8; half > 0; half /= 2)
    for (int j = 0; j < half; ++j) lanes[j] = F::f(lanes[j + half], lanes[j]);
  best = lanes[0];
  return best != 0 && best != worst;
}
#endif
template <class F, class T>
inline bool reduce_quickly(T worst, T& best, const T* in, i64 n) {
  constexpr int lanes = 32;
  T part[lanes];
  for (int j = 0; j < lanes; ++j) part[j] = worst;
  i64 i = 0;
  for (; i + lanes <= n; i += lanes)
    for (int j = 0; j < lanes; ++j) part[j] = F::f(in[i + j], part[j]);
  for (int half = lanes / 2; half > 0; half /= 2)
    for (int j = 0; j < half; ++j) part[j] = F::f(part[j + half], part[j]);
  best = part[0];
  for (; i < n; ++i) best = F::f(in[i], best);
  return best != 0 && best != worst;
}

// Thirty-two partial results, folded in halves: vectorizes without reassociating, and errs less than one running sum.
template <class F, class T>
void reduce_loop(void* out, const void* in_, i64 n) {
  const T* in = static_cast<const T*>(in_);
  constexpr int lanes = 32;
  if (n < lanes) {
    T r = in[0];
    for (i64 i = 1; i < n; ++i) r = F::f(r, in[i]);
    *static_cast<T*>(out) = r;
    return;
  }
  if constexpr (real<T> && (__is_same(F, Max) || __is_same(F, Min))) {
    constexpr bool largest = __is_same(F, Max);
    constexpr T infinity = static_cast<T>(__builtin_inff());
    T best;
    if (largest ? reduce_quickly<Larger>(-infinity, best, in, n) : reduce_quickly<Smaller>(infinity, best, in, n)) {
      *static_cast<T*>(out) = best;
      return;
    }
  }
  T part[lanes];
  for (int j = 0; j < lanes; ++j) part[j] = in[j];
  i64 i = lanes;
  for (; i + lanes <= n; i += lanes)
    for (int j = 0; j < lanes; ++j) part[j] = F::f(part[j], in[i + j]);
  for (int half = lanes / 2; half > 0; half /= 2)
    for (int j = 0; j < half; ++j) part[j] = F::f(part[j], part[j + half]);
  for (; i < n; ++i) part[0] = F::f(part[0], in[i]);
  *static_cast<T*>(out) = part[0];
}
template <class T>
ReduceLoop reduce_of(Op op) { return op == Op::sum ? reduce_loop<Add, T> : op == Op::max ? reduce_loop<Max, T> : reduce_loop<Min, T>; }
ReduceLoop find_reduce(Op op, DType d) {
  switch (d) {
    case DType::int32: return reduce_of<std::int32_t>(op);
    case DType::int64: return reduce_of<i64>(op);
    case DType::uint32: return reduce_of<u32>(op);
    case DType::float32: return reduce_of<float>(op);
    case DType::float64: return reduce_of<double>(op);
    default: return nullptr;
  }
}

// ---- memory ---------------------------------------------------------------------------------------------------------------------

#if defined(__AVX512F__)
constexpr int register_bytes = 64;
#elif defined(__AVX2__)
constexpr int register_bytes = 32;
#else
constexpr int register_bytes = 16;
#endif
typedef unsigned char Register __attribute__((vector_size(register_bytes), aligned(1), may_alias));
inline void copy_register(char* to, const char* from) { *reinterpret_cast<Register*>(to) = *reinterpret_cast<const Register*>(from); }

// Long runs fetch ahead what the next program's block will want, of the side that is the tensor: hardware prefetchers stop at the page.
template <bool FromTensor>
inline void copy_long(char* to, const char* from, i64 lines) {
  const i64 ahead = lines * 64;
  for (i64 i = 0; i < ahead; i += 64) {
    if constexpr (FromTensor) __builtin_prefetch(from + i + ahead, 0);
    else __builtin_prefetch(to + i + ahead, 1);
    for (i64 j = 0; j < 64; j += register_bytes) copy_register(to + i + j, from + i + j);
  }
}

template <bool FromTensor>
void copy_rows(void* to_, i64 to_row, const void* from_, i64 from_row, i64 bytes, i64 rows) {
  char* to = static_cast<char*>(to_);
  const char* from = static_cast<const char*>(from_);
  if (bytes == 64) {  // a tile of 16 floats a row
    for (; rows > 0; --rows, to += to_row, from += from_row)
      for (i64 j = 0; j < 64; j += register_bytes) copy_register(to + j, from + j);
    return;
  }
  const i64 lines = bytes / 64, rest = bytes % 64;
  for (i64 r = 0; r < rows; ++r, to += to_row, from += from_row) {
    if (bytes >= 2048) copy_long<FromTensor>(to, from, lines);
    else for (i64 i = 0; i < lines * 64; i += register_bytes) copy_register(to + i, from + i);
    if (rest) __builtin_memcpy(to + lines * 64, from + lines * 64, static_cast<unsigned long>(rest));
  }
}

// ---- random ---------------------------------------------------------------------------------------------------------------------

inline PhiloxCounter draw(std::uint64_t seed, u32 low, u32 high) { return tl::philox(static_cast<unsigned long long>(seed), low, high); }

void philox_loop(u32* __restrict out, std::uint64_t seed, const u32* low, const u32* high, i64 n) {
  if (high) for (i64 i = 0; i < n; ++i) out[i] = draw(seed, low[i], high[i]).c0;
  else for (i64 i = 0; i < n; ++i) out[i] = draw(seed, low[i], 0).c0;
}
void philox_pair_loop(u32* __restrict out0, u32* __restrict out1, std::uint64_t seed, const u32* low, const u32* high, i64 n) {
  for (i64 i = 0; i < n; ++i) {
    const PhiloxCounter c = draw(seed, low[i], high ? high[i] : 0);
    out0[i] = c.c0;
    out1[i] = c.c1;
  }
}

void uniform_loop(float* out, const u32* words, i64 n) {
  for (i64 i = 0; i < n; ++i) out[i] = tl::uniform_of(words[i]);
}

// ---- matrices -------------------------------------------------------------------------------------------------------------------

// Ten mantissa bits, to nearest with ties away from zero, as cvt.rna.tf32 does; infinities and NaNs stay.
void round_to_tf32(float* out, const float* in, i64 n) {
  for (i64 i = 0; i < n; ++i) {
    const u32 v = bits<u32>(in[i]);
    const u32 rounded = (v + 0x1000u) & 0xffffe000u;
    out[i] = bits<float>((v & 0x7f800000u) == 0x7f800000u ? v : rounded);
  }
}

void transpose32(u32* __restrict out, const u32* in, i64 in_stride, i64 rows, i64 cols) {
  constexpr i64 tile = 8;
  if (rows % tile || cols % tile) {
    for (i64 i = 0; i < rows; ++i)
      for (i64 j = 0; j < cols; ++j) out[j * rows + i] = in[i * in_stride + j];
    return;
  }
  for (i64 i = 0; i < rows; i += tile)
    for (i64 j = 0; j < cols; j += tile) {
      u32 t[tile][tile];
      for (i64 r = 0; r < tile; ++r)
        for (i64 c = 0; c < tile; ++c) t[c][r] = in[(i + r) * in_stride + j + c];
      for (i64 c = 0; c < tile; ++c)
        for (i64 r = 0; r < tile; ++r) out[(j + c) * rows + i + r] = t[c][r];
    }
}

}  // namespace

DotLoop find_dot(DType);  // interp/cpu/dot_loops.inl

extern const Loops table;
const Loops table = {find_binary, find_unary, find_cast, find_select, find_fma, find_reduce, find_dot,
                     round_to_tf32, philox_loop, philox_pair_loop, uniform_loop, copy_rows<true>, copy_rows<false>, transpose32};

}  // namespace tl::cpu::TL_LOOPS
