// The matrix product as a tensor core adds it, included once a variant: each step's products and the accumulator are
// cut off at one place, added as whole numbers, and the sum is cut off again (interp/lang/tensor_cores.h).
//
// A product of narrow floats is exact in f32. Times a power of two it is the whole number of units at which the step
// cuts off, once converted to int towards zero. That takes exponents within a window; what lies outside, infinities and
// NaN go the slow way, lane by lane.
#if TL_DOT_BYTES == 64
#include <immintrin.h>
#endif

#include "interp/cpu/loops.h"

namespace tl::cpu::TL_LOOPS {
namespace {

using i64 = std::int64_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;

// Exponents are counted from 0, as f32 stores them: that of 1 is 127. A product's is the sum of its factors'.
constexpr i32 one = 127, none = -(1 << 20);  // none: of 0, which has no exponent
// For products where the fast way is exact, and for accumulators.
constexpr i32 least_sum = -98 + 2 * one, most_sum = 90 + 2 * one;
constexpr i64 most_k = 256;  // of one pass, whose exponents lie on the stack

inline u32 bits_of(float x) { return __builtin_bit_cast(u32, x); }
inline float float_of(u32 x) { return __builtin_bit_cast(float, x); }
inline i32 larger(i32 a, i32 b) { return a > b ? a : b; }
inline i32 smaller(i32 a, i32 b) { return a < b ? a : b; }
inline bool is_finite(float x) { return (bits_of(x) >> 23 & 255) != 255; }
// Subnormals of the narrow dtype keep its least exponent.
inline i32 exponent_of(float x, i32 least) {
  const i32 magnitude = static_cast<i32>(bits_of(x) & 0x7fffffffu), e = larger(magnitude >> 23, least);
  return magnitude ? e : none;
}
struct Exponents {
  i32 least = 1 << 20, most = none;  // of numbers that are not 0
};
inline void exponents(i32* out, const float* x, i64 n, i32 least, Exponents& range) {
  i32 lowest = range.least, highest = range.most;
  for (i64 i = 0; i < n; ++i) {
    const i32 e = exponent_of(x[i], least);
    out[i] = e;
    lowest = smaller(lowest, e == none ? 1 << 20 : e);
    highest = larger(highest, e);
  }
  range.least = lowest, range.most = highest;
}

// |x| = significand 2^exponent
struct Parts {
  u64 significand;
  i32 exponent;
};
inline Parts parts_of(float x) {
  const u32 u = bits_of(x) & 0x7fffffffu, e = u >> 23;
  return {e ? (u & 0x7fffff) | 0x800000 : u, static_cast<i32>(e ? e : 1) - one - 23};
}
inline i64 units(u64 significand, i32 exponent, bool negative) {  // cut off towards zero
  const u64 n = exponent >= 0 ? significand << exponent : exponent > -64 ? significand >> -exponent : 0;
  return negative ? -static_cast<i64>(n) : static_cast<i64>(n);
}
// sum 2^unit, of whose fraction the step's bits are kept.
inline float cut(i64 sum, i32 unit, const TensorCoreStep& step) {
  if (sum == 0) return 0;
  u64 n = static_cast<u64>(sum < 0 ? -sum : sum);
  const i32 exponent = 63 - __builtin_clzll(n) + unit, dropped = larger(exponent, 1 - one) - step.kept_bits - unit;
  if (dropped > 0 && step.rounds_to_nearest && dropped < 63) n += ((u64{1} << dropped) >> 1) - 1 + (n >> dropped & 1);
  if (dropped > 0) n = dropped < 64 ? n >> dropped << dropped : 0;
  if (63 - __builtin_clzll(n | 1) + unit > one) n = 1, unit = 128;
  const double x = static_cast<double>(n) * __builtin_bit_cast(double, static_cast<u64>(unit + 1023) << 52);
  return static_cast<float>(sum < 0 ? -x : x);
}

// c + a b of one lane, whatever the numbers are.
inline float slow_lane(float c, const float* a, const float* b, i64 b_row, i64 k, const ChipDot& s) {
  for (i64 first = 0; first < k; first += s.step.terms) {
    const i64 end = first + s.step.terms < k ? first + s.step.terms : k;
    i32 top = exponent_of(c, 1) + one;
    u32 infinite = is_finite(c) ? 0 : 1u << (bits_of(c) >> 31);  // 1: +inf, 2: -inf, 4: NaN
    if (c != c) infinite = 4;
    for (i64 l = first; l < end; ++l) {
      const float x = a[l], y = b[l * b_row];
      if (!is_finite(x) || !is_finite(y))
        infinite |= x != x || y != y || x == 0 || y == 0 ? 4 : 1u << ((bits_of(x) ^ bits_of(y)) >> 31);
      else top = larger(top, exponent_of(x, s.least_a) + exponent_of(y, s.least_b));
    }
    if (infinite) {
      c = infinite == 1 ? __builtin_inff() : infinite == 2 ? -__builtin_inff() : float_of(0x7fffffff);
      continue;
    }
    if (top < 0) {
      c = 0;
      continue;
    }
    const i32 unit = top - 2 * one - s.step.aligned_bits;
    const Parts p = parts_of(c);
    i64 sum = units(p.significand, p.exponent - unit, c < 0);
    for (i64 l = first; l < end; ++l) {
      const Parts x = parts_of(a[l]), y = parts_of(b[l * b_row]);
      sum += units(x.significand * y.significand, x.exponent + y.exponent - unit, (a[l] < 0) != (b[l * b_row] < 0));
    }
    c = cut(sum, unit, s.step);
  }
  return c;
}

template <int Lanes>
struct Vectors {
  typedef float F __attribute__((vector_size(4 * Lanes), aligned(4), may_alias));
  typedef i32 I __attribute__((vector_size(4 * Lanes), aligned(4), may_alias));
  typedef u32 Wrapping __attribute__((vector_size(4 * Lanes), aligned(4), may_alias));
};

// To float, towards zero. `high`: gets the sign bit where it cannot.
template <int Lanes>
inline auto truncated(typename Vectors<Lanes>::I x, typename Vectors<Lanes>::I& high) {
  using F = typename Vectors<Lanes>::F;
  using I = typename Vectors<Lanes>::I;
#if TL_DOT_BYTES == 64
  if constexpr (Lanes == 16) return (F)_mm512_cvt_roundepi32_ps((__m512i)x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  else
#endif
  {
    const I sign = x >> 31;
    using Wrapping = typename Vectors<Lanes>::Wrapping;
    I n = (I)((Wrapping)(x ^ sign) - (Wrapping)sign);
    high |= n;
    n &= n >= 1 << 30 ? I{} + ~127 : I{} + ~0;  // else it could be rounded to 2^31
    const F nearest = __builtin_convertvector(n, F);
    const I above = __builtin_convertvector(nearest, I) > n;  // -1
    return (F)(((I)nearest + above) | (sign & static_cast<i32>(0x80000000u)));
  }
}

// Rows x Lanes of c; false, and nothing stored, where a sum leaves 32 bits.
template <int Lanes, int Rows>
bool fast_tile(float* c, i64 c_row, const float* a, i64 a_row, const i32* ea, const float* b, i64 b_row, const i32* eb,
               i64 k, const TensorCoreStep& step) {
  using F = typename Vectors<Lanes>::F;
  using I = typename Vectors<Lanes>::I;
  using Wrapping = typename Vectors<Lanes>::Wrapping;
  F sum[Rows];
  I wrong{};
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) sum[r] = *reinterpret_cast<const F*>(c + r * c_row);
  const i32 kept = static_cast<i32>(~0u << (23 - step.kept_bits)), bits = step.aligned_bits;
  for (i64 first = 0; first < k; first += step.terms) {
    const i64 end = first + step.terms < k ? first + step.terms : k;
    I top[Rows];
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      const I e = ((I)sum[r] >> 23 & 255) + one;
      top[r] = e > least_sum ? e : I{} + least_sum;
    }
    for (i64 l = first; l < end; ++l) {
      const I y = *reinterpret_cast<const I*>(eb + l * Lanes);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) {
        const I e = ea[r * most_k + l] + y;
        top[r] = e > top[r] ? e : top[r];
      }
    }
    F scale[Rows];
    I units[Rows];
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      scale[r] = (F)((bits + 3 * one - top[r]) << 23);
      units[r] = I{};
    }
    for (i64 l = first; l < end; ++l) {
      const F y = *reinterpret_cast<const F*>(b + l * b_row);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) units[r] += __builtin_convertvector(a[r * a_row + l] * y * scale[r], I);
    }
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      const I from = __builtin_convertvector(sum[r] * scale[r], I), total = (I)((Wrapping)units[r] + (Wrapping)from);
      wrong |= (units[r] ^ total) & (from ^ total);
      const I cut = (I)truncated<Lanes>(total, wrong) & kept;
      sum[r] = (F)cut * (F)((top[r] - one - bits) << 23);
    }
  }
  i32 any = 0;
  for (int i = 0; i < Lanes; ++i) any |= wrong[i];
  if (any < 0) return false;
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) *reinterpret_cast<F*>(c + r * c_row) = sum[r];
  return true;
}

template <int Lanes, int Rows>
void chip_columns(float* c, i64 c_row, const float* a, i64 a_row, const float* b, i64 b_row, i64 m, i64 k,
                  const ChipDot& s) {
  alignas(64) i32 eb[most_k * Lanes], ea[Rows * most_k];
  Exponents of_b;
  for (i64 l = 0; l < k; ++l) exponents(eb + l * Lanes, b + l * b_row, Lanes, s.least_b, of_b);
  for (i64 i = 0; i < m; i += Rows) {
    const i64 rows = m - i < Rows ? m - i : Rows;
    float* tile = c + i * c_row;
    Exponents of_a, of_c;
    i32 unused[Lanes];
    for (i64 r = 0; r < rows; ++r) {
      exponents(ea + r * most_k, a + (i + r) * a_row, k, s.least_a, of_a);
      exponents(unused, tile + r * c_row, Lanes, 1, of_c);
    }
    const bool fits = !s.step.rounds_to_nearest && i64{s.step.terms} << (s.step.aligned_bits + 2) <= i64{1} << 31;
    const bool is_finite = of_a.most < 255 && of_b.most < 255;
    const bool usual =
        fits && is_finite && rows == Rows && of_a.least + of_b.least >= least_sum + s.step.aligned_bits &&
        of_a.most + of_b.most <= most_sum && of_c.least + one >= least_sum && of_c.most + one <= most_sum;
    if (usual && fast_tile<Lanes, Rows>(tile, c_row, a + i * a_row, a_row, ea, b, b_row, eb, k, s.step)) continue;
    for (i64 r = 0; r < rows; ++r)
      for (i64 j = 0; j < Lanes; ++j)
        tile[r * c_row + j] = slow_lane(tile[r * c_row + j], a + (i + r) * a_row, b + j, b_row, k, s);
  }
}

}  // namespace

void chip_dot(float*, i64, const float*, i64, const float*, i64, const float*, i64, i64, i64, i64, const ChipDot&);
void chip_dot(float* c, i64 c_row, const float* acc, i64 acc_row, const float* a, i64 a_row, const float* b, i64 b_row,
              i64 m, i64 n, i64 k, const ChipDot& s) {
  for (i64 i = 0; i < m; ++i)
    for (i64 j = 0; j < n; ++j) c[i * c_row + j] = acc ? acc[i * acc_row + j] : 0;
  constexpr int lanes = TL_DOT_BYTES / 4;
  for (i64 first = 0; first < k; first += most_k) {
    const i64 length = k - first < most_k ? k - first : most_k;
    const float *x = a + first, *y = b + first * b_row;
    i64 j = 0;
    for (; j + lanes <= n; j += lanes)
      chip_columns<lanes, TL_DOT_ROWS>(c + j, c_row, x, a_row, y + j, b_row, m, length, s);
    for (; j < n; ++j)
      for (i64 i = 0; i < m; ++i)
        c[i * c_row + j] = slow_lane(c[i * c_row + j], x + i * a_row, y + j, b_row, length, s);
  }
}

}  // namespace tl::cpu::TL_LOOPS
