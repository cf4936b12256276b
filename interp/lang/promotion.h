// The dtype that an op computes in and gives: Triton's promotion, shared by both executors. Free of std.
#pragma once

#include "interp/lang/dtype.h"

namespace tl {

// A C++ literal, or a constant: weak in promotion.
enum class LiteralKind : unsigned char { boolean, integer, real };

namespace detail {
constexpr int int_bits(DType d) { return d == DType::int1 ? 1 : size_in_bytes(d) * 8; }
constexpr bool is_unsigned(DType d) { return !is_signed(d); }
constexpr bool is_narrow(DType d) { return d == DType::float16 || d == DType::bfloat16 || is_fp8(d); }
}  // namespace detail

// fp16, bf16, fp8: arithmetic on them computes in fp32 and rounds once.
constexpr bool is_narrow_float(DType d) { return detail::is_narrow(d); }

// Two values. In this order: fp64; fp32; fp16; bf16 (with an int: fp32; with fp8: bf16); two kinds of fp8: fp16; fp8
// with an int: fp32; ints: the wider, unsigned if as wide (a bool is an unsigned int of one bit).
constexpr DType promote(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::float64 || b == DType::float64) return DType::float64;
  if (a == DType::float32 || b == DType::float32) return DType::float32;
  if (a == DType::float16 || b == DType::float16) return DType::float16;
  if (a == DType::bfloat16 || b == DType::bfloat16)
    return is_integer(a) || is_integer(b) ? DType::float32 : DType::bfloat16;
  if (is_fp8(a) && is_fp8(b)) return DType::float16;
  if (is_fp8(a) || is_fp8(b)) return DType::float32;
  const int bits_a = detail::int_bits(a), bits_b = detail::int_bits(b);
  if (detail::is_unsigned(a) == detail::is_unsigned(b)) return bits_a > bits_b ? a : b;
  if (detail::is_unsigned(a)) return bits_a >= bits_b ? a : b;
  return bits_b >= bits_a ? b : a;
}

// x >> y has the promoted dtype, but the sign of x alone says which bits come in: of x = -4 in int16 and y = 1 in
// uint16, whose promoted dtype is uint16, Triton makes the bits of -2. This is the dtype to shift in.
constexpr DType shift_right_dtype(DType x, DType promoted) {
  if (!is_integer(x) || !is_signed(x) || !detail::is_unsigned(promoted)) return promoted;
  switch (promoted) {
    case DType::uint8: return DType::int8;
    case DType::uint16: return DType::int16;
    case DType::uint32: return DType::int32;
    case DType::uint64: return DType::int64;
    default: return promoted;
  }
}

// The dtype a literal has where no value lends it one: the first that holds it of int32, uint32, int64; fp32 for reals.
constexpr DType dtype_of_literal(LiteralKind kind, long long value) {
  if (kind == LiteralKind::boolean) return DType::int1;
  if (kind == LiteralKind::real) return DType::float32;
  if (value >= -2147483648LL && value <= 2147483647LL) return DType::int32;
  if (value >= 0 && value <= 4294967295LL) return DType::uint32;
  return DType::int64;
}

// A value and a literal: the value's dtype, unless the literal is of a higher kind (bool < int < float). `value` is
// read of integers.
constexpr DType promote(DType a, LiteralKind kind, long long value) {
  const LiteralKind own = a == DType::int1 ? LiteralKind::boolean
                          : is_integer(a)  ? LiteralKind::integer
                                           : LiteralKind::real;
  return kind <= own ? a : dtype_of_literal(kind, value);
}

// sum widens ints to 32 bits of their sign (a bool counts in uint32); floats keep their dtype.
constexpr DType sum_dtype(DType d) {
  return is_float(d) || size_in_bytes(d) >= 4 ? d : is_signed(d) ? DType::int32 : DType::uint32;
}

// cumsum does the same, but widens bf16 to fp32.
constexpr DType cumsum_dtype(DType d) { return d == DType::bfloat16 ? DType::float32 : sum_dtype(d); }

// What a sum of dtype `d` is added up in, to be rounded once at its end: Triton adds narrow floats in their own dtype,
// in an order that is its own.
constexpr DType accumulator_dtype(DType d) { return detail::is_narrow(d) ? DType::float32 : d; }

// max and min widen: ints to int32, narrow floats to fp32.
constexpr DType max_dtype(DType d) {
  if (detail::is_narrow(d)) return DType::float32;
  return is_integer(d) && size_in_bytes(d) < 4 ? DType::int32 : d;
}

// exp, log, sin and their like: ints and bools to fp32; narrow floats keep their dtype and round once.
constexpr DType math_dtype(DType d) { return is_integer(d) ? DType::float32 : d; }

// The accumulator of a dot.
constexpr DType dot_dtype(DType input) {
  return input == DType::float64 ? DType::float64 : input == DType::int8 ? DType::int32 : DType::float32;
}

}  // namespace tl
