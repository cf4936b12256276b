// Python's own arithmetic, of what is known before a program runs.
#pragma once

#include <optional>
#include <string_view>

#include "interp/triton/values.h"

namespace tl::triton {

enum class Sign : unsigned char {
  add,
  sub,
  mul,
  true_div,
  floor_div,
  mod,
  power,
  matmul,
  bit_and,
  bit_or,
  bit_xor,
  shl,
  shr,
  lt,
  le,
  gt,
  ge,
  eq,
  ne,
  in,
  not_in,
  is,
  is_not,
};
Sign sign_of(std::string_view text);
std::string_view text_of(Sign);

// What a variable is given: a number that is not weak is strong from there on.
Value assigned(Value, bool is_weak);
// x sign y, as Python computes it; nothing where it has no such operator of these. Throws Error for x / 0.
std::optional<Value> computed(Sign, const Value& x, const Value& y);
std::optional<Value> computed(std::string_view prefix, const Value& x);
// Nothing for blocks.
std::optional<bool> truth_of(const Value&);
// Functions of Python's and of Triton's host side, min(a, b), float('inf'), triton.next_power_of_2(n); nothing where
// it has none of that name for these.
std::optional<Value> called(std::string_view function, std::span<const Value> arguments);
bool is_host_function(std::string_view name);

}  // namespace tl::triton
