#include "interp/debug/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "interp/lang/narrow.h"
#include "interp/lang/promotion.h"

namespace tl::debug {
namespace {

using Bits = std::uint64_t;

constexpr std::string_view first = "first";  // of the two, in the dtype and shape of both
constexpr std::array<std::string_view, 21> signs = {"+",  "-", "*",  "/", "%",  "&",  "|",  "^",   "<<",  ">>", "==",
                                                    "!=", "<", "<=", ">", ">=", "&&", "||", "max", "min", first};

// The low bits of an integer as the dtype reads them.
std::int64_t wrapped(DType dtype, Bits bits) {
  switch (dtype) {
    case DType::int1: return bits & 1;
    case DType::int8: return static_cast<std::int8_t>(bits);
    case DType::int16: return static_cast<std::int16_t>(bits);
    case DType::uint8: return static_cast<std::uint8_t>(bits);
    case DType::uint16: return static_cast<std::uint16_t>(bits);
    case DType::uint32: return static_cast<std::uint32_t>(bits);
    case DType::int32: return static_cast<std::int32_t>(bits);
    default: return static_cast<std::int64_t>(bits);
  }
}

double rounded(DType dtype, double value) {
  if (dtype == DType::float64) return value;
  if (is_narrow_float(dtype)) return decode_narrow(dtype, encode_narrow(dtype, value));
  return static_cast<float>(value);
}

// Both operands have one dtype. What C++ leaves undefined is computed as on a GPU: x / 0 is all ones, x % 0 is x, a
// shift by the width or more leaves 0, or the sign.
std::int64_t integer_op(std::string_view sign, DType dtype, std::int64_t a, std::int64_t b) {
  const Bits x = static_cast<Bits>(a), y = static_cast<Bits>(b);
  const Bits width = static_cast<Bits>(size_in_bytes(dtype)) * 8;
  const Bits ones = width < 64 ? (Bits{1} << width) - 1 : ~Bits{0};
  const bool is_far = (y & ones) >= width, is_wide = dtype == DType::uint64;
  switch (sign[0]) {
    case '+': return wrapped(dtype, x + y);
    case '-': return wrapped(dtype, x - y);
    case '*': return wrapped(dtype, x * y);
    case '/': return wrapped(dtype, b == 0 ? ~Bits{0} : is_wide ? x / y : b == -1 ? 0 - x : static_cast<Bits>(a / b));
    case '%': return b == 0 ? a : is_wide ? static_cast<std::int64_t>(x % y) : b == -1 ? 0 : a % b;
    case '&': return a & b;
    case '|': return a | b;
    case '^': return a ^ b;
    case '<': return is_far ? 0 : wrapped(dtype, x << y);
    case 'm': return (is_wide ? x > y : a > b) == (sign == "max") ? a : b;
    case 'f': return a;
    default: return is_wide ? static_cast<std::int64_t>(is_far ? 0 : x >> y) : is_far ? (a < 0 ? -1 : 0) : a >> b;
  }
}

template <class Real>
Real real_op(std::string_view sign, Real a, Real b) {
  switch (sign[0]) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    case '/': return a / b;
    case 'm': return sign == "max" ? std::fmax(a, b) : std::fmin(a, b);
    case 'f': return a;
    default: return std::fmod(a, b);
  }
}

template <class T>
bool comparison(std::string_view sign, T a, T b) {
  if (sign == "==") return a == b;
  if (sign == "!=") return a != b;
  if (sign == "<") return a < b;
  if (sign == "<=") return a <= b;
  if (sign == ">") return a > b;
  return a >= b;
}

LiteralKind kind_of(const Array& literal) {
  return literal.dtype == DType::int1 ? LiteralKind::boolean
         : is_float(literal.dtype)    ? LiteralKind::real
                                      : LiteralKind::integer;
}

DType promoted_with(DType dtype, const Array& literal) {
  const bool is_real = is_float(literal.dtype);
  const DType t = promote(dtype, kind_of(literal), is_real ? 0 : literal.data[0].whole);
  if (is_integer(t) && wrapped(t, static_cast<Bits>(literal.data[0].whole)) != literal.data[0].whole)
    throw Error(fmt::format("the literal {} does not fit {}", literal.data[0].whole, name_of(t)),
                "cast the block to a wider dtype first, as in x.to(tl.int32)");
  return t;
}

DType promoted(std::string_view sign, const Array& a, const Array& b) {
  if (a.is_weak && b.is_weak) return is_float(a.dtype) || is_float(b.dtype) ? DType::float64 : DType::int64;
  if (a.is_weak) return promoted_with(b.dtype, a);
  if (b.is_weak) return promoted_with(a.dtype, b);
  const bool divides = sign == "/" || sign == "%";
  if (divides && is_integer(a.dtype) && is_integer(b.dtype) && is_signed(a.dtype) != is_signed(b.dtype))
    throw Error(fmt::format("{} {} {}: signed and unsigned do not divide", name_of(a.dtype), sign, name_of(b.dtype)),
                "cast one side with .to so that both have one sign");
  return promote(a.dtype, b.dtype);
}

bool is_true(Number value, DType dtype) { return is_float(dtype) ? value.real != 0 : value.whole != 0; }

// One element of the result, the operands having their own dtypes; `common`: the promoted one.
class Op {
 public:
  Op(std::string_view sign, const Array& a, const Array& b) : sign_(sign), a_(a.dtype), b_(b.dtype) {
    compares_ = sign.size() == 2 ? sign != "<<" && sign != ">>" : sign == "<" || sign == ">";
    joins_ = sign == "&&" || sign == "||";
    if (joins_) return;
    common_ = promoted(sign, a, b);
    is_bits_ = sign == "&" || sign == "|" || sign == "^" || sign == "<<" || sign == ">>";
    const bool is_bool = common_ == DType::int1 && (sign == "/" || sign == "%" || sign == "<<" || sign == ">>");
    if ((is_bits_ && is_float(common_)) || is_bool)
      throw Error(fmt::format("{} is not defined for {}", sign, name_of(common_)), "cast first, as in x.to(tl.int32)");
    // A literal is rounded to the dtype it takes; narrow floats compute in fp32.
    a_literal_ = a.is_weak;
    b_literal_ = b.is_weak;
    computed_ = is_narrow_float(common_) ? DType::float32 : common_;
    if (a.is_weak && b.is_weak && (sign == "/" || sign == "%") && is_integer(common_) && b.data[0].whole == 0)
      throw Error("a division by 0", "floats give inf: 1.0 * x / y");
  }

  DType dtype() const { return compares_ ? DType::int1 : common_; }
  Number operator()(Number a, Number b) const {
    if (joins_) return {.whole = sign_ == "&&" ? is_true(a, a_) && is_true(b, b_) : is_true(a, a_) || is_true(b, b_)};
    const Number x = operand(a, a_, a_literal_), y = operand(b, b_, b_literal_);
    if (is_integer(computed_)) {
      if (compares_ && common_ == DType::uint64)
        return {.whole = comparison(sign_, static_cast<Bits>(x.whole), static_cast<Bits>(y.whole))};
      if (compares_) return {.whole = comparison(sign_, x.whole, y.whole)};
      return {.whole = integer_op(sign_, common_, x.whole, y.whole)};
    }
    if (compares_) return {.whole = comparison(sign_, x.real, y.real)};
    if (computed_ == DType::float64) return {.real = real_op(sign_, x.real, y.real)};
    return {.real = rounded(common_, real_op(sign_, static_cast<float>(x.real), static_cast<float>(y.real)))};
  }

 private:
  Number operand(Number value, DType from, bool is_literal) const {
    return is_literal ? cast(cast(value, from, common_), common_, computed_) : cast(value, from, computed_);
  }

  std::string_view sign_;
  DType a_, b_, common_ = DType::int1, computed_ = DType::int1;
  bool compares_ = false, joins_ = false, is_bits_ = false, a_literal_ = false, b_literal_ = false;
};

template <class F>
Array each(Array a, F f) {
  a.unset.clear();
  for (Number& v : a.data) v = f(v);
  return a;
}

template <class F>
Array each_real(Array a, F f) {
  const DType t = a.dtype;
  return each(std::move(a), [t, f](Number v) { return Number{.real = rounded(t, f(v.real))}; });  // fp8 saturates
}

}  // namespace

Number cast(Number value, DType from, DType to) {
  if (from == to) return value;
  if (is_float(from)) {
    if (is_float(to)) return {.real = rounded(to, value.real)};
    switch (to) {
      case DType::int1: return {.whole = value.real != 0};
      case DType::int8: return {.whole = float_to_int8(value.real)};
      case DType::int16: return {.whole = float_to_int16(value.real)};
      case DType::uint8: return {.whole = float_to_uint8(value.real)};
      case DType::uint16: return {.whole = float_to_uint16(value.real)};
      case DType::uint64: return {.whole = static_cast<std::int64_t>(float_to_uint64(value.real))};
      case DType::uint32: return {.whole = float_to_uint32(value.real)};
      case DType::int32: return {.whole = float_to_int32(value.real)};
      default: return {.whole = float_to_int64(value.real)};
    }
  }
  if (to == DType::int1) return {.whole = value.whole != 0};
  if (is_integer(to)) return {.whole = wrapped(to, static_cast<Bits>(value.whole))};
  if (from == DType::uint64) return {.real = rounded(to, static_cast<double>(static_cast<Bits>(value.whole)))};
  if (to == DType::float32) return {.real = static_cast<float>(value.whole)};  // rounds once
  return {.real = rounded(to, static_cast<double>(value.whole))};
}

Array cast(Array a, DType to) {
  const DType from = a.dtype;
  a = each(std::move(a), [&](Number v) { return cast(v, from, to); });
  a.dtype = to;
  a.is_weak = false;
  return a;
}

Array combine(std::string_view sign, const Array& a, const Array& b) {
  const Op op(*std::find(signs.begin(), signs.end(), sign), a, b);
  Array result;
  result.dtype = op.dtype();
  result.is_weak = a.is_weak && b.is_weak;
  const std::size_t rank = std::max(a.shape.size(), b.shape.size());
  const auto extent = [&](const Array& x, std::size_t d) {
    return d + x.shape.size() < rank ? 1 : x.shape[d + x.shape.size() - rank];
  };
  std::vector<Span> spans;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t m = extent(a, d), n = extent(b, d);
    if (m != n && m != 1 && n != 1)
      throw Error(fmt::format("shapes that do not fit: {} and {} elements along axis {}", m, n, d),
                  "as in the kernel, axes are equal or one of them is 1: slice one, x[0:4]");
    result.shape.push_back(m == 1 ? n : m);
    spans.push_back({0, result.shape.back()});
  }
  const auto element = [&](const Array& x, const std::vector<std::int64_t>& index) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < rank; ++d) at = at * extent(x, d) + (extent(x, d) == 1 ? 0 : index[d]);
    return x.data[at];
  };
  if (!for_each_index(spans, [&](const std::vector<std::int64_t>& index) {
        result.data.push_back(op(element(a, index), element(b, index)));
      }))
    throw Error("more than four million elements", "take a slice, as in x[0:8]");
  return result;
}

Array negative(Array a) {
  if (is_float(a.dtype)) return each_real(std::move(a), [](double v) { return -v; });
  if (a.dtype == DType::int1 && a.is_weak) a.dtype = DType::int64;
  if (a.dtype == DType::int1) return each(std::move(a), [](Number v) { return v; });  // of one bit
  const DType t = a.dtype;
  return each(std::move(a), [t](Number v) { return Number{.whole = wrapped(t, 0 - static_cast<Bits>(v.whole))}; });
}

Array complement(Array a) {
  if (is_float(a.dtype)) throw Error("~ of a float", "~ is for integers and masks");
  const DType t = a.dtype;
  return each(std::move(a), [t](Number v) { return Number{.whole = wrapped(t, ~static_cast<Bits>(v.whole))}; });
}

Array is_zero(Array a) {
  const DType t = a.dtype;
  a = each(std::move(a), [t](Number v) { return Number{.whole = !is_true(v, t)}; });
  a.dtype = DType::int1;
  return a;
}

Array absolute(Array a) {
  if (is_float(a.dtype)) return each_real(std::move(a), [](double v) { return std::abs(v); });
  const DType t = a.dtype;
  return each(std::move(a),
              [t](Number v) { return v.whole < 0 ? Number{.whole = wrapped(t, 0 - static_cast<Bits>(v.whole))} : v; });
}

Array where(const Array& condition, const Array& a, const Array& b) {
  const Array is_other = is_zero(condition);
  Array chosen = combine(first, combine(first, a, b), is_other);
  const Array other = combine(first, combine(first, b, a), is_other),
              choice = combine(first, is_other, combine("==", other, other));  // of the shape of all
  for (std::size_t i = 0; i < chosen.data.size(); ++i)
    if (choice.data[i].whole) chosen.data[i] = other.data[i];
  return chosen;
}

Array mathematics(std::string_view function, Array a) {
  if (is_integer(a.dtype) && !a.is_weak)
    throw Error(fmt::format("{} of {}", function, name_of(a.dtype)), "cast first, as in x.to(tl.float32)");
  if (is_integer(a.dtype)) {
    a = cast(std::move(a), DType::float64);
    a.is_weak = true;
  }
  using F = double (*)(double);
  static constexpr std::pair<std::string_view, F> all[] = {
      {"exp", [](double v) { return std::exp(v); }},
      {"exp2", [](double v) { return std::exp2(v); }},
      {"log", [](double v) { return std::log(v); }},
      {"log2", [](double v) { return std::log2(v); }},
      {"sqrt", [](double v) { return std::sqrt(v); }},
      {"rsqrt", [](double v) { return 1 / std::sqrt(v); }},
      {"sin", [](double v) { return std::sin(v); }},
      {"cos", [](double v) { return std::cos(v); }},
      {"tanh", [](double v) { return std::tanh(v); }},
      {"erf", [](double v) { return std::erf(v); }},
      {"floor", [](double v) { return std::floor(v); }},
      {"ceil", [](double v) { return std::ceil(v); }},
      {"sigmoid", [](double v) { return 1 / (1 + std::exp(-v)); }}};
  const F f = std::ranges::find(all, function, &std::pair<std::string_view, F>::first)->second;
  return each_real(std::move(a), f);
}

Array next_power_of_2(Array a) {
  if (is_float(a.dtype)) throw Error("next_power_of_2 of a float", "it takes whole numbers");
  return each(std::move(a), [](Number v) {
    return Number{.whole = v.whole <= 1 ? 1 : static_cast<std::int64_t>(std::bit_ceil(static_cast<Bits>(v.whole)))};
  });
}

Array reduce(std::string_view function, const Array& a) {
  if (function == "any" || function == "all") {
    const auto holds = [&](Number v) { return is_true(v, a.dtype); };
    return whole_number(DType::int1, function == "any" ? std::any_of(a.data.begin(), a.data.end(), holds)
                                                       : std::all_of(a.data.begin(), a.data.end(), holds));
  }
  const DType t = a.is_weak ? a.dtype : function == "sum" ? sum_dtype(a.dtype) : max_dtype(a.dtype);
  Array result{t, a.is_weak, {}, {cast(a.data[0], a.dtype, t)}};
  Number& all = result.data[0];
  for (std::size_t i = 1; i < a.data.size(); ++i) {
    end_if_stopped();
    const Number v = cast(a.data[i], a.dtype, t);
    if (function == "sum") {  // floats are added in double and rounded once: a kernel's order is its own
      if (is_float(t)) all.real += v.real;
      else all.whole = wrapped(t, static_cast<Bits>(all.whole) + static_cast<Bits>(v.whole));
    } else if (is_float(t)) {
      all.real = function == "max" ? std::fmax(all.real, v.real) : std::fmin(all.real, v.real);
    } else {
      all.whole = function == "max" ? std::max(all.whole, v.whole) : std::min(all.whole, v.whole);
    }
  }
  if (is_float(t)) all.real = rounded(t, all.real);
  return result;
}

}  // namespace tl::debug
