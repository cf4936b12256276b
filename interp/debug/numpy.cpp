// Functions of NumPy that are no op of a kernel, made of ops.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "interp/debug/calculator.h"
#include "interp/lang/error.h"
#include "interp/lang/parameters.h"

namespace tl::debug {

using cpu::ElementType;
using cpu::Op;
using cpu::RealConstant;

std::span<const Calculator::Composite> Calculator::composites() {
#define TL_COMPOSITE(NAME, PARAMETERS) {#NAME, PARAMETERS, &Calculator::NAME}
  static constexpr Composite all[] = {TL_COMPOSITE(arange, "start, stop=None, step=None, dtype=None"),
                                      TL_COMPOSITE(zeros, "shape, dtype=None"),
                                      TL_COMPOSITE(ones, "shape, dtype=None"),
                                      TL_COMPOSITE(full, "shape, value, dtype=None"),
                                      TL_COMPOSITE(full_like, "x, value"),
                                      TL_COMPOSITE(ones_like, "x"),
                                      TL_COMPOSITE(array, "x, dtype=None"),
                                      TL_COMPOSITE(sort, "x, axis=None, descending=False"),
                                      TL_COMPOSITE(argsort, "x, axis=None"),
                                      TL_COMPOSITE(cumsum, "x, axis=None, reverse=False"),
                                      TL_COMPOSITE(cumprod, "x, axis=None, reverse=False"),
                                      TL_COMPOSITE(round, "x, decimals=0"),
                                      TL_COMPOSITE(next_power_of_2, "n"),
                                      TL_COMPOSITE(maximum, "x, y, propagate_nan=None"),
                                      TL_COMPOSITE(minimum, "x, y, propagate_nan=None"),
                                      TL_COMPOSITE(where, "condition, x, y"),
                                      TL_COMPOSITE(transpose, "x, *axes"),
                                      {"permute", "x, *axes", &Calculator::transpose},
                                      TL_COMPOSITE(moveaxis, "x, source, destination"),
                                      TL_COMPOSITE(swapaxes, "x, axis1, axis2"),
                                      TL_COMPOSITE(concatenate, "arrays, axis=0"),
                                      TL_COMPOSITE(stack, "arrays, axis=0"),
                                      TL_COMPOSITE(pad, "x, pad_width, mode=None, constant_values=0"),
                                      TL_COMPOSITE(einsum, "subscripts, *operands")};
#undef TL_COMPOSITE
  return all;
}
const Calculator::Composite* Calculator::composite_called(std::string_view name) {
  const auto found = std::ranges::find(composites(), name, &Composite::name);
  return found == composites().end() ? nullptr : &*found;
}

// ---- from numbers ----

namespace {
DType dtype_of(const AnyValue& given, DType otherwise) {
  return given.is<ElementType>() ? given.as<ElementType>().value : otherwise;
}
}  // namespace

AnyValue Calculator::arange(Values a) {  // (end), (start, end), (start, end, step)
  const bool has_start = is_given(a[1]);
  const AnyValue first = has_start ? a[0] : AnyValue(0), end = has_start ? a[1] : a[0],
                 step = is_given(a[2]) ? a[2] : AnyValue(1);
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
  return cast(made.as<Block>(), dtype_of(a[3], is_whole ? whole_dtype() : real_dtype()));
}

AnyValue Calculator::filled(const AnyValue& shape, const AnyValue& value, DType dtype) {
  double count = 1;
  if (shape.is<cpu::Tuple>())
    for (const AnyValue& n : *shape.as<cpu::Tuple>())
      if (n.is<cpu::Constant>()) count *= static_cast<double>(n.as<cpu::Constant>().value);
  check_size(count);
  return op("full", {shape, value, ElementType{dtype}});
}
AnyValue Calculator::zeros(Values a) { return filled(a[0], 0, dtype_of(a[1], real_dtype())); }
AnyValue Calculator::ones(Values a) { return filled(a[0], 1, dtype_of(a[1], real_dtype())); }
AnyValue Calculator::full(Values a) {
  const AnyValue& value = a[1];
  const DType own = value.is<RealConstant>() ? real_dtype()
                    : value.is<Block>()      ? value.as<Block>().dtype.value
                                             : whole_dtype();
  return filled(a[0], value, dtype_of(a[2], own));
}
AnyValue Calculator::full_like(Values a) {
  const Block x = block(a[0]);
  return filled(attribute("shape", x), a[1], x.dtype.value);
}
AnyValue Calculator::ones_like(Values a) { return full_like(std::array{a[0], AnyValue(1)}); }
AnyValue Calculator::array(Values a) {
  return is_given(a[1]) ? cast(block(a[0]), dtype_of(a[1], real_dtype())) : block(a[0]);
}

// ---- lanes to other places ----

// Lanes are sorted along the last axis: the two change places, and back.
AnyValue Calculator::sort(Values a) {
  const Block x = block(a[0]);
  const int last = x.data()->rank - 1, axis = is_given(a[1]) ? axis_of(a[1], last + 1) : last;
  const AnyValue down = is_given(a[2]) ? a[2] : AnyValue(false);
  return swapaxes(std::array{op("sort", {swapaxes(std::array{AnyValue(x), AnyValue(axis), AnyValue(last)}), -1, down}),
                             AnyValue(axis), AnyValue(last)});
}

// Stable, as equal keys are ranked by their place in most references.
AnyValue Calculator::argsort(Values a) {
  const Block x = block(a[0]);
  const int last = x.data()->rank - 1, axis = is_given(a[1]) ? axis_of(a[1], last + 1) : last;
  const auto exchanged = [&](const AnyValue& v) { return swapaxes(std::array{v, AnyValue(axis), AnyValue(last)}); };
  Array keys = array_of(exchanged(x).as<Block>());
  const bool is_real = is_float(keys.dtype);
  const auto size = static_cast<std::ptrdiff_t>(keys.shape.back());
  std::vector<Number> order(keys.data.size());
  for (auto row = keys.data.begin(), places = order.begin(); row != keys.data.end(); row += size, places += size) {
    for (std::ptrdiff_t i = 0; i < size; ++i) places[i].whole = i;
    std::stable_sort(places, places + size, [&](Number i, Number j) {  // NaN last
      return is_real ? row[i.whole].real < row[j.whole].real ||
                           (std::isnan(row[j.whole].real) && !std::isnan(row[i.whole].real))
                     : row[i.whole].whole < row[j.whole].whole;
    });
  }
  keys.data = std::move(order);
  keys.dtype = DType::int64;
  return exchanged(block_of(tl_, keys));
}

AnyValue Calculator::running(std::string_view name, Values a) {
  const bool is_numpy = rules_ == Rules::numpy, has_axis = is_given(a[1]);
  AnyValue x = block(a[0]);
  if (is_numpy && x.as<Block>().dtype.value == DType::int1) x = cast(x.as<Block>(), DType::int64);
  if (is_numpy && !has_axis) x = op("ravel", {x});
  const AnyValue axis = has_axis ? a[1] : AnyValue(0), reverse = is_given(a[2]) ? a[2] : AnyValue(false);
  const auto run = [&](const AnyValue& v) { return op(name, {v, axis, reverse}); };
  if (name != "cumsum") return run(x);
  const cpu::Value& d = *x.as<Block>().data();
  const std::int64_t terms = d.rank ? d.dims[axis_of(axis, d.rank)] : 1;
  return inexact(run(x), terms, [&] { return run(ask(Op::mul, x, x)); });
}
AnyValue Calculator::cumsum(Values a) { return running("cumsum", a); }
AnyValue Calculator::cumprod(Values a) { return running("cumprod", a); }

// ---- lane by lane ----

AnyValue Calculator::round(Values a) {  // tl.round takes halves away from zero, NumPy to the even
  const AnyValue& x = a[0];
  if (rules_ == Rules::kernel) return of_op("round", {{x}});
  if (block(x).dtype.value != DType::int1 && is_integer(block(x).dtype.value)) return x;
  const AnyValue scale = is_given(a[1]) ? binary("**", 10.0, a[1]) : AnyValue(1.0);
  const AnyValue made = op("rint", {real(binary("*", real(x), scale))});
  const AnyValue rounded = binary("/", made, scale);
  return x.is_number() ? number(rounded.as<Block>()) : rounded;
}

// Sets each bit of n - 1 below the highest, and adds 1.
AnyValue Calculator::next_power_of_2(Values a) {
  const AnyValue& n = a[0];
  const Block x = block(n);
  if (is_float(x.dtype.value)) throw Error("next_power_of_2 of a float", "it takes whole numbers");
  AnyValue bits = ask(Op::sub, x, 1);
  for (int shift = 1; shift < 8 * size_in_bytes(x.dtype.value); shift *= 2)
    bits = ask(Op::bit_or, bits, ask(Op::shr, bits, shift));
  const Block power = op("where", {ask(Op::le, x, 1), 1, ask(Op::add, bits, 1)}).as<Block>();
  return n.is_number() ? number(power) : AnyValue(cast(power, x.dtype.value));
}

AnyValue Calculator::larger(std::string_view name, Values a) {
  AnyValue x = a[0], y = a[1];
  const bool are_numbers = x.is_number() && y.is_number(), has_real = x.is<RealConstant>() || y.is<RealConstant>();
  for (AnyValue* v : {&x, &y}) {
    if (has_real && (are_numbers || rules_ == Rules::numpy)) *v = real(*v);
    else if (are_numbers) *v = block(*v);
  }
  const AnyValue made = is_given(a[2]) ? op(name, {x, y, a[2]}) : op(name, {x, y});
  return are_numbers ? number(made.as<Block>()) : made;
}
AnyValue Calculator::maximum(Values a) { return larger("maximum", a); }
AnyValue Calculator::minimum(Values a) { return larger("minimum", a); }

AnyValue Calculator::where(Values a) {
  const AnyValue condition = ask(Op::ne, block(a[0]), 0);
  AnyValue x = a[1], y = a[2];
  const bool has_real = x.is<RealConstant>() || y.is<RealConstant>();
  if (rules_ == Rules::numpy || (x.is_number() && y.is_number()))
    for (AnyValue* v : {&x, &y}) *v = has_real ? real(*v) : block(*v);
  return op("where", {condition, x, y});
}

}  // namespace tl::debug
