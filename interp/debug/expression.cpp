#include "interp/debug/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "interp/debug/arithmetic.h"
#include "interp/debug/axes.h"

namespace tl::debug {
namespace {

class Evaluator {
 public:
  Evaluator(std::string_view text, const Resolve& resolve) : text_(text), resolve_(resolve) {}

  Array array(const Node& n) { return to_array(n, operand(n)); }

  Cells cells(const Node& n) {
    const Node& name = n.kind == NodeKind::subscript ? n.children[0] : n;
    const Operand found = operand(name);
    const TensorView* const tensor = std::get_if<TensorView>(&found);
    if (!tensor)
      fail(n, "a tensor's name is needed here: only memory has cells",
           "out[37], out[2, 0:8]; `info tensors` lists the tensors");
    Cells result{tensor->name, {}};
    for_each(n, n.kind == NodeKind::subscript ? spans_of(n, tensor->shape, true) : whole(tensor->shape),
             [&](const std::vector<std::int64_t>& index) {
               std::int64_t element = 0;
               for (std::size_t d = 0; d < index.size(); ++d) element += index[d] * tensor->strides[d];
               result.elements.push_back(element);
             });
    return result;
  }

 private:
  [[noreturn]] void fail(const Node& n, const std::string& fact, const std::string& fix) const {
    fail_at(text_, n.position, fact, fix);
  }

  Operand operand(const Node& n) {
    switch (n.kind) {
      case NodeKind::number: return n.is_whole ? literal(n.whole) : literal(n.value);
      case NodeKind::name: return named(n);
      case NodeKind::subscript: return subscript(n);
      case NodeKind::call: {
        try {
          return call(n);
        } catch (const Stopped&) {
          throw;
        } catch (const Error& e) {
          if (std::string_view(e.what()).find(", position ") != std::string_view::npos) throw;  // of an argument
          fail(n, e.what(), e.fix);
        }
      }
      case NodeKind::cast: return cast(array(n.children[0]), n.children.size() > 1 ? dtype_of(n.children[1]) : n.dtype);
      default: break;
    }
    const Array left = array(n.children[0]), right = n.children.size() > 1 ? array(n.children[1]) : Array{};
    try {
      return n.kind == NodeKind::negative     ? negative(left)
             : n.kind == NodeKind::complement ? complement(left)
             : n.kind == NodeKind::negation   ? is_zero(left)
             : n.text == "@"                  ? dot(left, right)
                                              : combine(n.text, left, right);
    } catch (const Stopped&) {
      throw;
    } catch (const Error& e) {
      fail(n, e.what(), e.fix);
    }
  }

  Array call(const Node& n) {
    const std::string& f = n.text;
    const Array a = array(n.children[0]);
    if (n.children.size() == 3) return where(a, array(n.children[1]), array(n.children[2]));
    if (n.children.size() == 2) {
      const Array b = array(n.children[1]);
      if (f == "dot") return dot(a, b);
      if (f == "cdiv") return combine("/", combine("-", combine("+", a, b), literal(std::int64_t{1})), b);
      if (f != "sum" && f != "amax" && f != "amin") return combine(f.substr(0, 3), a, b);  // max, of maximum too
      if (!b.is_scalar() || is_float(b.dtype)) throw Error("an axis is a whole number", "sum(x, 1)");
      return reduce(f.substr(f.size() - 3), a, b.data[0].whole);
    }
    if (f == "abs") return absolute(a);
    if (f == "trans") return transposed(a);
    if (f == "next_power_of_2") return next_power_of_2(a);
    constexpr std::string_view reductions[] = {"any", "all", "max", "min", "sum", "amax", "amin"};
    if (std::ranges::find(reductions, f) == std::end(reductions)) return mathematics(f, a);
    if (a.data.empty()) throw Error(fmt::format("{} of nothing", f), "give it at least one element");
    return reduce(f.substr(f.size() - 3), a);
  }

  DType dtype_of(const Node& n) {
    const Operand found = operand(n);
    const Array* const array = std::get_if<Array>(&found);
    return array ? array->dtype : std::get<TensorView>(found).dtype;
  }

  Operand named(const Node& n) {
    if (n.text == "inf") return literal(std::numeric_limits<double>::infinity());
    if (n.text == "nan") return literal(std::numeric_limits<double>::quiet_NaN());
    if (n.text == "True" || n.text == "true") return literal(true);
    if (n.text == "False" || n.text == "false") return literal(false);
    std::optional<Operand> found;
    try {
      found = resolve_(n.text);
    } catch (const Stopped&) {
      throw;
    } catch (const Error& e) {
      fail(n, e.what(), e.fix);
    }
    if (!found)
      fail(n, fmt::format("no variable or tensor is called {} here", n.text),
           "`info locals`, `info args` and `info tensors` list the names");
    return *std::move(found);
  }

  // ---- subscripts ----

  static std::vector<Span> whole(const std::vector<std::int64_t>& shape) {
    std::vector<Span> result;
    for (std::int64_t n : shape) result.push_back({0, n});
    return result;
  }

  template <class Visit>
  void for_each(const Node& n, const std::vector<Span>& spans, Visit visit) {
    if (!for_each_index(spans, visit)) fail(n, "more than four million elements", "take a slice, as in x[0:8]");
  }

  Array to_array(const Node& n, Operand operand) {
    if (Array* const array = std::get_if<Array>(&operand)) return std::move(*array);
    const TensorView& t = std::get<TensorView>(operand);
    return read(n, t, whole(t.shape), t.shape);
  }

  Array read(const Node& n, const TensorView& t, const std::vector<Span>& spans, std::vector<std::int64_t> shape) {
    Array result{t.dtype, false, std::move(shape), {}};
    for_each(n, spans, [&](const std::vector<std::int64_t>& index) {
      std::int64_t element = 0;
      for (std::size_t d = 0; d < index.size(); ++d) element += index[d] * t.strides[d];
      result.data.push_back(t.read(element));
      result.unset.push_back(t.is_unset && t.is_unset(element));
    });
    return result;
  }

  std::optional<std::int64_t> bound(const Node& of, int child) {
    if (child < 0) return std::nullopt;
    const Node& n = of.children[child];
    const Array a = array(n);
    if (!a.is_scalar()) fail(n, "a subscript is one number", "x[3], x[1:4]");
    if (is_float(a.dtype)) fail(n, "this subscript is not a whole number", "x[3], x[1:4]");
    return a.data[0].whole;
  }

  std::vector<Span> spans_of(const Node& n, const std::vector<std::int64_t>& shape, bool is_tensor) {
    // A kernel's variable hides a tensor of its name: x = tl.load(x_ptr ...).
    if (std::ranges::any_of(n.slices, &Slice::is_new)) fail(n, "cells have no axis of None", "out[2, 0:8]");
    const std::string pointer = n.children[0].text + "_ptr";
    const bool hides_tensor = !is_tensor && n.children[0].kind == NodeKind::name && resolve_(pointer);
    const std::string fix =
        is_tensor      ? "`info tensors` shows the shapes"
        : hides_tensor ? fmt::format("the variable hides the tensor of its name, which is {}[3] (`info args`)", pointer)
                       : "`info locals` shows the shapes";
    if (n.slices.size() > shape.size())
      fail(n,
           shape.empty() ? "this is one number: it takes no subscript"
                         : fmt::format("{} subscripts for {} ax{}s", n.slices.size(), shape.size(),
                                       shape.size() == 1 ? "i" : "e"),
           fix);
    std::vector<Span> result;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const Slice s = d < n.slices.size() ? n.slices[d] : Slice{};
      const auto first = bound(n, s.first), end = bound(n, s.end);
      const auto from_start = [&](std::int64_t v) { return v < 0 ? v + shape[d] : v; };
      if (s.is_index) {
        const std::int64_t i = from_start(*first);
        if (i < 0 || i >= shape[d])
          fail(n.children[s.first], fmt::format("{} is outside 0 .. {} of axis {}", *first, shape[d] - 1, d), fix);
        result.push_back({i, 1});
        continue;
      }
      const std::int64_t from = std::clamp<std::int64_t>(from_start(first.value_or(0)), 0, shape[d]),
                         to = std::clamp<std::int64_t>(from_start(end.value_or(shape[d])), 0, shape[d]);
      if (from >= to && shape[d] > 0)
        fail(n, fmt::format("this slice takes nothing: axis {} has the elements 0 .. {}", d, shape[d] - 1), fix);
      result.push_back({from, std::max<std::int64_t>(0, to - from)});
    }
    return result;
  }

  // x[:, None]: the other slices first, then the axes of one.
  Array with_none(const Node& n) {
    Node others = n;
    std::erase_if(others.slices, &Slice::is_new);
    Array a = others.slices.empty() ? array(n.children[0]) : subscript(others);
    std::vector<bool> is_new;
    for (const Slice& s : n.slices)
      if (!s.is_index) is_new.push_back(s.is_new);
    return with_new_axes(std::move(a), is_new);
  }

  Array subscript(const Node& n) {
    if (std::ranges::any_of(n.slices, &Slice::is_new)) return with_none(n);
    const Operand of = operand(n.children[0]);
    const Array* const array = std::get_if<Array>(&of);
    const std::vector<std::int64_t>& from = array ? array->shape : std::get<TensorView>(of).shape;
    const std::vector<Span> spans = spans_of(n, from, !array);
    std::vector<std::int64_t> shape;
    for (std::size_t d = 0; d < spans.size(); ++d)
      if (d >= n.slices.size() || !n.slices[d].is_index) shape.push_back(spans[d].count);
    if (!array) return read(n, std::get<TensorView>(of), spans, std::move(shape));
    Array result{array->dtype, array->is_weak, std::move(shape), {}};
    for_each(n, spans, [&](const std::vector<std::int64_t>& index) {
      std::int64_t element = 0;
      for (std::size_t d = 0; d < index.size(); ++d) element = element * from[d] + index[d];
      result.data.push_back(array->data[element]);
      if (!array->unset.empty()) result.unset.push_back(array->unset[element]);
    });
    return result;
  }

  std::string_view text_;
  const Resolve& resolve_;
};

}  // namespace

Array evaluate(std::string_view text, const Resolve& resolve) { return Evaluator(text, resolve).array(parse(text)); }

Cells parse_cells(std::string_view text, const Resolve& resolve) {
  const Node n = parse(text);
  const Node& name = n.kind == NodeKind::subscript ? n.children[0] : n;
  if (name.kind != NodeKind::name)
    fail_at(text, name.position, "cells are a tensor's name with a subscript or none",
            "out[37], out[2, 0:8]; `info tensors` lists the tensors");
  return Evaluator(text, resolve).cells(n);
}

bool is_true(const Array& array) {
  if (array.data.size() != 1)
    throw Error(fmt::format("a condition is one value, and this has {}", array.data.size()),
                "any(...) or all(...) of it");
  return reduce("any", array).data[0].whole != 0;
}

}  // namespace tl::debug
