// What is known of an integer block along each of its axes, whatever formula made it: as in Triton's AxisInfo.
//
// For `offs % n` with offs = base + 0..63, base and n multiples of 16: contiguity 16, divisibility 16, constancy 1. So
// a thread may load 16 neighbours at once, where the formula itself tells only where each piece begins.
#pragma once

#include "interp/rules/ops.h"

namespace tl::rules {

// All are powers of two, and at most the axis' size but for `divisibility`.
struct AxisFacts {
  int contiguity = 1;    // groups of so many grow by 1
  int divisibility = 1;  // of the first value of each such group
  int constancy = 1;     // groups of so many are equal

  // Of the first value of each group of `size`.
  constexpr int divisibility_of_groups(int size) const {
    return size < contiguity ? least(divisibility, size) : divisibility;
  }
  friend constexpr bool operator==(const AxisFacts&, const AxisFacts&) = default;
};

struct AxisInfo {
  Sizes shape;
  AxisFacts at[max_rank];

  friend constexpr bool operator==(const AxisInfo& a, const AxisInfo& b) {
    for (int i = 0; i < a.shape.rank; ++i)
      if (!(a.at[i] == b.at[i])) return false;
    return a.shape == b.shape;
  }
};

// base + sum of coefficient x coordinate
constexpr AxisInfo axis_info(const Index& index, int limit) {
  AxisInfo info;
  info.shape = index.shape;
  for (int i = 0; i < index.shape.rank; ++i) {
    const int size = index.shape[i], c = index.coefficient[i];
    AxisFacts& f = info.at[i];
    f.divisibility = index.divisibility;
    for (int j = 0; j < index.shape.rank; ++j)
      if (index.shape[j] > 1 && (j != i || c != 1))
        f.divisibility = least(f.divisibility, divisibility_of_coefficient(index.coefficient[j], limit));
    if (c == 1) f.contiguity = size;
    if (c == 0) f.constancy = size;
  }
  return info;
}

// Nothing is known.
constexpr AxisInfo unknown_axis_info(const Sizes& shape) {
  AxisInfo info;
  info.shape = shape;
  return info;
}

// The same value in every lane.
constexpr AxisInfo uniform_axis_info(const Sizes& shape, int divisibility) {
  AxisInfo info;
  info.shape = shape;
  for (int i = 0; i < shape.rank; ++i) info.at[i] = {1, divisibility, shape[i]};
  return info;
}

// Of conditions: where both are constant.
constexpr AxisInfo constancy_of_both(const AxisInfo& a, const AxisInfo& b) {
  AxisInfo out = unknown_axis_info(a.shape);
  for (int i = 0; i < a.shape.rank; ++i) out.at[i].constancy = least(a.at[i].constancy, b.at[i].constancy);
  return out;
}

// Along some axis values grow by 1: a division of negative ones would break such a piece where it rounds.
constexpr bool has_pieces(const AxisInfo& a) {
  for (int i = 0; i < a.shape.rank; ++i)
    if (a.at[i].contiguity > 1) return true;
  return false;
}

// What divides every value.
constexpr int divisibility_of_each(const AxisInfo& a) {
  int d = 1;
  for (int i = 0; i < a.shape.rank; ++i) d = most(d, a.at[i].divisibility_of_groups(1));
  return d;
}

constexpr AxisInfo stretched(const AxisInfo& a, const Sizes& to) {
  AxisInfo out = uniform_axis_info(to, divisibility_of_each(a));
  for (int i = 0; i < to.rank; ++i)
    if (const int from = source_axis(a.shape, to, i); from >= 0) out.at[i] = a.at[from];
  return out;
}

// x(_, None) and its like: axis i of the result is axis source[i], -1 for a new one.
constexpr AxisInfo with_axes(const AxisInfo& a, const Sizes& shape, const Sizes& source) {
  AxisInfo out = uniform_axis_info(shape, divisibility_of_each(a));
  for (int i = 0; i < shape.rank; ++i)
    if (source[i] >= 0) out.at[i] = a.at[source[i]];
  return out;
}

// An operand that is a constant, for what its value says.
struct KnownValue {
  bool is_known = false;
  long long value = 0;
};

// a op b, both of one shape, where no value of a is negative, or `op` is no division. `b_value`: of b.
constexpr AxisFacts axis_facts_after(Operator op, const AxisFacts& a, const AxisFacts& b, const KnownValue& b_value,
                                     int limit) {
  const int constancy = least(a.constancy, b.constancy);
  const int each_a = a.divisibility_of_groups(1), each_b = b.divisibility_of_groups(1);
  const bool is_one = b_value.is_known && b_value.value == 1;
  // Groups of a that lie between two multiples of n, which divides every value of b.
  const auto groups_within = [&](int n) {
    int size = least(least(a.contiguity, b.constancy), n);
    while (a.divisibility_of_groups(size) < size) size /= 2;
    return size;
  };
  const auto sum = [&](int contiguity) {
    return AxisFacts{contiguity, least(a.divisibility_of_groups(contiguity), b.divisibility_of_groups(contiguity)),
                     constancy};
  };
  const auto remainder = [&](int n) {
    const int size = groups_within(n);
    return AxisFacts{size, least(a.divisibility_of_groups(size), n), constancy};
  };
  const auto quotient = [&](int n, int divisibility) {
    return AxisFacts{1, most(1, divisibility), most(constancy, groups_within(n))};
  };
  const long long value = b_value.value;
  const bool is_power = b_value.is_known && value > 0 && (value & (value - 1)) == 0;
  switch (op) {
    case Operator::add: return sum(most(least(a.contiguity, b.constancy), least(a.constancy, b.contiguity)));
    case Operator::subtract: return sum(least(a.contiguity, b.constancy));
    case Operator::multiply:
      if (is_one) return {a.contiguity, a.divisibility, constancy};
      return {1, divisibility_of_product(each_a, each_b, limit), constancy};
    case Operator::divide:
      if (is_one) return {a.contiguity, a.divisibility, constancy};
      return quotient(each_b, is_power && value <= each_a ? each_a / static_cast<int>(value) : 1);
    case Operator::remainder: return remainder(each_b);
    case Operator::bit_and:
      if (b_value.is_known && value >= 0 && (value & (value + 1)) == 0)  // % (value + 1)
        return remainder(divisibility_of(value + 1, limit));
      if (b_value.is_known && value < 0 && (-value & (-value - 1)) == 0)  // down to a multiple of -value
        return quotient(divisibility_of(value, limit), most(each_a, divisibility_of(value, limit)));
      return {1, most(each_a, each_b), constancy};
    case Operator::shift_right:
      if (!b_value.is_known || value < 0 || value > 30) return {1, 1, constancy};
      return quotient(divisibility_of(1ll << value, limit), each_a >> value);
    case Operator::shift_left:
      if (!b_value.is_known || value < 0 || value > 30) return {1, each_a, constancy};
      if (value == 0) return {a.contiguity, a.divisibility, constancy};
      return {1, divisibility_of_product(each_a, divisibility_of(1ll << value, limit), limit), constancy};
    default: return {1, least(each_a, each_b), constancy};  // one of the two, or bits of both
  }
}
constexpr AxisInfo axis_info_after(Operator op, const AxisInfo& a, const AxisInfo& b, const KnownValue& b_value,
                                   const Sizes& shape, int limit) {
  const AxisInfo x = stretched(a, shape), y = stretched(b, shape);
  AxisInfo out;
  out.shape = shape;
  for (int i = 0; i < shape.rank; ++i) out.at[i] = axis_facts_after(op, x.at[i], y.at[i], b_value, limit);
  return out;
}

// mask[i] ? a[i] : b[i], with a mask that is unknown along its axes.
constexpr AxisInfo axis_info_of_choice(const Sizes& mask, const AxisInfo& a, const AxisInfo& b, const Sizes& shape) {
  const AxisInfo x = stretched(a, shape), y = stretched(b, shape);
  AxisInfo out;
  out.shape = shape;
  for (int i = 0; i < shape.rank; ++i) {
    const bool chooses = source_axis(mask, shape, i) >= 0;
    const int whole = chooses ? 1 : shape[i];
    const int contiguity = least(whole, least(x.at[i].contiguity, y.at[i].contiguity));
    out.at[i] = {contiguity,
                 least(x.at[i].divisibility_of_groups(contiguity), y.at[i].divisibility_of_groups(contiguity)),
                 least(whole, least(x.at[i].constancy, y.at[i].constancy))};
  }
  return out;
}

// tl.multiple_of, tl.max_contiguous, tl.max_constancy of a block of one axis, as in Triton: what the text says holds
// from there on. `divides`: the power of two that divides the hint's number.
enum class Hint : unsigned char { multiple_of, max_contiguous, max_constancy };
constexpr AxisInfo hinted(AxisInfo info, Hint hint, int divides) {
  if (info.shape.rank != 1) return info;
  AxisFacts& f = info.at[0];
  const int within = least(divides, info.shape[0]);
  if (hint == Hint::multiple_of) f.divisibility = most(f.divisibility, divides);
  if (hint == Hint::max_contiguous) f.contiguity = most(f.contiguity, within);
  if (hint == Hint::max_constancy) f.constancy = most(f.constancy, within);
  return info;
}

}  // namespace tl::rules
