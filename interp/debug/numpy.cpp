// Functions of NumPy that are no op of a kernel, made of ops.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/debug/calculator.h"
#include "interp/lang/error.h"

namespace tl::debug {

using cpu::ElementType;
using cpu::Op;
using cpu::RealConstant;
using cpu::Tuple;

std::span<const Calculator::Composite> Calculator::composites() {
#define TL_COMPOSITE(NAME) {#NAME, &Calculator::NAME}
  static constexpr Composite all[] = {TL_COMPOSITE(arange),    TL_COMPOSITE(zeros),
                                      TL_COMPOSITE(ones),      TL_COMPOSITE(full),
                                      TL_COMPOSITE(full_like), TL_COMPOSITE(ones_like),
                                      TL_COMPOSITE(sort),      TL_COMPOSITE(cumsum),
                                      TL_COMPOSITE(cumprod),   TL_COMPOSITE(tril),
                                      TL_COMPOSITE(triu),      TL_COMPOSITE(outer),
                                      TL_COMPOSITE(square),    TL_COMPOSITE(sign),
                                      TL_COMPOSITE(round),     TL_COMPOSITE(next_power_of_2),
                                      TL_COMPOSITE(cdiv),      TL_COMPOSITE(maximum),
                                      TL_COMPOSITE(minimum),   TL_COMPOSITE(where),
                                      TL_COMPOSITE(transpose), {"permute", &Calculator::transpose}};
#undef TL_COMPOSITE
  return all;
}
const Calculator::Composite* Calculator::composite_called(std::string_view name) {
  const auto found = std::ranges::find(composites(), name, &Composite::name);
  return found == composites().end() ? nullptr : &*found;
}

// ---- from numbers ----

AnyValue Calculator::arange(const Arguments& a) {  // (end), (start, end), (start, end, step)
  const bool has_start = a.find(1, {"stop", "end"});
  const AnyValue first = has_start ? a.at(0, {"start"}) : AnyValue(0),
                 end = has_start ? a.at(1, {"stop", "end"}) : a.at(0, {"stop", "end"}),
                 step = a.find(2, {"step"}) ? a.at(2, {"step"}) : AnyValue(1);
  const auto value = [&](const AnyValue& v) { return cpu::double_of(*cast(block(v), DType::float64).data()); };
  const double count = std::ceil((value(end) - value(first)) / value(step));
  if (!(count >= 1 && count <= 0x1p28))
    throw Error(
        fmt::format("arange from {} to {} by {} takes nothing, or too much", value(first), value(end), value(step)),
        "arange(0, 8)");
  const bool is_whole = !first.is<RealConstant>() && !end.is<RealConstant>() && !step.is<RealConstant>();
  const Block lanes = op("arange", {0, static_cast<std::int64_t>(count)}).as<Block>();
  const AnyValue made =
      ask(Op::add, ask(Op::mul, cast(lanes, is_whole ? DType::int64 : DType::float64), block(step)), block(first));
  return cast(made.as<Block>(), is_whole ? whole_dtype() : real_dtype());
}

AnyValue Calculator::filled(const AnyValue& shape, const AnyValue& value, DType dtype) {
  return op("full", {shape, value, ElementType{dtype}});
}
namespace {
DType dtype_of(const Arguments& a, std::size_t place, DType otherwise) {
  const AnyValue* const t = a.find(place, {"dtype"});
  return t && t->is<ElementType>() ? t->as<ElementType>().value : otherwise;
}
}  // namespace
AnyValue Calculator::zeros(const Arguments& a) { return filled(a.at(0, {"shape"}), 0, dtype_of(a, 1, real_dtype())); }
AnyValue Calculator::ones(const Arguments& a) { return filled(a.at(0, {"shape"}), 1, dtype_of(a, 1, real_dtype())); }
AnyValue Calculator::full(const Arguments& a) {
  const AnyValue& value = a.at(1, {"value", "fill_value"});
  const DType own = value.is<RealConstant>() ? real_dtype()
                    : value.is<Block>()      ? value.as<Block>().dtype.value
                                             : whole_dtype();
  return filled(a.at(0, {"shape"}), value, dtype_of(a, 2, own));
}
AnyValue Calculator::full_like(const Arguments& a) {
  const Block x = block(a.at(0, {"input"}));
  return filled(attribute("shape", x), a.at(1, {"value", "fill_value"}), x.dtype.value);
}
AnyValue Calculator::ones_like(const Arguments& a) {
  const Block x = block(a.at(0, {"input"}));
  return filled(attribute("shape", x), 1, x.dtype.value);
}

// ---- lanes to other places ----

AnyValue Calculator::transpose(const Arguments& a) {  // all axes the other way round, or in the order given
  const Block x = block(a.at(0, {"input", "x"}));
  std::vector<AnyValue> order(a.positional.begin() + std::min<std::size_t>(1, a.positional.size()), a.positional.end());
  if (const AnyValue* const axes = a.find(a.positional.size(), {"axes", "dims"})) order = {*axes};
  if (order.size() == 1 && order[0].is<Tuple>()) order = std::vector<AnyValue>(*order[0].as<Tuple>());
  const int rank = x.data()->rank;
  if (order.empty())
    for (int i = rank; i > 0; --i) order.emplace_back(i - 1);
  return rank < 2 ? AnyValue(x) : op("permute", {x, AnyValue(std::move(order))});
}

AnyValue Calculator::sort(const Arguments& a) {  // x axis=-1 descending=False
  const Block x = block(a.at(0, {"x"}));
  const AnyValue *const given = a.find(1, {"axis", "dim"}), *const down = a.find(2, {"descending"});
  const int axis = axis_of(given ? *given : AnyValue(-1), x.data()->rank);
  // Lanes are sorted along the last axis: the two change places, and back.
  std::vector<AnyValue> order;
  for (int i = 0; i < x.data()->rank; ++i) order.emplace_back(i);
  std::swap(order[static_cast<std::size_t>(axis)], order.back());
  const AnyValue axes(std::move(order));
  return op("permute", {op("sort", {op("permute", {x, axes}), -1, down ? *down : AnyValue(false)}), axes});
}

AnyValue Calculator::running(std::string_view name, const Arguments& a) {
  const AnyValue *const axis = a.find(1, {"axis"}), *const reverse = a.find(2, {"reverse"});
  const bool is_numpy = rules_ == Rules::numpy;
  AnyValue x = block(a.at(0, {"input"}));
  if (is_numpy && x.as<Block>().dtype.value == DType::int1) x = cast(x.as<Block>(), DType::int64);
  if (is_numpy && !axis) x = op("ravel", {x});
  const auto run = [&](const AnyValue& v) {
    return op(name, {v, axis ? *axis : AnyValue(0), reverse ? *reverse : AnyValue(false)});
  };
  if (name != "cumsum") return run(x);
  const cpu::Value& d = *x.as<Block>().data();
  const std::int64_t terms = d.rank ? d.dims[axis ? axis_of(*axis, d.rank) : 0] : 1;
  return inexact(run(x), terms, [&] { return run(ask(Op::mul, x, x)); });
}
AnyValue Calculator::cumsum(const Arguments& a) { return running("cumsum", a); }
AnyValue Calculator::cumprod(const Arguments& a) { return running("cumprod", a); }

AnyValue Calculator::triangle(const Arguments& a, Op comparison) {
  const Block x = block(a.at(0, {"x"}));
  if (x.data()->rank < 2) throw Error("a triangle of one axis", "it takes matrices");
  const std::int64_t* const dims = x.data()->dims + x.data()->rank - 2;
  const AnyValue row = op("expand_dims", {op("arange", {0, dims[0]}), 1}),
                 column = ask(Op::sub, op("arange", {0, dims[1]}), a.find(1, {"k"}) ? a.at(1, {"k"}) : AnyValue(0));
  return op("where", {ask(comparison, row, column), x, x.dtype.value == DType::int1 ? AnyValue(false) : AnyValue(0)});
}
AnyValue Calculator::tril(const Arguments& a) { return triangle(a, Op::ge); }
AnyValue Calculator::triu(const Arguments& a) { return triangle(a, Op::le); }

AnyValue Calculator::outer(const Arguments& a) {
  const AnyValue x = op("ravel", {block(a.at(0, {"a"}))}), y = op("ravel", {block(a.at(1, {"b"}))});
  return binary("*", op("expand_dims", {x, 1}), op("expand_dims", {y, 0}));
}

// ---- lane by lane ----

AnyValue Calculator::square(const Arguments& a) { return binary("**", a.at(0, {"x"}), 2); }

AnyValue Calculator::sign(const Arguments& a) {
  const Block x = block(a.at(0, {"x"}));
  const Block above = cast(ask(Op::gt, x, 0).as<Block>(), x.dtype.value),
              below = cast(ask(Op::lt, x, 0).as<Block>(), x.dtype.value);
  return ask(Op::sub, above, below);
}

AnyValue Calculator::round(const Arguments& a) {  // tl.round takes halves away from zero, NumPy to the even
  const AnyValue& x = a.at(0, {"x"});
  if (rules_ == Rules::kernel) return of_op("round", a);
  if (block(x).dtype.value != DType::int1 && is_integer(block(x).dtype.value)) return x;
  const AnyValue made = op("rint", {real(x)});
  return x.is_number() ? number(made.as<Block>()) : made;
}

// Sets each bit of n - 1 below the highest, and adds 1.
AnyValue Calculator::next_power_of_2(const Arguments& a) {
  const AnyValue& n = a.at(0, {"n"});
  const Block x = block(n);
  if (is_float(x.dtype.value)) throw Error("next_power_of_2 of a float", "it takes whole numbers");
  AnyValue bits = ask(Op::sub, x, 1);
  for (int shift = 1; shift < 8 * size_in_bytes(x.dtype.value); shift *= 2)
    bits = ask(Op::bit_or, bits, ask(Op::shr, bits, shift));
  const Block power = op("where", {ask(Op::le, x, 1), 1, ask(Op::add, bits, 1)}).as<Block>();
  return n.is_number() ? number(power) : AnyValue(cast(power, x.dtype.value));
}

AnyValue Calculator::cdiv(const Arguments& a) {
  const AnyValue &x = a.at(0, {"x"}), &y = a.at(1, {"div"});
  return binary(rules_ == Rules::numpy ? "//" : "/", binary("-", binary("+", x, y), 1), y);
}

AnyValue Calculator::larger(std::string_view name, const Arguments& a) {
  AnyValue x = a.at(0, {"x"}), y = a.at(1, {"y"});
  const bool are_numbers = x.is_number() && y.is_number(), has_real = x.is<RealConstant>() || y.is<RealConstant>();
  for (AnyValue* v : {&x, &y}) {
    if (has_real && (are_numbers || rules_ == Rules::numpy)) *v = real(*v);
    else if (are_numbers) *v = block(*v);
  }
  const AnyValue made = op(name, {x, y});
  return are_numbers ? number(made.as<Block>()) : made;
}
AnyValue Calculator::maximum(const Arguments& a) { return larger("maximum", a); }
AnyValue Calculator::minimum(const Arguments& a) { return larger("minimum", a); }

AnyValue Calculator::where(const Arguments& a) {
  const AnyValue condition = ask(Op::ne, block(a.at(0, {"condition"})), 0);
  AnyValue x = a.at(1, {"x"}), y = a.at(2, {"y"});
  const bool has_real = x.is<RealConstant>() || y.is<RealConstant>();
  if (rules_ == Rules::numpy || (x.is_number() && y.is_number()))
    for (AnyValue* v : {&x, &y}) *v = has_real ? real(*v) : block(*v);
  return op("where", {condition, x, y});
}

}  // namespace tl::debug
