// Functions that move lanes to other places: axes in another order, values behind one another, x[i, j] of blocks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "interp/debug/calculator.h"
#include "interp/lang/error.h"

namespace tl::debug {

using cpu::Constant;
using cpu::Op;
using cpu::Tuple;

namespace {

std::vector<int> axes_of(const AnyValue& v, int rank) {
  std::vector<int> axes;
  if (!v.is<Tuple>()) return {axis_of(v, rank)};
  for (const AnyValue& each : *v.as<Tuple>()) axes.push_back(axis_of(each, rank));
  return axes;
}

std::int64_t whole(const AnyValue& v, const char* what) {
  if (!v.is<Constant>())
    throw Error(fmt::format("{} is a whole number, and this is {}", what, text_of_kind(v)), "write it: 2");
  return v.as<Constant>().value;
}

}  // namespace

std::vector<AnyValue> Calculator::list(const AnyValue& v) const {
  if (!v.is<Tuple>() || v.as<Tuple>()->empty())
    throw Error(fmt::format("a list of arrays is wanted, and this is {}", text_of_kind(v)), "concatenate([x, y])");
  return *v.as<Tuple>();
}

AnyValue Calculator::permuted(const AnyValue& x, const std::vector<int>& order) {
  if (std::ranges::is_sorted(order)) return x;
  return op("permute", {x, AnyValue(std::vector<AnyValue>(order.begin(), order.end()))});
}

AnyValue Calculator::transpose(Values a) {  // all axes the other way round, or in the order given
  const Block x = block(a[0]);
  std::vector<AnyValue> order;
  if (is_given(a[1])) order = *a[1].as<Tuple>();
  else
    for (int i = x.data()->rank; i > 0; --i) order.emplace_back(i - 1);
  return x.data()->rank < 2 ? AnyValue(x) : op("permute", {x, AnyValue(std::move(order))});
}

AnyValue Calculator::moveaxis(Values a) {
  const Block x = block(a[0]);
  const int rank = x.data()->rank;
  const std::vector<int> from = axes_of(a[1], rank), to = axes_of(a[2], rank);
  if (from.size() != to.size()) throw Error("as many axes come from somewhere as go somewhere", "moveaxis(x, 0, -1)");
  std::vector<std::pair<int, int>> moves;  // to, from
  for (std::size_t i = 0; i < from.size(); ++i) moves.emplace_back(to[i], from[i]);
  std::ranges::sort(moves);
  std::vector<int> order;
  for (int i = 0; i < rank; ++i)
    if (!std::ranges::count(from, i)) order.push_back(i);
  for (const auto& [place, axis] : moves) order.insert(order.begin() + place, axis);
  return permuted(x, order);
}

AnyValue Calculator::swapaxes(Values a) {
  const Block x = block(a[0]);
  const int rank = x.data()->rank, first = axis_of(a[1], rank), second = axis_of(a[2], rank);
  std::vector<int> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  if (rank) std::swap(order[static_cast<std::size_t>(first)], order[static_cast<std::size_t>(second)]);
  return permuted(x, order);
}

// ---- behind one another ----

AnyValue Calculator::joined(std::vector<AnyValue> parts, int axis) {
  DType t = block(parts[0]).dtype.value;
  std::vector<std::int64_t> shape = shape_of(block(parts[0]));
  const auto at = static_cast<std::size_t>(axis);
  std::int64_t length = 0;
  for (const AnyValue& part : parts) {
    const Block x = block(part);
    std::vector<std::int64_t> like = shape_of(x);
    if (like.size() == shape.size()) {
      length += like[at];
      like[at] = shape[at];
    }
    if (like != shape)
      throw Error(fmt::format("{} beside {}", fmt::join(shape_of(x), " x "), fmt::join(shape, " x ")),
                  fmt::format("all axes but axis {} are equal", axis));
    t = promote(t, x.dtype.value);
  }
  check_size(static_cast<double>(length) * static_cast<double>(block(parts[0]).data()->count) /
             static_cast<double>(std::max<std::int64_t>(shape[at], 1)));
  // Row-major, what lies along the first axis lies behind one another.
  Array all{t, false, {}, {}};
  for (const AnyValue& part : parts) {
    const AnyValue first = moveaxis(std::array{AnyValue(cast(block(part), t)), AnyValue(axis), AnyValue(0)});
    const Array lanes = array_of(first.as<Block>());
    all.data.insert(all.data.end(), lanes.data.begin(), lanes.data.end());
    all.unset.insert(all.unset.end(), lanes.unset.begin(), lanes.unset.end());
    all.unset.resize(all.data.size());  // without marks: all are set
  }
  shape.erase(shape.begin() + axis);
  shape.insert(shape.begin(), length);
  all.shape = std::move(shape);
  return moveaxis(std::array{AnyValue(block_of(tl_, all)), AnyValue(0), AnyValue(axis)});
}

AnyValue Calculator::concatenate(Values a) {
  std::vector<AnyValue> parts = list(a[0]);
  if (a[1].is<cpu::None>())
    for (AnyValue& part : parts) part = op("ravel", {block(part)});
  const int rank = block(parts[0]).data()->rank;
  if (rank == 0) throw Error("numbers have no axis to be joined along", "stack([1, 2]), or a list: [1, 2]");
  return joined(std::move(parts), is_given(a[1]) ? axis_of(a[1], rank) : 0);
}

AnyValue Calculator::stack(Values a) {
  std::vector<AnyValue> parts = list(a[0]);
  const int axis = axis_of(is_given(a[1]) ? a[1] : AnyValue(0), block(parts[0]).data()->rank + 1);
  for (AnyValue& part : parts) {
    std::vector<std::int64_t> shape = shape_of(block(part));
    if (static_cast<std::size_t>(axis) > shape.size())
      throw Error("values of different axes", "stack takes equal shapes");
    shape.insert(shape.begin() + axis, 1);
    part = reshaped(part, shape);
  }
  return joined(std::move(parts), axis);
}

// pad_width: n, (before, after), or ((before, after), ...) an axis.
AnyValue Calculator::pad(Values a) {
  const Block x = block(a[0]);
  if (is_given(a[2]) &&
      !(a[2].is<cpu::TextConstant>() && std::string_view(a[2].as<cpu::TextConstant>().value) == "constant"))
    throw Error("pad knows the mode \"constant\" alone", "concatenate([...]) of what is to stand there");
  const auto widths = [&](int axis) -> std::pair<std::int64_t, std::int64_t> {
    AnyValue w = a[1];
    if (w.is<Tuple>() && (*w.as<Tuple>())[0].is<Tuple>()) {
      const std::vector<AnyValue>& each = *w.as<Tuple>();
      if (each.size() != 1 && each.size() != static_cast<std::size_t>(x.data()->rank))
        throw Error(fmt::format("{} widths for {} axes", each.size(), x.data()->rank), "pad(x, ((0, 0), (1, 1)))");
      w = each.size() == 1 ? each[0] : each[static_cast<std::size_t>(axis)];
    }
    if (!w.is<Tuple>()) return {whole(w, "a width"), whole(w, "a width")};
    return {whole(w.as<Tuple>()->front(), "a width"), whole(w.as<Tuple>()->back(), "a width")};
  };
  AnyValue made = x;
  for (int axis = 0; axis < x.data()->rank; ++axis) {
    const auto [before, after] = widths(axis);
    const auto border = [&](std::int64_t width) {
      std::vector<std::int64_t> shape = shape_of(block(made));
      shape[static_cast<std::size_t>(axis)] = width;
      return filled(AnyValue(std::vector<AnyValue>(shape.begin(), shape.end())), is_given(a[3]) ? a[3] : AnyValue(0),
                    x.dtype.value);
    };
    if (before < 0 || after < 0) throw Error("a width below 0", "a slice takes away: x[1:-1]");
    std::vector<AnyValue> parts = {made};
    if (before) parts.insert(parts.begin(), border(before));
    if (after) parts.push_back(border(after));
    made = joined(std::move(parts), axis);
  }
  return made;
}

// ---- x[i, j] ----

bool Calculator::is_index_block(const AnyValue& v) {
  return v.is<Block>() && v.as<Block>().data()->rank > 0 && is_integer(v.as<Block>().dtype.value) &&
         v.as<Block>().dtype.value != DType::int1;
}

AnyValue Calculator::indexed(const AnyValue& table, const std::vector<int>& axes, const std::vector<AnyValue>& indices,
                             bool leads) {
  const Block x = block(table);
  const std::vector<std::int64_t> shape = shape_of(x);
  // The indexed axes become one, the first; its index is row-major.
  std::vector<int> order = axes;
  std::vector<std::int64_t> others;
  int before = 0;
  for (int i = 0; i < x.data()->rank; ++i)
    if (!std::ranges::count(axes, i)) {
      order.push_back(i);
      others.push_back(shape[static_cast<std::size_t>(i)]);
      before += i < axes[0];
    }
  AnyValue place = 0;
  std::int64_t rows = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t extent = shape[static_cast<std::size_t>(axes[i])];
    const Block at = cast(block(indices[i]), DType::int64), flat = op("ravel", {at}).as<Block>();
    const auto limit = [&](const char* which) {
      return number(along(which, flat, 0).as<Block>()).as<Constant>().value;
    };
    const std::int64_t least = limit("min"), most = limit("max");
    if (least < -extent || most >= extent)
      throw Error(fmt::format("{} is outside 0 .. {} of axis {}", least < -extent ? least : most, extent - 1, axes[i]),
                  "x[i % n]");
    const AnyValue row = op("where", {ask(Op::lt, at, 0), ask(Op::add, at, extent), at});
    place = i ? ask(Op::add, ask(Op::mul, place, extent), row) : row;
    rows *= extent;
  }
  others.insert(others.begin(), rows);
  const AnyValue made = gathered(reshaped(permuted(x, order), others), place);
  if (leads || before == 0) return made;
  // The indices' own axes go where the first of theirs was.
  const int own = block(place).data()->rank, rank = block(made).data()->rank;
  std::vector<int> back;
  for (int i = own; i < own + before; ++i) back.push_back(i);
  for (int i = 0; i < own; ++i) back.push_back(i);
  for (int i = own + before; i < rank; ++i) back.push_back(i);
  return permuted(made, back);
}

// Rows of a table of rows.
AnyValue Calculator::gathered(const AnyValue& table, const AnyValue& indices) {
  const Block x = block(table), at = block(indices);
  std::vector<std::int64_t> shape = shape_of(x), result = shape_of(at);
  const std::int64_t inner = shape[0] ? x.data()->count / shape[0] : 0;
  result.insert(result.end(), shape.begin() + 1, shape.end());
  const AnyValue first = ask(Op::mul, op("ravel", {at}), inner);
  const AnyValue place =
      ask(Op::add, reshaped(first, {at.data()->count, 1}), reshaped(op("arange", {0, inner}), {1, inner}));
  return reshaped(op("gather", {op("ravel", {x}), op("ravel", {place}), 0}), result);
}

}  // namespace tl::debug
