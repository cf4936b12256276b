#include "interp/debug/calculator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "interp/lang/error.h"
#include "interp/lang/text.h"

namespace tl::debug {

using cpu::Constant;
using cpu::Op;
using cpu::RealConstant;
using cpu::Tuple;

namespace {

bool is_weak(const AnyValue& v) { return v.is_number(); }
const cpu::Value& value(const cpu::Block& b) { return *b.data(); }
DType dtype(const cpu::Block& b) { return b.dtype.value; }
bool is_whole(const AnyValue& v) {
  return v.is<Constant>() || (v.is<cpu::Block>() && is_integer(dtype(v.as<cpu::Block>())));
}
bool is_bool(const AnyValue& v) {
  return v.is<Constant>() ? v.as<Constant>().is_bool : v.is<cpu::Block>() && dtype(v.as<cpu::Block>()) == DType::int1;
}

void check_joined(const cpu::Value& a, const cpu::Value& b) {
  double count = 1;
  for (int i = 1; i <= std::max<int>(a.rank, b.rank); ++i)
    count *= static_cast<double>(std::max(i <= a.rank ? a.dims[a.rank - i] : 1, i <= b.rank ? b.dims[b.rank - i] : 1));
  check_size(count);
}
}  // namespace

void check_size(double count) {
  if (count > 0x1p28)
    throw Error(fmt::format("{:.0f} elements, and an expression has at most {:.0f}", count, 0x1p28),
                "take a slice, as in x[0:8]");
}

AnyValue Calculator::ask(Op op, const AnyValue& a, const AnyValue& b) {
  if (a.is<Block>() && b.is<Block>()) check_joined(value(a.as<Block>()), value(b.as<Block>()));
  return without_fault([&] { return cpu::infix(tl_, op, a, b, {}); });
}
AnyValue Calculator::op(std::string_view function, std::vector<AnyValue> positional,
                        std::vector<cpu::NamedValue> named) {
  return without_fault([&] { return cpu::call(tl_, function, std::move(positional), std::move(named)); });
}

cpu::Block Calculator::cast(const Block& x, DType to) {
  return without_fault([&] { return x.to(cpu::ElementType{to}); });
}

cpu::Block Calculator::block(const AnyValue& v) {
  if (v.is<Block>()) return v.as<Block>();
  if (v.is<RealConstant>()) {
    const double real = v.as<RealConstant>().value;
    return cpu::block_of(tl_, DType::float64, DType::float64, {}, &real);
  }
  if (v.is<Constant>()) {
    const std::int64_t whole = v.as<Constant>().value;
    return cpu::block_of(tl_, v.as<Constant>().is_bool ? DType::int1 : DType::int64, DType::int64, {}, &whole);
  }
  if (v.is<Tuple>() && !v.as<Tuple>()->empty()) {  // [1, 2, 3]
    const Block all = stack(std::array{v, AnyValue(0)}).as<Block>();
    const bool are_numbers = std::ranges::all_of(*v.as<Tuple>(), is_weak);
    if (!are_numbers || dtype(all) == DType::int1) return all;
    return cast(all, is_float(dtype(all)) ? real_dtype() : whole_dtype());
  }
  throw Error(fmt::format("a value is wanted, and this is {}", text_of_kind(v)), "name a block, a tensor or a number");
}

cpu::Block Calculator::real(const AnyValue& v) {
  const Block b = block(v);
  if (is_float(dtype(b))) return b;
  return cast(b, rules_ == Rules::numpy || is_weak(v) ? DType::float64 : DType::float32);
}

AnyValue Calculator::number(const Block& scalar) const {
  const cpu::Value& d = value(scalar);
  if (is_float(d.dtype)) return cpu::double_of(d);
  return AnyValue(Constant(cpu::int_of(d), d.dtype == DType::int1));
}

// ---- operators ----

AnyValue Calculator::unary(std::string_view sign, const AnyValue& v) {
  if (sign == "+") return v;
  const Block x = sign == "-" && is_weak(v) && is_bool(v) ? cast(block(v), DType::int64) : block(v);
  if (sign == "~" && is_float(dtype(x))) throw Error("~ of a float", "~ is for integers and masks");
  const AnyValue made = without_fault([&] {
    return cpu::prefix(tl_, sign == "-" ? Op::neg : sign == "~" ? Op::bit_not : Op::logical_not, x, {});
  });
  return is_weak(v) ? number(made.as<Block>()) : made;
}

AnyValue Calculator::binary(std::string_view sign, const AnyValue& a, const AnyValue& b) {
  if (sign == "@") return product(a, b);
  if (!is_weak(a) || !is_weak(b)) return computed(sign, a, b);
  // Two numbers: in 64 bits, and the result is a number again.
  if ((sign == "/" || sign == "//" || sign == "%") && is_whole(a) && is_whole(b) && b.as<Constant>().value == 0)
    throw Error("a division by 0", "floats give inf: 1.0 * x / y");
  const auto wide = [&](const AnyValue& v) -> AnyValue {
    const bool joins = sign == "&" || sign == "|" || sign == "^" || sign == "&&" || sign == "||";
    return is_bool(v) && !joins ? cast(block(v), DType::int64) : block(v);
  };
  if (sign == "**" && is_whole(a) && is_whole(b) && b.as<Constant>().value < 0)
    return number(computed(sign, real(a), real(b)).as<Block>());
  return number(computed(sign, wide(a), wide(b)).as<Block>());
}

AnyValue Calculator::computed(std::string_view sign, AnyValue a, AnyValue b) {
  static constexpr std::pair<std::string_view, Op> ops[] = {
      {"+", Op::add},    {"-", Op::sub},     {"*", Op::mul},  {"/", Op::div},  {"%", Op::mod}, {"&", Op::bit_and},
      {"|", Op::bit_or}, {"^", Op::bit_xor}, {"<<", Op::shl}, {">>", Op::shr}, {"<", Op::lt},  {"<=", Op::le},
      {">", Op::gt},     {">=", Op::ge},     {"==", Op::eq},  {"!=", Op::ne}};
  if (sign == "&&" || sign == "||") {
    const Block zero = block(AnyValue(0)), x = ask(Op::ne, block(a), zero).as<Block>(),
                y = ask(Op::ne, block(b), zero).as<Block>();
    return ask(sign == "&&" ? Op::bit_and : Op::bit_or, x, y);
  }
  for (AnyValue* v : {&a, &b})
    if (!v->is<Block>() && !is_weak(*v)) *v = block(*v);  // of a list; else it says what is wanted
  if (rules_ == Rules::numpy) {
    // A float beside whole numbers makes them double, not float32.
    if (a.is<RealConstant>() && is_whole(b)) a = block(a);
    if (b.is<RealConstant>() && is_whole(a)) b = block(b);
    const bool joins = is_bool(a) && is_bool(b);
    if (joins && sign == "+") sign = "|";
    else if (joins && sign == "*") sign = "&";
    else if (sign == "/" || sign == "//" || sign == "%" || sign == "**" || sign == "<<" || sign == ">>")
      for (AnyValue* v : {&a, &b})
        if (is_bool(*v)) *v = cast(block(*v), DType::int64);
  }
  if (sign == "**") return power(a, b);
  if (sign == "//") return floor_quotient(a, b);
  if (sign == "/") return quotient(a, b);
  if (sign == "%") return remainder(a, b);
  const auto* const found = std::ranges::find(ops, sign, &std::pair<std::string_view, Op>::first);
  return ask(found->second, a, b);
}

AnyValue Calculator::quotient(const AnyValue& a, const AnyValue& b) {
  if (rules_ == Rules::kernel || !is_whole(a) || !is_whole(b)) return ask(Op::div, a, b);
  return ask(Op::div, real(a), real(b));
}

// The largest whole number not above a / b: a less its remainder is a multiple of b.
AnyValue Calculator::floor_quotient(const AnyValue& a, const AnyValue& b) {
  const bool whole = is_whole(a) && is_whole(b);
  if (rules_ == Rules::kernel) {  // Triton's //
    const AnyValue q = ask(Op::div, a, b);
    return whole ? q : op("floor", {q});
  }
  const AnyValue multiple = ask(Op::sub, a, remainder(a, b)), q = ask(Op::div, multiple, b),
                 is_zero = ask(Op::eq, b.is<Block>() ? b : AnyValue(block(b)), 0);
  if (whole) return op("where", {is_zero, 0, q});
  return op("where", {is_zero, ask(Op::div, a, b), op("rint", {q})});
}

AnyValue Calculator::remainder(const AnyValue& a, const AnyValue& b) {
  const AnyValue m = ask(Op::mod, a, b);
  if (rules_ == Rules::kernel) return m;
  // With b's sign.
  const AnyValue divisor = b.is<Block>() ? b : AnyValue(block(b));
  const AnyValue is_below = ask(Op::lt, m, 0), differs = ask(Op::ne, is_below, ask(Op::lt, divisor, 0));
  const AnyValue adds = ask(Op::bit_and, ask(Op::ne, m, 0), differs);
  const AnyValue made = op("where", {adds, ask(Op::add, m, b), m});
  return is_whole(a) && is_whole(b) ? op("where", {ask(Op::eq, divisor, 0), 0, made}) : made;
}

AnyValue Calculator::power(const AnyValue& a, const AnyValue& b) {
  const bool is_square = b.is<Constant>() && b.as<Constant>().value == 2;
  if (is_square && a.is<Block>() && !is_bool(a)) return ask(Op::mul, a, a);
  if (!is_whole(a) || !is_whole(b))
    return op("pow", {is_whole(a) ? AnyValue(real(a)) : a, is_whole(b) ? AnyValue(real(b)) : b});
  // For whole numbers: squares of squares, for each bit of the exponent.
  const Block base = is_bool(a) ? cast(block(a), DType::int64) : block(a), exponent = block(b);
  const std::int64_t least = cpu::int_of(value(along("min", op("ravel", {exponent}).as<Block>(), 0).as<Block>())),
                     most = cpu::int_of(value(along("max", op("ravel", {exponent}).as<Block>(), 0).as<Block>()));
  if (least < 0) throw Error("a whole number to a negative power", "write a float: 2.0 ** n");
  AnyValue result = ask(Op::add, ask(Op::mul, ask(Op::mul, base, exponent), 0), 1), square = base;
  for (int bit = 0; bit < 62 && most >> bit; ++bit) {
    const AnyValue is_set = ask(Op::ne, ask(Op::bit_and, exponent, std::int64_t{1} << bit), 0);
    result = op("where", {is_set, ask(Op::mul, result, square), result});
    square = ask(Op::mul, square, square);
  }
  return result;
}

// ---- shapes ----

AnyValue Calculator::reshaped(const AnyValue& x, const std::vector<std::int64_t>& shape) {
  cpu::Shape s;
  if (shape.size() > cpu::max_rank)
    throw Error(fmt::format("{} axes", shape.size()), fmt::format("a value has at most {}", cpu::max_rank));
  for (const std::int64_t n : shape) s.dims[s.rank++] = n;
  return without_fault([&] { return tl_.reshape(block(x), s); });
}

AnyValue Calculator::product(const AnyValue& left, const AnyValue& right) {
  const Block a = block(left), b = block(right);
  const int ra = value(a).rank, rb = value(b).rank;
  if ((ra == 0 || rb == 0) && rules_ == Rules::numpy) return binary("*", a, b);  // as np.dot
  if (ra == 0 || rb == 0) throw Error("a product of matrices takes two blocks", "of a number, x * 2");
  // A row is 1 x k, a column k x 1, for the product's time.
  const AnyValue rows = ra == 1 ? reshaped(a, {1, value(a).dims[0]}) : AnyValue(a),
                 columns = rb == 1 ? reshaped(b, {value(b).dims[0], 1}) : AnyValue(b);
  const AnyValue made = matrices(rows.as<Block>(), columns.as<Block>());
  std::vector<std::int64_t> shape = shape_of(made.as<Block>());
  if (rb == 1) shape.erase(shape.end() - 1);
  if (ra == 1) shape.erase(shape.end() - (rb == 1 ? 1 : 2));
  return ra == 1 || rb == 1 ? reshaped(made, shape) : made;
}

AnyValue Calculator::matrices(const Block& left, const Block& right) {
  std::vector<std::int64_t> sa = shape_of(left), sb = shape_of(right), batch;
  const std::int64_t m = sa.end()[-2], k = sa.end()[-1], n = sb.end()[-1];
  const auto refuse = [&] {
    throw Error(
        fmt::format("a product takes m x k and k x n, not {} and {}", fmt::join(sa, " x "), fmt::join(sb, " x ")),
        "of `b` stored n x k, a @ b.T; slices as in x[0:4, :]");
  };
  if (k != sb.end()[-2]) refuse();
  const std::size_t rank = std::max(sa.size(), sb.size());
  for (std::size_t i = 0; i + 2 < rank; ++i) {
    const auto size = [&](const std::vector<std::int64_t>& s) {
      return i + s.size() < rank ? 1 : s[i + s.size() - rank];
    };
    if (size(sa) != size(sb) && size(sa) != 1 && size(sb) != 1) refuse();
    batch.push_back(size(sa) == 1 ? size(sb) : size(sa));
  }
  // dot takes floats of one dtype: others are multiplied in double, which holds what 53 bits do.
  const DType t = promote(dtype(left), dtype(right));
  const bool is_plain = rules_ == Rules::kernel && dtype(left) == dtype(right) && (is_float(t) || t == DType::int8);
  std::int64_t count = 1;
  for (const std::int64_t size : batch) count *= size;
  check_size(static_cast<double>(count) * static_cast<double>(m) * static_cast<double>(n));
  const auto side = [&](const Block& x, std::int64_t rows, std::int64_t columns) -> AnyValue {
    std::vector<std::int64_t> whole = batch;
    whole.insert(whole.end(), {rows, columns});
    AnyValue y = is_plain ? x : cast(x, DType::float64);
    if (shape_of(x) != whole) {
      std::vector<AnyValue> shape(whole.begin(), whole.end());
      y = op("broadcast_to", {y, AnyValue(std::move(shape))});
    }
    return batch.empty() ? y : reshaped(y, {count, rows, columns});
  };
  const AnyValue a = side(left, m, k), b = side(right, k, n);
  AnyValue made = inexact(op("dot", {a, b}), k, [&] { return op("dot", {ask(Op::mul, a, a), ask(Op::mul, b, b)}); });
  if (!is_plain && t != DType::float64)
    made = cast(made.as<Block>(), rules_ == Rules::numpy && is_float(t) ? DType::float64 : t);
  if (batch.empty()) return made;
  batch.insert(batch.end(), {m, n});
  return reshaped(made, batch);
}

}  // namespace tl::debug
