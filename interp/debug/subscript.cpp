// x[3, 1:, None, ..., i]: what a subscript takes of a tensor or a value.
#include <fmt/format.h>

#include <algorithm>

#include "interp/debug/evaluator.h"

namespace tl::debug {

std::int64_t Evaluator::index_of(const Node& n, const AnyValue& v) {
  if (v.is<Constant>()) return v.as<Constant>().value;
  const cpu::Value* const d = v.is<Block>() ? v.as<Block>().data() : nullptr;
  if (d && d->rank > 0) fail(n, "a subscript is one number", "x[3], x[1:4]");
  if (!d || is_float(d->dtype)) fail(n, "this subscript is not a whole number", "x[3], x[1:4]");
  return cpu::int_of(*d);
}

std::optional<std::int64_t> Evaluator::bound(const Node& of, int child) {
  if (child < 0) return std::nullopt;
  const AnyValue v = value(of.children[static_cast<std::size_t>(child)]);
  return v.is<cpu::None>() ? std::nullopt : std::optional(index_of(of.children[static_cast<std::size_t>(child)], v));
}

std::vector<Slice> Evaluator::slices_of(const Node& n, std::size_t rank, const std::string& fix) {
  std::vector<Slice> all;
  std::size_t taken = 0;
  for (const Slice& s : n.slices) taken += !s.is_new && !s.is_rest;
  if (taken > rank)
    fail(n,
         rank == 0 ? "this is one number: it takes no subscript"
                   : fmt::format("{} subscripts for {} ax{}s", taken, rank, rank == 1 ? "i" : "e"),
         fix);
  bool has_rest = false;
  for (const Slice& s : n.slices) {
    if (!s.is_rest) all.push_back(s);
    else if (has_rest) fail(n, "... stands twice", "write it once");
    else all.resize(all.size() + rank - taken);
    has_rest |= s.is_rest;
  }
  if (!has_rest) all.resize(all.size() + rank - taken);
  return all;
}

Cut Evaluator::cut_of(const Node& n, const std::vector<std::int64_t>& shape, bool is_tensor) {
  const std::string fix = fix_of(n, is_tensor);
  Cut cut;
  std::size_t axis = 0;
  for (const Slice& s : slices_of(n, shape.size(), fix)) {
    if (s.is_new) {
      cut.shape.push_back(1);
      continue;
    }
    const std::int64_t extent = shape[axis];
    if (s.is_index && take_indices(n, s, extent, cut)) {
      ++axis;
      continue;
    }
    const auto first = bound(n, s.first), end = bound(n, s.end);
    const std::int64_t step = bound(n, s.step).value_or(1);
    if (s.is_index) {
      const std::int64_t i = *first < 0 ? *first + extent : *first;
      if (i < 0 || i >= extent)
        fail(n.children[static_cast<std::size_t>(s.first)],
             fmt::format("{} is outside 0 .. {} of axis {}", *first, extent - 1, axis), fix);
      cut.parts.push_back({i, 1, 1});
    } else {
      cut.parts.push_back(part_of(n, axis, extent, first, end, step, fix));
      cut.shape.push_back(cut.parts.back().count);
    }
    ++axis;
  }
  const auto is_index = [](const Slice& s) { return s.is_index; };
  const auto first = std::ranges::find_if(n.slices, is_index);
  const auto past = std::find_if_not(first, n.slices.end(), is_index);
  cut.leads = std::any_of(past, n.slices.end(), is_index);
  return cut;
}

bool Evaluator::take_indices(const Node& n, const Slice& s, std::int64_t extent, Cut& cut) {
  const Node& index = n.children[static_cast<std::size_t>(s.first)];
  if (index.kind == NodeKind::number) return false;
  AnyValue v = value(index);
  if (index.kind == NodeKind::tuple) v = at(index, [&] { return calculator_.call("array", {{v}}); });
  if (v.is<Block>() && v.as<Block>().data()->rank > 0 && v.as<Block>().dtype.value == DType::int1)
    fail(index, "a mask takes as many elements as hold, which no shape tells", "where(m, x, 0)");
  if (!Calculator::is_index_block(v)) return false;
  cut.parts.push_back({0, extent, 1});
  cut.axes.push_back(static_cast<int>(cut.shape.size()));
  cut.shape.push_back(extent);
  cut.indices.push_back(std::move(v));
  return true;
}

AnyValue Evaluator::shaped(const Node& n, const AnyValue& taken, const Cut& cut) {
  return at(n, [&] {
    const AnyValue made = calculator_.reshaped(taken, cut.shape);
    return cut.axes.empty() ? made : calculator_.indexed(made, cut.axes, cut.indices, cut.leads);
  });
}

AxisPart Evaluator::part_of(const Node& n, std::size_t axis, std::int64_t extent, std::optional<std::int64_t> first,
                            std::optional<std::int64_t> end, std::int64_t step, const std::string& fix) {
  if (step == 0) fail(n, "a step of 0", "x[::2], x[::-1]");
  const std::int64_t least = step > 0 ? 0 : -1, most = step > 0 ? extent : extent - 1;
  const auto place = [&](std::optional<std::int64_t> v, std::int64_t otherwise) {
    return v ? std::clamp(*v < 0 ? *v + extent : *v, least, most) : otherwise;
  };
  const std::int64_t from = place(first, step > 0 ? least : most), to = place(end, step > 0 ? most : least);
  const std::int64_t count = step > 0 ? (to - from + step - 1) / step : (from - to - step - 1) / -step;
  if (count <= 0 && extent > 0)
    fail(n, fmt::format("this slice takes nothing: axis {} has the elements 0 .. {}", axis, extent - 1), fix);
  return {from, std::max<std::int64_t>(count, 0), step};
}

std::string Evaluator::fix_of(const Node& n, bool is_tensor) const {
  if (is_tensor) return "`info tensors` shows the shapes";
  const std::string pointer = n.children[0].text + "_ptr";
  bool hides_tensor = false;
  try {
    hides_tensor = n.children[0].kind == NodeKind::name && resolve_(pointer);
  } catch (const Error&) {  // it has no such name
  }
  return hides_tensor ? fmt::format("the variable hides the tensor of its name, which is {}[3] (`info args`)", pointer)
                      : "`info locals` shows the shapes";
}

AnyValue Evaluator::subscript(const Node& n) {
  const Node& of = n.children[0];
  std::optional<Operand> found;
  if (of.kind == NodeKind::name && !word(of.text) && !parameter(of.text)) found = named(of);
  if (const TensorView* const t = found ? std::get_if<TensorView>(&*found) : nullptr) {
    const Cut cut = cut_of(n, t->shape, true);
    return shaped(n, of_array(read(n, *t, cut.parts)), cut);
  }
  AnyValue from = value(of);
  if (of.kind == NodeKind::tuple) from = at(of, [&] { return calculator_.call("array", {{from}}); });
  if (from.is<Tuple>()) return element_of_tuple(n, *from.as<Tuple>());
  if (!from.is<Block>()) fail(n, "this is one number: it takes no subscript", fix_of(n, false));
  const cpu::Value& d = *from.as<Block>().data();
  const Cut cut = cut_of(n, {d.dims, d.dims + d.rank}, false);
  const bool all = std::ranges::all_of(
      cut.parts, [&, i = 0](const AxisPart& p) mutable { return p.count == d.dims[i++] && p.step == 1; });
  return shaped(n, all ? from : AnyValue(cpu::part_of(from.as<Block>(), cut.parts)), cut);
}

AnyValue Evaluator::element_of_tuple(const Node& n, const std::vector<AnyValue>& all) {
  if (n.slices.size() != 1 || !n.slices[0].is_index) fail(n, "a tuple takes one index", "x.shape[0]");
  const auto size = static_cast<std::int64_t>(all.size());
  const std::int64_t given = *bound(n, n.slices[0].first), i = given < 0 ? given + size : given;
  if (i < 0 || i >= size) fail(n, fmt::format("{} is outside 0 .. {}", given, size - 1), "x.shape[0]");
  return all[static_cast<std::size_t>(i)];
}

}  // namespace tl::debug
