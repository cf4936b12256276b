// What an operator makes of two values: which of them are formulas, and what is known of the result.
#pragma once

#include "interp/lang/dtype.h"
#include "interp/rules/index.h"

namespace tl::rules {

enum class Operator : unsigned char {
  add,
  subtract,
  multiply,
  minimum,
  maximum,
  divide,
  remainder,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal
};
enum class Kind : unsigned char { arithmetic, division, bitwise, shift, comparison };
constexpr Kind kind_of(Operator op) {
  return op <= Operator::maximum       ? Kind::arithmetic
         : op <= Operator::remainder   ? Kind::division
         : op <= Operator::bit_xor     ? Kind::bitwise
         : op <= Operator::shift_right ? Kind::shift
                                       : Kind::comparison;
}
constexpr bool is_sum(Operator op) { return op == Operator::add || op == Operator::subtract; }
// a op b is b mirrored(op) a.
constexpr Operator mirrored(Operator op) {
  switch (op) {
    case Operator::less: return Operator::greater;
    case Operator::less_equal: return Operator::greater_equal;
    case Operator::greater: return Operator::less;
    case Operator::greater_equal: return Operator::less_equal;
    default: return op;
  }
}

enum class Form : unsigned char {
  scalar,     // a literal or a constant too
  index,      // of the affine form
  formula,    // any other function of the coordinates, of ints
  box,        // a mask: bounds an axis
  condition,  // any other mask without a layout
  block,      // in registers
  tile,       // in shared memory
  pointer,
  pointer_block,     // an index from one address
  formula_pointers,  // a formula from one address
  gather             // one address a lane
};
constexpr bool is_mask(Form f) { return f == Form::box || f == Form::condition; }
constexpr bool is_integer_function(Form f) { return f == Form::index || f == Form::formula; }
constexpr bool is_lazy(Form f) { return is_integer_function(f) || is_mask(f); }

struct Operand {
  Form form = Form::scalar;
  DType dtype = DType::int32;  // of a literal: int32, float32 or int1, by its kind
  bool is_literal = false;
  int operators = 0;  // in a formula

  constexpr bool is_int() const { return form == Form::scalar && (dtype == DType::int32 || dtype == DType::int64); }
  // It has more than 32 bits, so that an index beside it counts in 64.
  constexpr bool is_wide() const {
    return !is_literal && (form == Form::scalar || is_integer_function(form)) && dtype == DType::int64;
  }
};

// A longer formula goes to registers: its type would hold each of its parts, and compilers take ever longer for it.
inline constexpr int most_operators = 8;
constexpr bool fits_formula(const Operand& a, const Operand& b) { return a.operators + b.operators < most_operators; }

// What is done with two operands, neither a tile. Where only one is an index or a formula it comes first: then `left`
// says which.
enum class BinaryRule : unsigned char {
  widen_left,  // to 64 bits, then again
  widen_right,
  sum,  // of two indices
  compare_lanes,
  shift,    // index + scalar
  scale,    // index * scalar
  compare,  // index op scalar
  formula,  // of two that have no layout
  both,     // box & box
  combine,  // masks
  scalars,
  blocks
};
struct BinaryPlan {
  BinaryRule rule;
  bool left = true;  // the index is the left operand
};
constexpr BinaryPlan binary_plan(Operator op, const Operand& a, const Operand& b, bool affine_only) {
  const bool index_a = a.form == Form::index, index_b = b.form == Form::index;
  const bool function_a = is_integer_function(a.form), function_b = is_integer_function(b.form);
  const bool compares = kind_of(op) == Kind::comparison;
  if (function_a && !a.is_wide() && b.is_wide()) return {BinaryRule::widen_left};
  if (function_b && !b.is_wide() && a.is_wide()) return {BinaryRule::widen_right};
  if (index_a && index_b && is_sum(op)) return {BinaryRule::sum};
  if (function_a && function_b && compares) return {BinaryRule::compare_lanes};
  if ((index_a && b.is_int()) || (index_b && a.is_int())) {
    if (is_sum(op)) return {BinaryRule::shift, index_a};
    if (op == Operator::multiply) return {BinaryRule::scale, index_a};
    if (compares) return {BinaryRule::compare, index_a};
  }
  if (!affine_only && ((function_a && (function_b || b.is_int())) || (function_b && a.is_int())))
    return {compares ? BinaryRule::compare : fits_formula(a, b) ? BinaryRule::formula : BinaryRule::blocks, function_a};
  if (a.form == Form::box && b.form == Form::box && op == Operator::bit_and) return {BinaryRule::both};
  if (is_mask(a.form) && is_mask(b.form) && kind_of(op) == Kind::bitwise) return {BinaryRule::combine};
  return {a.form == Form::scalar && b.form == Form::scalar ? BinaryRule::scalars : BinaryRule::blocks};
}

// index op bound. Along one axis by steps of 1 it is a box whose bounds `aligned` divides, along none all or nothing.
struct Comparison {
  bool is_box = false;
  int axis = uniform, aligned = 1;
};
constexpr Comparison compared(Operator op, const Index& a, int bound_divisibility) {
  const int axis = unit_axis(a);
  if (axis == uniform) return {true};
  if (axis == no_unit || op == Operator::not_equal) return {};
  // The comparisons for which the bound itself is the first or the last index.
  const bool at_bound = op == Operator::less || op == Operator::greater_equal;
  return {true, axis, at_bound ? least(a.divisibility, bound_divisibility) : 1};
}

// A divisor of an integer scalar's result; `divisor`: the right operand where it is a constant, else 0.
constexpr int divisibility_after(Operator op, int a, int b, long long divisor, int limit) {
  switch (op) {
    case Operator::add:
    case Operator::subtract:
    case Operator::minimum:
    case Operator::maximum:
    case Operator::remainder: return least(a, b);
    case Operator::multiply: return divisibility_of_product(a, b, limit);
    case Operator::divide:
      return divisor > 0 && (divisor & (divisor - 1)) == 0 && divisor < a ? a / static_cast<int>(divisor) : 1;
    default: return 1;
  }
}

// .to(dtype)
enum class Cast : unsigned char {
  same,
  widened,  // the index in 64 bits
  formula,  // of each lane
  scalar,
  block  // in the layout that it has, or takes
};
constexpr Cast cast_of(Form form, DType from, DType to, const Index& index, bool affine_only) {
  if (is_integer_function(form) && from != to) {
    if (to != DType::int64) return Cast::block;
    if (form == Form::index && fits_int(index)) return Cast::widened;
    return affine_only ? Cast::block : Cast::formula;
  }
  if (from == to && !is_mask(form) && form != Form::tile) return Cast::same;
  return form == Form::scalar ? Cast::scalar : Cast::block;
}
constexpr int divisibility_after_cast(int divisibility, DType from, DType to) {
  return is_integer(from) && (to == DType::int32 || to == DType::int64) ? divisibility : 1;
}

// The layout in which blocks meet: one's own, what both are slices of, or the default where neither has one that
// serves.
enum class CommonLayout : unsigned char { left, right, merged, standard };
constexpr CommonLayout common_layout(Form a, const Sizes& shape_a, Form b, const Sizes& shape_b, const Sizes& shape) {
  const bool block_a = a == Form::block, block_b = b == Form::block;
  if (block_a && shape_a == shape) return CommonLayout::left;
  if (block_b && shape_b == shape) return CommonLayout::right;
  return block_a && block_b ? CommonLayout::merged : CommonLayout::standard;
}

// Whether tl.where makes a formula: it chooses from integers without a layout.
constexpr bool is_formula_choice(Form mask, const Operand& a, const Operand& b, DType result, bool affine_only) {
  if (affine_only || !fits_formula(a, b)) return false;
  const auto is_function_or_int = [](const Operand& x) { return is_integer_function(x.form) || x.is_int(); };
  return (is_mask(mask) || mask == Form::scalar) && (is_integer_function(a.form) || is_integer_function(b.form)) &&
         is_function_or_int(a) && is_function_or_int(b) && (result == DType::int32 || result == DType::int64);
}

// Which two of tl.where's mask (0) and values (1, 2) meet: the values, where one of them has the result's shape.
struct Pair {
  int first, second;
};
constexpr Pair operands_of_where(Form a, const Sizes& shape_a, Form b, const Sizes& shape_b, const Sizes& shape) {
  if (shape_a == shape || shape_b == shape) return {a == Form::scalar ? 2 : 1, b == Form::scalar ? 1 : 2};
  return {0, a == Form::block ? 1 : 2};
}

}  // namespace tl::rules
