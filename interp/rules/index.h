// Index expressions in affine form, as values: a base of which a divisor is known, and what it grows by along each
// axis.
#pragma once

#include "interp/rules/config.h"

namespace tl::rules {

// Divisibilities are powers of two, at most `limit`; 0 has all of it.
constexpr int most_divisible(bool formulas) { return formulas ? 1 << 16 : 1; }
constexpr int divisibility_of(long long value, int limit) {
  const long long low = value & -value;
  return value == 0 || low > limit ? limit : static_cast<int>(low);
}
// For an int argument, as a kernel is compiled for it. Triton knows 16 or nothing (tt.divisibility); but rows of
// fp16 begin at multiples of 16 bytes from 8 on, of fp32 from 4 on.
constexpr int known_divisibility(long long value, int least_divisor = Config{}.least_divisor) {
  const int divides = divisibility_of(value, 16);
  return divides < least_divisor ? 1 : divides;
}
constexpr int divisibility_of_product(int a, int b, int limit) {
  const long long p = static_cast<long long>(a) * b;
  return p > limit ? limit : static_cast<int>(p);
}

// A static coefficient is itself; one of run time is `run_time` + what is known to divide it.
inline constexpr int run_time = 1 << 28;
constexpr bool is_run_time(int coefficient) { return coefficient >= run_time; }
constexpr int divisibility_of_coefficient(int c, int limit) {
  return is_run_time(c) ? c - run_time : divisibility_of(c, limit);
}
constexpr bool is_static(long long coefficient) { return coefficient < run_time && coefficient > -run_time; }

struct Index {
  Sizes shape;
  int coefficient[max_rank] = {};
  int divisibility = 1;  // of the base

  friend constexpr bool operator==(const Index& a, const Index& b) {
    for (int i = 0; i < a.shape.rank; ++i)
      if (a.coefficient[i] != b.coefficient[i]) return false;
    return a.shape == b.shape && a.divisibility == b.divisibility;
  }
};

// The base of an index is known to be a multiple of at most this, the widest access: so that most steps keep what is
// known.
constexpr int of_base(int divisibility) { return least(widest_access, divisibility); }

constexpr Index arange(int from, int to, int limit) {
  Index index;
  index.shape = Sizes(to - from);
  index.coefficient[0] = to - from == 1 ? 0 : 1;
  index.divisibility = of_base(divisibility_of(from, limit));
  return index;
}

// Both static, or the divisor that both have.
constexpr int sum_of_coefficients(int a, int b, int sign, int limit) {
  if (!is_run_time(a) && !is_run_time(b)) {
    const int sum = a + sign * b;
    return is_static(sum) ? sum : run_time + divisibility_of(sum, limit);
  }
  if (a == 0) return b;
  if (b == 0) return a;
  return run_time + least(divisibility_of_coefficient(a, limit), divisibility_of_coefficient(b, limit));
}

// What an index is multiplied by: `value` where the compiler knows one that a coefficient may be, else `run_time`.
struct Factor {
  int value = run_time;
  int divisibility = 1;
};
constexpr Factor factor_of(bool is_constant, long long value, int divisibility) {
  return {is_constant && is_static(value) ? static_cast<int>(value) : run_time, divisibility};
}
constexpr int scaled_coefficient(int a, const Factor& by, int limit) {
  const long long product = static_cast<long long>(a) * by.value;
  if (a == 0 || (by.value != run_time && !is_run_time(a) && is_static(product))) return static_cast<int>(product);
  return run_time + divisibility_of_product(divisibility_of_coefficient(a, limit), by.divisibility, limit);
}

constexpr Index stretched(const Index& a, const Sizes& to) {
  Index out;
  out.shape = to;
  out.divisibility = a.divisibility;
  for (int i = 0; i < to.rank; ++i)
    if (const int from = source_axis(a.shape, to, i); from >= 0) out.coefficient[i] = a.coefficient[from];
  return out;
}

// a + sign * b
constexpr Index sum(const Index& a, const Index& b, int sign, const Sizes& shape, int limit) {
  Index out = stretched(a, shape);
  const Index other = stretched(b, shape);
  for (int i = 0; i < shape.rank; ++i)
    out.coefficient[i] = sum_of_coefficients(out.coefficient[i], other.coefficient[i], sign, limit);
  out.divisibility = of_base(least(a.divisibility, b.divisibility));
  return out;
}

constexpr Index scaled(const Index& a, const Factor& by, int limit) {
  Index out = a;
  for (int i = 0; i < a.shape.rank; ++i) out.coefficient[i] = scaled_coefficient(a.coefficient[i], by, limit);
  out.divisibility = of_base(divisibility_of_product(a.divisibility, by.divisibility, limit));
  return out;
}

// sign * a + a scalar
constexpr Index shifted(const Index& a, int sign, int scalar_divisibility, int limit) {
  Index out = a;
  for (int i = 0; i < a.shape.rank; ++i) out.coefficient[i] = scaled_coefficient(a.coefficient[i], {sign, 1}, limit);
  out.divisibility = of_base(least(a.divisibility, scalar_divisibility));
  return out;
}

// x(_, None) and its like: axis i of the result is axis source[i], -1 for a new one.
constexpr Index with_axes(const Index& a, const Sizes& shape, const Sizes& source) {
  Index out;
  out.shape = shape;
  out.divisibility = a.divisibility;
  for (int i = 0; i < shape.rank; ++i)
    if (source[i] >= 0) out.coefficient[i] = a.coefficient[source[i]];
  return out;
}

// Whether it keeps within 32 bits from a base of 0, so that it may be widened as a formula; else each lane is computed,
// and wraps, before it is widened. An unknown stride may be as large as an int.
constexpr bool fits_int(const Index& a) {
  long long span = 0;
  for (int i = 0; i < a.shape.rank; ++i) {
    const long long c = a.coefficient[i], last = a.shape[i] - 1;
    span += is_run_time(a.coefficient[i]) ? last << 31 : (c < 0 ? -c : c) * last;
  }
  return span <= 0x7fffffff;
}

// The one axis an index moves along by steps of 1; uniform: along none; no_unit: by other steps, or along several.
inline constexpr int uniform = -1, no_unit = -2;
constexpr int unit_axis(const Index& a) {
  int axis = uniform;
  for (int i = 0; i < a.shape.rank; ++i) {
    if (a.coefficient[i] == 0) continue;
    if (axis != uniform || a.coefficient[i] != 1) return no_unit;
    axis = i;
  }
  return axis;
}

// Whether a variable declared to be a multiple of one may be assigned a multiple of the other.
constexpr bool can_hold(int declared, int value) { return value % declared == 0; }
// Whether a variable declared as one may be assigned the other: another base, other strides of run time.
constexpr bool can_hold(const Index& declared, const Index& value, int limit) {
  for (int i = 0; i < declared.shape.rank; ++i) {
    const int a = declared.coefficient[i], b = value.coefficient[i];
    if (is_run_time(a) ? divisibility_of_coefficient(b, limit) % divisibility_of_coefficient(a, limit) != 0 : a != b)
      return false;
  }
  return value.divisibility % declared.divisibility == 0;
}

}  // namespace tl::rules
