// Operators and functions of expressions, computed by the ops of a kernel. NumPy's names and rules for shapes are made
// of ops here.
#pragma once

#include <cmath>
#include <optional>
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
};
// One value a parameter.
using Values = std::span<const AnyValue>;
// Was it passed, and not as None?
inline bool is_given(const AnyValue& v) { return !v.is<cpu::NotGiven>() && !v.is<cpu::None>(); }

// f(), a fault of whose ops is an Error.
template <class F>
auto without_fault(F f) {
  try {
    return f();
  } catch (const FaultError& e) {
    const auto& fault = e.fault;
    // The place in the text says which operator it is.
    const std::string fact =
        fault.headline.starts_with("tl.")
            ? fault.headline
            : fault.headline.substr(std::min(fault.headline.find(": ") + 2, fault.headline.size()));
    throw Error(fact + (fault.detail.empty() ? "" : " (" + fault.detail + ")"), fault.fix);
  }
}

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
  // The values in the order of the parameters, NotGiven where none was passed. Other names of NumPy's and torch's are
  // taken, too: dim for axis.
  std::vector<AnyValue> bound(const cpu::Function&, Arguments);
  // table[i, j], with blocks of indices for some axes, in the axes' order: along `axes` of x, the first of which the
  // indices' own axes replace; `leads`: they come first.
  AnyValue indexed(const AnyValue& x, const std::vector<int>& axes, const std::vector<AnyValue>& indices, bool leads);
  // May stand as i in x[i]: whole numbers with axes.
  static bool is_index_block(const AnyValue&);

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
  AnyValue reduction(std::string_view name, Arguments);
  AnyValue along(std::string_view name, const Block& x, int axis);
  // A sum of so many terms, off by its error if it is the one that should be; `squares`: the sum of the terms' squares.
  template <class Squares>
  AnyValue inexact(const AnyValue& sum, std::int64_t terms, Squares squares);
  AnyValue of_op(std::string_view name, Arguments);
  bool is_pair(std::string_view name, const Arguments&);

  // Functions of NumPy that are no op, and no text of text_functions.h: numpy.cpp, movement.cpp, einsum.cpp.
  struct Composite;
  static std::span<const Composite> composites();
  static const Composite* composite_called(std::string_view name);
  friend bool is_function(std::string_view);
  friend std::vector<std::string> function_names();
  AnyValue arange(Values), zeros(Values), ones(Values), full(Values), full_like(Values), ones_like(Values),
      array(Values);
  AnyValue sort(Values), argsort(Values), cumsum(Values), cumprod(Values);
  AnyValue round(Values), next_power_of_2(Values), maximum(Values), minimum(Values), where(Values);
  AnyValue transpose(Values), moveaxis(Values), swapaxes(Values), concatenate(Values), stack(Values), pad(Values),
      einsum(Values);
  AnyValue filled(const AnyValue& shape, const AnyValue& value, DType);
  AnyValue running(std::string_view name, Values);
  AnyValue larger(std::string_view name, Values);
  AnyValue gathered(const AnyValue& table, const AnyValue& indices);
  AnyValue permuted(const AnyValue& x, const std::vector<int>& order);
  AnyValue joined(std::vector<AnyValue> parts, int axis);
  std::vector<AnyValue> list(const AnyValue&) const;

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
  std::string_view name, parameters;
  AnyValue (Calculator::*compute)(Values);
};

// A dtype by tl's, NumPy's and torch's names.
std::optional<DType> dtype_called(std::string_view name);

// Before memory is asked for: an expression is typed in a moment. Throws Error.
void check_size(double count);

// The axis, counted from 0; throws Error for an axis that the value lacks.
int axis_of(const AnyValue& axis, int rank);

}  // namespace tl::debug
