// Operators and functions of expressions, computed by the ops of a kernel. NumPy's names and rules for shapes are made
// of ops here.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interp/cpu/call.h"
#include "interp/cpu/workspace.h"
#include "interp/debug/expression.h"

namespace tl::debug {

using cpu::AnyValue;

inline std::vector<std::int64_t> shape_of(const cpu::Block& b) {
  return {b.data()->dims, b.data()->dims + b.data()->rank};
}

bool is_function(std::string_view name);
bool is_method(std::string_view name);     // beside functions: x.to(tl.float16)
bool is_attribute(std::string_view name);  // x.T
std::vector<std::string> function_names();

// The values of a call, by their places and by their names.
struct Arguments {
  std::vector<AnyValue> positional;
  std::vector<cpu::NamedValue> named = {};

  const AnyValue* find(std::size_t place, std::initializer_list<std::string_view> names) const;  // null: not given
  const AnyValue& at(std::size_t place, std::initializer_list<std::string_view> names) const;    // throws Error
};

// Every member throws Error, without a place, for operands that do not fit.
class Calculator {
 public:
  Calculator(cpu::Context& tl, Rules rules, Pairs pairs, InexactSum* inexact = nullptr)
      : tl_(tl), rules_(rules), pairs_(pairs), inexact_(inexact) {}

  AnyValue unary(std::string_view sign, const AnyValue&);
  AnyValue binary(std::string_view sign, const AnyValue&, const AnyValue&);
  AnyValue call(std::string_view function, Arguments);
  AnyValue method(std::string_view name, const AnyValue& self, Arguments);
  AnyValue attribute(std::string_view name, const AnyValue&);
  AnyValue reshaped(const AnyValue&, const std::vector<std::int64_t>& shape);
  // table[indices] along the first axis.
  AnyValue gathered(const AnyValue& table, const AnyValue& indices);

 private:
  using Block = cpu::Block;

  AnyValue ask(cpu::Op op, const AnyValue& a, const AnyValue& b);
  AnyValue op(std::string_view function, std::vector<AnyValue> positional, std::vector<cpu::NamedValue> named = {});
  Block block(const AnyValue&);  // a number becomes a scalar of 64 bits
  Block real(const AnyValue&);   // whole numbers become floats
  Block cast(const Block&, DType);
  AnyValue number(const Block& scalar) const;
  DType whole_dtype() const { return rules_ == Rules::numpy ? DType::int64 : DType::int32; }
  DType real_dtype() const { return rules_ == Rules::numpy ? DType::float64 : DType::float32; }

  // Operators.
  AnyValue computed(std::string_view sign, AnyValue a, AnyValue b);
  AnyValue quotient(const AnyValue& a, const AnyValue& b);
  AnyValue floor_quotient(const AnyValue& a, const AnyValue& b);
  AnyValue remainder(const AnyValue& a, const AnyValue& b);
  AnyValue power(const AnyValue& a, const AnyValue& b);
  AnyValue product(const AnyValue& a, const AnyValue& b);
  AnyValue matrices(const Block& a, const Block& b);

  // Functions.
  AnyValue reduction(std::string_view name, const Arguments&);
  AnyValue along(std::string_view name, const Block& x, int axis);
  // A sum of so many terms, off by its error if it is the one that should be; `squares`: the sum of the terms' squares.
  template <class Squares>
  AnyValue inexact(const AnyValue& sum, std::int64_t terms, Squares squares);
  AnyValue of_op(std::string_view name, Arguments);
  bool is_pair(std::string_view name, const Arguments&);

  // Functions of NumPy that are no op, numpy.cpp.
  struct Composite;
  static std::span<const Composite> composites();
  static const Composite* composite_called(std::string_view name);
  friend bool is_function(std::string_view);
  friend std::vector<std::string> function_names();
  AnyValue arange(const Arguments&), zeros(const Arguments&), ones(const Arguments&), full(const Arguments&),
      full_like(const Arguments&), ones_like(const Arguments&);
  AnyValue transpose(const Arguments&), sort(const Arguments&), cumsum(const Arguments&), cumprod(const Arguments&),
      tril(const Arguments&), triu(const Arguments&), outer(const Arguments&);
  AnyValue square(const Arguments&), sign(const Arguments&), round(const Arguments&), next_power_of_2(const Arguments&),
      cdiv(const Arguments&), maximum(const Arguments&), minimum(const Arguments&), where(const Arguments&);
  AnyValue filled(const AnyValue& shape, const AnyValue& value, DType);
  AnyValue running(std::string_view name, const Arguments&);
  AnyValue triangle(const Arguments&, cpu::Op comparison);
  AnyValue larger(std::string_view name, const Arguments&);

  cpu::Context& tl_;
  Rules rules_;
  Pairs pairs_;
  InexactSum* inexact_;
};

// k terms of size r are added in f32, say. Their sum of random sign stays below S = 4 sqrt(k) r, that of one sign below
// S = k r, together |sum| + 4 sqrt(sum of squares). Rounding errs k times by at most u S, of random sign, deviation
// u S / sqrt(3): 6 deviations of all of them are 6 sqrt(k) u S / sqrt(3).
template <class Squares>
AnyValue Calculator::inexact(const AnyValue& sum, std::int64_t terms, Squares squares) {
  if (!inexact_ || !is_float(sum.as<Block>().dtype.value) || inexact_->count++ != inexact_->which) return sum;
  const double error = 6 / std::sqrt(3.0) * std::sqrt(static_cast<double>(terms)) * inexact_->roundoff;
  const AnyValue size = binary("+", op("abs", {sum}), binary("*", 4.0, op("sqrt", {squares()})));
  return binary("+", sum, binary("*", error, size));
}

struct Calculator::Composite {
  std::string_view name;
  AnyValue (Calculator::*compute)(const Arguments&);
};

// The axis, counted from 0; throws Error for an axis that the value lacks.
int axis_of(const AnyValue& axis, int rank);

}  // namespace tl::debug
