#include "interp/debug/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "interp/debug/evaluator.h"
#include "interp/lang/stop_scope.h"

namespace tl::debug {

Array Evaluator::array(const Node& n) {
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
  return array_of(at(n, [&] { return calculator_.call("array", {{v}}); }).as<Block>());
}

Cells Evaluator::cells(const Node& n) {
  const Node& name = n.kind == NodeKind::subscript ? n.children[0] : n;
  const std::optional<Operand> found = named(name);
  const TensorView* const tensor = found ? std::get_if<TensorView>(&*found) : nullptr;
  if (!tensor)
    fail(n, "a tensor's name is needed here: only memory has cells",
         "out[37], out[2, 0:8]; `info tensors` lists the tensors");
  if (std::ranges::any_of(n.slices, &Slice::is_new)) fail(n, "cells have no axis of None", "out[2, 0:8]");
  const Cut cut = n.kind == NodeKind::subscript ? cut_of(n, tensor->shape, true) : Cut{whole(tensor->shape), {}};
  if (!cut.axes.empty()) fail(n, "a subscript is one number", "x[3], x[1:4]");
  Cells result{tensor->name, {}};
  for_each(n, cut.parts,
           [&](const std::vector<std::int64_t>& index) { result.elements.push_back(element_of(*tensor, index)); });
  return result;
}

AnyValue Evaluator::value(const Node& n) {
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
    case NodeKind::conditional: {
      const AnyValue condition = value(n.children[0]);
      return value(n.children[holds(n.children[0], condition) ? 1 : 2]);
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
  if (is_text_function(n.text)) return of_text(n, {std::move(positional), std::move(named)});
  if (n.kind == NodeKind::call)
    return at(n, [&] { return calculator_.call(n.text, {std::move(positional), std::move(named)}); });
  const AnyValue self = positional[0];
  positional.erase(positional.begin());
  return at(n, [&] { return calculator_.method(n.text, self, {std::move(positional), std::move(named)}); });
}

bool Evaluator::holds(const Node& n, const AnyValue& condition) const {
  const cpu::Value* const d = condition.is<Block>() ? condition.as<Block>().data() : nullptr;
  if (condition.is<Constant>()) return condition.as<Constant>().value != 0;
  if (condition.is<cpu::RealConstant>()) return condition.as<cpu::RealConstant>().value != 0;
  if (!d || d->count != 1) fail(n, "a condition is one value", "where(c, x, y) chooses lane by lane");
  return is_float(d->dtype) ? cpu::double_of(*d) != 0 : cpu::int_of(*d) != 0;
}

AnyValue Evaluator::of_text(const Node& n, Arguments arguments) {
  std::erase_if(arguments.named, [](const cpu::NamedValue& v) { return v.value.is<cpu::None>(); });
  while (!arguments.positional.empty() && arguments.positional.back().is<cpu::None>()) arguments.positional.pop_back();
  const std::size_t by_place = arguments.positional.size();
  std::vector<cpu::NamedValue> parameters;
  const TextFunction& f = at(
      n, [&]() -> const TextFunction& { return text_function(n.text, by_place + arguments.named.size(), by_place); });
  std::vector<AnyValue> values = at(n, [&] { return calculator_.bound(f.signature, std::move(arguments)); });
  const std::size_t required = values.size() - f.fallbacks.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view name = f.signature.parameters[i].name;
    if (values[i].is<cpu::NotGiven>()) values[i] = value(f.fallbacks[i - required]);
    parameters.push_back({name, std::move(values[i])});
  }
  const Node* const call = std::exchange(call_, call_ ? call_ : &n);
  std::swap(parameters_, parameters);
  const AnyValue made = value(f.body);
  std::swap(parameters_, parameters);
  call_ = call;
  return made;
}

const AnyValue* Evaluator::parameter(std::string_view name) const {
  const auto found = std::ranges::find(parameters_, name, &Parameter::name);
  return found == parameters_.end() ? nullptr : &found->value;
}

std::optional<AnyValue> Evaluator::word(const std::string& name) {
  if (name == "inf") return AnyValue(std::numeric_limits<double>::infinity());
  if (name == "nan") return AnyValue(std::numeric_limits<double>::quiet_NaN());
  if (name == "True" || name == "true") return AnyValue(true);
  if (name == "False" || name == "false") return AnyValue(false);
  if (name == "None") return AnyValue(cpu::None{});
  return std::nullopt;
}

std::optional<AnyValue> Evaluator::known(const std::string& name) {
  if (const auto t = dtype_called(name)) return AnyValue(cpu::ElementType{*t});
  if (name == "pi") return AnyValue(std::numbers::pi);
  if (name == "e") return AnyValue(std::numbers::e);
  return std::nullopt;
}

std::optional<Operand> Evaluator::named(const Node& n) {
  return at(n, [&]() -> std::optional<Operand> {
    try {
      return resolve_(n.text);
    } catch (const Stopped&) {
      throw;
    } catch (const Error&) {
      if (!known(n.text)) throw;
      return std::nullopt;
    }
  });
}

AnyValue Evaluator::of_name(const Node& n) {
  if (const auto v = word(n.text)) return *v;
  if (const AnyValue* const v = parameter(n.text)) return *v;
  const std::optional<Operand> found = named(n);
  if (!found) {
    if (const auto v = known(n.text)) return *v;
    fail(n, fmt::format("no variable or tensor is called {} here", n.text),
         "`info locals`, `info args` and `info tensors` list the names");
  }
  if (const Array* const array = std::get_if<Array>(&*found)) return of_array(*array);
  const TensorView& t = std::get<TensorView>(*found);
  return of_array(read(n, t, whole(t.shape)));
}

AnyValue Evaluator::of_array(const Array& a) {
  if (a.is_weak && a.is_scalar())
    return is_float(a.dtype) ? AnyValue(a.data[0].real) : AnyValue(Constant(a.data[0].whole, a.dtype == DType::int1));
  return block_of(workspace_.tl(), a);
}

// ---- tensors ----
std::vector<AxisPart> Evaluator::whole(const std::vector<std::int64_t>& shape) {
  std::vector<AxisPart> result;
  for (const std::int64_t n : shape) result.push_back({0, n, 1});
  return result;
}

std::int64_t Evaluator::element_of(const TensorView& t, const std::vector<std::int64_t>& index) {
  std::int64_t element = 0;
  for (std::size_t d = 0; d < index.size(); ++d) element += index[d] * t.strides[d];
  return element;
}

Array Evaluator::read(const Node& n, const TensorView& t, const std::vector<AxisPart>& parts) {
  Array result{t.dtype, false, {}, {}};
  for (const AxisPart& p : parts) result.shape.push_back(p.count);
  for_each(n, parts, [&](const std::vector<std::int64_t>& index) {
    const std::int64_t element = element_of(t, index);
    result.data.push_back(t.read(element));
    if (t.is_unset) result.unset.push_back(t.is_unset(element));
  });
  return result;
}

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
