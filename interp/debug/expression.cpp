#include "interp/debug/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "interp/debug/calculator.h"
#include "interp/debug/syntax.h"
#include "interp/lang/stop_scope.h"

namespace tl::debug {
namespace {

using cpu::AxisPart;
using cpu::Block;
using cpu::Constant;
using cpu::Tuple;

// Every index of the parts of some axes, the last running fastest. false, with nothing visited: more than four million.
template <class Visit>
bool for_each_index(const std::vector<AxisPart>& parts, Visit visit) {
  double count = 1;
  for (const AxisPart& p : parts) count *= static_cast<double>(p.count);
  if (count > (1 << 22)) return false;
  std::vector<std::int64_t> at(parts.size(), 0), index(parts.size());
  for (std::int64_t left = static_cast<std::int64_t>(count); left > 0; --left) {
    end_if_stopped();
    for (std::size_t d = 0; d < parts.size(); ++d) index[d] = parts[d].first + at[d] * parts[d].step;
    visit(index);
    for (std::size_t d = parts.size(); d > 0 && ++at[d - 1] == parts[d - 1].count; --d) at[d - 1] = 0;
  }
  return true;
}

// What a subscript takes of each axis, and the shape of the result.
struct Cut {
  std::vector<AxisPart> parts;
  std::vector<std::int64_t> shape;
};

class Evaluator {
 public:
  Evaluator(std::string_view text, const Resolve& resolve, Rules rules, Pairs pairs = Pairs::values,
            InexactSum* inexact = nullptr)
      : text_(text), resolve_(resolve), calculator_(workspace_.tl(), rules, pairs, inexact) {}

  Array array(const Node& n) {
    const AnyValue v = value(n);
    if (v.is<Constant>()) {
      const Constant c = v.as<Constant>();
      return c.is_bool ? literal(c.value != 0) : literal(static_cast<std::int64_t>(c.value));
    }
    if (v.is<cpu::RealConstant>()) return literal(v.as<cpu::RealConstant>().value);
    if (v.is<Block>() && v.as<Block>().data()->count > 1 << 28)
      fail(n, fmt::format("{} elements", v.as<Block>().data()->count), "take a slice, as in x[0:8]");
    if (v.is<Block>()) return array_of(v.as<Block>());
    if (!v.is<Tuple>()) fail(n, fmt::format("this is {}, no value", text_of_kind(v)), "x.dtype is for .to(...)");
    Array all{DType::int64, false, {static_cast<std::int64_t>(v.as<Tuple>()->size())}, {}};
    for (const AnyValue& each : *v.as<Tuple>()) all.data.push_back({.whole = index_of(n, each)});
    return all;
  }

  Cells cells(const Node& n) {
    const Node& name = n.kind == NodeKind::subscript ? n.children[0] : n;
    const std::optional<Operand> found = named(name);
    const TensorView* const tensor = found ? std::get_if<TensorView>(&*found) : nullptr;
    if (!tensor)
      fail(n, "a tensor's name is needed here: only memory has cells",
           "out[37], out[2, 0:8]; `info tensors` lists the tensors");
    if (std::ranges::any_of(n.slices, &Slice::is_new)) fail(n, "cells have no axis of None", "out[2, 0:8]");
    Cells result{tensor->name, {}};
    for_each(n, n.kind == NodeKind::subscript ? cut_of(n, tensor->shape, true).parts : whole(tensor->shape),
             [&](const std::vector<std::int64_t>& index) { result.elements.push_back(element_of(*tensor, index)); });
    return result;
  }

 private:
  [[noreturn]] void fail(const Node& n, const std::string& fact, const std::string& fix) const {
    fail_at(text_, n.position, fact, fix);
  }
  // f(), whose Error is told at the node's place.
  template <class F>
  auto at(const Node& n, F f) const {
    end_if_stopped();
    try {
      return f();
    } catch (const Stopped&) {
      throw;
    } catch (const Error& e) {
      fail(n, e.what(), e.fix);
    }
  }

  AnyValue value(const Node& n) {
    switch (n.kind) {
      case NodeKind::number: return n.is_whole ? AnyValue(n.whole) : AnyValue(n.value);
      case NodeKind::text: return AnyValue(cpu::kept_text(n.text));
      case NodeKind::name: return of_name(n);
      case NodeKind::subscript: return subscript(n);
      case NodeKind::attribute: {
        const AnyValue of = value(n.children[0]);
        return at(n, [&] { return calculator_.attribute(n.text, of); });
      }
      case NodeKind::unary: {
        const AnyValue of = value(n.children[0]);
        return at(n, [&] { return calculator_.unary(n.text, of); });
      }
      case NodeKind::binary: {
        const AnyValue a = value(n.children[0]), b = value(n.children[1]);
        return at(n, [&] { return calculator_.binary(n.text, a, b); });
      }
      default: break;
    }
    std::vector<AnyValue> positional;
    std::vector<cpu::NamedValue> named;
    const std::size_t first_named = n.children.size() - n.keywords.size();
    for (std::size_t i = 0; i < n.children.size(); ++i) {
      AnyValue v = value(n.children[i]);
      if (i < first_named) positional.push_back(std::move(v));
      else named.push_back({n.keywords[i - first_named], std::move(v)});
    }
    if (n.kind == NodeKind::tuple) return AnyValue(std::move(positional));
    if (n.kind == NodeKind::call)
      return at(n, [&] { return calculator_.call(n.text, {std::move(positional), std::move(named)}); });
    const AnyValue self = positional[0];
    positional.erase(positional.begin());
    return at(n, [&] { return calculator_.method(n.text, self, {std::move(positional), std::move(named)}); });
  }

  // ---- names ----

  static std::optional<AnyValue> word(const std::string& name) {
    if (name == "inf") return AnyValue(std::numeric_limits<double>::infinity());
    if (name == "nan") return AnyValue(std::numeric_limits<double>::quiet_NaN());
    if (name == "True" || name == "true") return AnyValue(true);
    if (name == "False" || name == "false") return AnyValue(false);
    if (name == "None") return AnyValue(cpu::None{});
    return std::nullopt;
  }
  // A dtype, if no variable has the name.
  static std::optional<AnyValue> dtype_called(const std::string& name) {
    for (int i = 0; i < dtype_count; ++i)
      if (name == language_name_of(static_cast<DType>(i)) || name == name_of(static_cast<DType>(i)))
        return AnyValue(cpu::ElementType{static_cast<DType>(i)});
    if (name == "pi") return AnyValue(std::numbers::pi);
    return std::nullopt;
  }

  std::optional<Operand> named(const Node& n) {
    return at(n, [&]() -> std::optional<Operand> {
      try {
        return resolve_(n.text);
      } catch (const Stopped&) {
        throw;
      } catch (const Error&) {
        if (!dtype_called(n.text)) throw;
        return std::nullopt;
      }
    });
  }

  AnyValue of_name(const Node& n) {
    if (const auto known = word(n.text)) return *known;
    const std::optional<Operand> found = named(n);
    if (!found) {
      if (const auto known = dtype_called(n.text)) return *known;
      fail(n, fmt::format("no variable or tensor is called {} here", n.text),
           "`info locals`, `info args` and `info tensors` list the names");
    }
    if (const Array* const array = std::get_if<Array>(&*found)) return of_array(*array);
    const TensorView& t = std::get<TensorView>(*found);
    return of_array(read(n, t, whole(t.shape)));
  }

  AnyValue of_array(const Array& a) {
    if (a.is_weak && a.is_scalar())
      return is_float(a.dtype) ? AnyValue(a.data[0].real) : AnyValue(Constant(a.data[0].whole, a.dtype == DType::int1));
    return block_of(workspace_.tl(), a);
  }

  // ---- subscripts ----

  static std::vector<AxisPart> whole(const std::vector<std::int64_t>& shape) {
    std::vector<AxisPart> result;
    for (const std::int64_t n : shape) result.push_back({0, n, 1});
    return result;
  }
  static std::int64_t element_of(const TensorView& t, const std::vector<std::int64_t>& index) {
    std::int64_t element = 0;
    for (std::size_t d = 0; d < index.size(); ++d) element += index[d] * t.strides[d];
    return element;
  }

  template <class Visit>
  void for_each(const Node& n, const std::vector<AxisPart>& parts, Visit visit) {
    if (!for_each_index(parts, visit)) fail(n, "more than four million elements", "take a slice, as in x[0:8]");
  }

  Array read(const Node& n, const TensorView& t, const std::vector<AxisPart>& parts) {
    Array result{t.dtype, false, {}, {}};
    for (const AxisPart& p : parts) result.shape.push_back(p.count);
    for_each(n, parts, [&](const std::vector<std::int64_t>& index) {
      const std::int64_t element = element_of(t, index);
      result.data.push_back(t.read(element));
      if (t.is_unset) result.unset.push_back(t.is_unset(element));
    });
    return result;
  }

  std::int64_t index_of(const Node& n, const AnyValue& v) {
    if (v.is<Constant>()) return v.as<Constant>().value;
    const cpu::Value* const d = v.is<Block>() ? v.as<Block>().data() : nullptr;
    if (d && d->rank > 0) fail(n, "a subscript is one number", "x[3], x[1:4]");
    if (!d || is_float(d->dtype)) fail(n, "this subscript is not a whole number", "x[3], x[1:4]");
    return cpu::int_of(*d);
  }
  std::optional<std::int64_t> bound(const Node& of, int child) {
    if (child < 0) return std::nullopt;
    const AnyValue v = value(of.children[static_cast<std::size_t>(child)]);
    return v.is<cpu::None>() ? std::nullopt : std::optional(index_of(of.children[static_cast<std::size_t>(child)], v));
  }

  // Slices in full: ... becomes the axes that it stands for, those left out at the end are whole.
  std::vector<Slice> slices_of(const Node& n, std::size_t rank, const std::string& fix) {
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

  Cut cut_of(const Node& n, const std::vector<std::int64_t>& shape, bool is_tensor) {
    const std::string fix = fix_of(n, is_tensor);
    Cut cut;
    std::size_t axis = 0;
    for (const Slice& s : slices_of(n, shape.size(), fix)) {
      if (s.is_new) {
        cut.shape.push_back(1);
        continue;
      }
      const std::int64_t extent = shape[axis];
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
    return cut;
  }

  AxisPart part_of(const Node& n, std::size_t axis, std::int64_t extent, std::optional<std::int64_t> first,
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

  // A kernel's variable hides a tensor of its name: x = tl.load(x_ptr ...).
  std::string fix_of(const Node& n, bool is_tensor) const {
    if (is_tensor) return "`info tensors` shows the shapes";
    const std::string pointer = n.children[0].text + "_ptr";
    bool hides_tensor = false;
    try {
      hides_tensor = n.children[0].kind == NodeKind::name && resolve_(pointer);
    } catch (const Error&) {  // it has no such name
    }
    return hides_tensor
               ? fmt::format("the variable hides the tensor of its name, which is {}[3] (`info args`)", pointer)
               : "`info locals` shows the shapes";
  }

  AnyValue subscript(const Node& n) {
    const Node& of = n.children[0];
    std::optional<Operand> found;
    if (of.kind == NodeKind::name && !word(of.text)) found = named(of);
    if (const TensorView* const t = found ? std::get_if<TensorView>(&*found) : nullptr) {
      if (!is_gather(n)) {
        const Cut cut = cut_of(n, t->shape, true);
        const AnyValue taken = of_array(read(n, *t, cut.parts));
        return at(n, [&] { return calculator_.reshaped(taken, cut.shape); });
      }
    }
    const AnyValue from = value(of);
    if (from.is<Tuple>()) return element_of_tuple(n, *from.as<Tuple>());
    if (is_gather(n)) {
      const AnyValue indices = value(n.children[1]);
      return at(n, [&] { return calculator_.gathered(from, indices); });
    }
    if (!from.is<Block>()) fail(n, "this is one number: it takes no subscript", fix_of(n, false));
    const cpu::Value& d = *from.as<Block>().data();
    const Cut cut = cut_of(n, {d.dims, d.dims + d.rank}, false);
    const bool all = std::ranges::all_of(
        cut.parts, [&, i = 0](const AxisPart& p) mutable { return p.count == d.dims[i++] && p.step == 1; });
    const AnyValue taken = all ? from : AnyValue(cpu::part_of(from.as<Block>(), cut.parts));
    return at(n, [&] { return calculator_.reshaped(taken, cut.shape); });
  }

  // x[indices], of a block of whole numbers.
  bool is_gather(const Node& n) {
    if (n.slices.size() != 1 || !n.slices[0].is_index || n.children[1].kind == NodeKind::number) return false;
    const AnyValue v = value(n.children[1]);
    return v.is<Block>() && v.as<Block>().data()->rank > 0 && is_integer(v.as<Block>().dtype.value) &&
           v.as<Block>().dtype.value != DType::int1;
  }

  AnyValue element_of_tuple(const Node& n, const std::vector<AnyValue>& all) {
    if (n.slices.size() != 1 || !n.slices[0].is_index) fail(n, "a tuple takes one index", "x.shape[0]");
    const auto size = static_cast<std::int64_t>(all.size());
    const std::int64_t given = *bound(n, n.slices[0].first), i = given < 0 ? given + size : given;
    if (i < 0 || i >= size) fail(n, fmt::format("{} is outside 0 .. {}", given, size - 1), "x.shape[0]");
    return all[static_cast<std::size_t>(i)];
  }

  std::string_view text_;
  const Resolve& resolve_;
  cpu::Workspace workspace_;
  Calculator calculator_;
};

}  // namespace

Array evaluate(std::string_view text, const Resolve& resolve, Rules rules, Pairs pairs, InexactSum* inexact) {
  const Node n = parse(text, rules == Rules::numpy ? Precedence::python : Precedence::cpp);
  return Evaluator(text, resolve, rules, pairs, inexact).array(n);
}

Cells parse_cells(std::string_view text, const Resolve& resolve) {
  const Node n = parse(text);
  const Node& name = n.kind == NodeKind::subscript ? n.children[0] : n;
  if (name.kind != NodeKind::name)
    fail_at(text, name.position, "cells are a tensor's name with a subscript or none",
            "out[37], out[2, 0:8]; `info tensors` lists the tensors");
  return Evaluator(text, resolve, Rules::kernel).cells(n);
}

bool is_true(const Array& array) {
  if (array.data.size() != 1)
    throw Error(fmt::format("a condition is one value, and this has {}", array.data.size()),
                "any(...) or all(...) of it");
  return is_float(array.dtype) ? array.data[0].real != 0 : array.data[0].whole != 0;
}

}  // namespace tl::debug
