#include "interp/cpu/call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "interp/cpu/arguments.h"
#include "interp/lang/text.h"

namespace tl::cpu {

AnyValue::AnyValue(std::vector<AnyValue> all) : AnyValue(Tuple(std::make_shared<const Elements>(std::move(all)))) {}

std::string text_of_kind(const AnyValue& v) {
  const auto of = [](const char* what, const Handle& h) {
    const Value& d = value_of(h);
    return fmt::format("{} of {}{}", what, name_of(d.dtype), d.rank ? text_of_shape(d.dims, d.rank) : "");
  };
  if (const auto* c = v.get_if<Constant>())
    return c->is_bool ? (c->value ? "True" : "False") : std::to_string(c->value);
  if (const auto* r = v.get_if<RealConstant>()) {
    const std::string text = fmt::format("{}", r->value);
    return text.find_first_of(".en") == text.npos ? text + ".0" : text;  // 64.0 is no 64
  }
  if (const auto* t = v.get_if<TextConstant>()) return fmt::format("\"{}\"", t->value);
  if (const auto* b = v.get_if<Block>()) return of(rank_of(*b) ? "a block" : "a scalar", *b);
  if (const auto* p = v.get_if<Pointer>()) return of(rank_of(*p) ? "a block of pointers" : "a pointer", *p);
  if (v.is<None>()) return "None";
  if (v.is<ElementType>()) return fmt::format("the dtype {}", name_of(v.as<ElementType>().value));
  if (v.is<Tuple>()) return fmt::format("a tuple of {}", v.as<Tuple>()->size());
  if (v.is<PointerType>()) return fmt::format("the type of pointers to {}", name_of(v.as<PointerType>().element));
  if (v.is<CombineFunction>() || v.is<Callee>()) return "a function";
  if (v.is<NotGiven>()) return "nothing";
  return v.is<std::shared_ptr<const Descriptor>>() ? "a tensor descriptor" : "a block pointer";
}

const char* kept_text(std::string_view text) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> kept;
  const std::scoped_lock lock(mutex);
  const auto found = kept.find(text);
  return (found != kept.end() ? found : kept.emplace(text).first)->c_str();
}

namespace {

// tl.sum(input, axis=None); of a function that is no op, without tl.
std::string usage_of(const Function& f) {
  if (f.run) return signature_of(f.name);
  std::string all;
  for (const Parameter& p : f.parameters)
    all += fmt::format("{}{}{}{}{}", all.empty() ? "" : ", ", p.is_rest ? "*" : "", p.name,
                       p.fallback.empty() ? "" : "=", p.fallback);
  return fmt::format("{}({})", f.name, all);
}
[[noreturn]] void fail_call(const Context& tl, const Function& f, Location place, const std::string& fact,
                            const std::string& fix = "") {
  Fault fault;
  fault.site = place.site();
  fault.program = tl.state().program;
  fault.headline = fmt::format("{}{}: {}", f.run ? "tl." : "", f.name, fact);
  fault.fix = fix.empty() ? "its parameters: " + usage_of(f) : fix;
  fail(std::move(fault));
}

}  // namespace

std::vector<AnyValue> bind(Context& tl, const Function& f, std::vector<AnyValue> positional,
                           std::vector<NamedValue> named, Location place) {
  std::vector<AnyValue> values(f.parameters.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < f.parameters.size() && next < positional.size(); ++i) {
    if (!f.parameters[i].is_rest) {
      values[i] = std::move(positional[next++]);
      continue;
    }
    // reshape(x, 4, 8) and reshape(x, (4, 8)) are one.
    if (next + 1 == positional.size() && positional[next].is<Tuple>()) values[i] = std::move(positional[next]);
    else
      values[i] =
          AnyValue(std::vector<AnyValue>(positional.begin() + static_cast<std::ptrdiff_t>(next), positional.end()));
    next = positional.size();
  }
  if (next < positional.size())
    fail_call(tl, f, place, fmt::format("{} values for {} parameters", positional.size(), f.parameters.size()));
  for (NamedValue& given : named) {
    const auto found = std::ranges::find(f.parameters, given.name, &Parameter::name);
    if (found == f.parameters.end()) {
      std::vector<std::string> names;
      for (const Parameter& p : f.parameters) names.emplace_back(p.name);
      const std::string near = nearest(given.name, names);
      fail_call(tl, f, place, fmt::format("no parameter is called {}", given.name),
                near.empty() ? "" : fmt::format("did you mean {}? {}", near, usage_of(f)));
    }
    AnyValue& value = values[static_cast<std::size_t>(found - f.parameters.begin())];
    if (!value.is<NotGiven>()) fail_call(tl, f, place, fmt::format("{} is given twice", given.name));
    value = std::move(given.value);
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (f.parameters[i].is_required && values[i].is<NotGiven>())
      fail_call(tl, f, place, fmt::format("{} is missing", f.parameters[i].name));
  return values;
}

AnyValue call(Context& tl, const Function& f, std::span<AnyValue> values, Location place) {
  Call c(tl, f, values, place);
  return f.run(c);
}

AnyValue call(Context& tl, std::string_view op, std::vector<AnyValue> positional, std::vector<NamedValue> named,
              Location place) {
  const Function* const f = function_called(op);
  if (!f) {
    const std::string near = nearest(op, function_names());
    fail_call(tl, {op, {}, [](Call&) { return AnyValue(); }}, place, "there is no such op",
              near.empty() ? "interp/LANGUAGE.md lists the ops" : fmt::format("did you mean tl.{}?", near));
  }
  std::vector<AnyValue> values = bind(tl, *f, std::move(positional), std::move(named), place);
  return call(tl, *f, values, place);
}

// ---- a call's values ----

void Call::refuse(std::size_t i, const std::string& fact, const std::string& fix) const {
  fail_call(tl, function_, place, fmt::format("{}: {}", function_.parameters[i].name, fact), fix);
}
void Call::wants(std::size_t i, const char* what) const {
  const AnyValue& v = values_[i];
  refuse(i, v.is<NotGiven>() ? fmt::format("{} is wanted", what)
                             : fmt::format("{} is wanted, and this is {}", what, text_of_kind(v)));
}

const Block& Call::block(std::size_t i) {
  AnyValue& v = values_[i];
  if (v.is_number()) v = scalar_of(tl, v, place);
  if (!v.is<Block>()) wants(i, "a block");
  return v.as<Block>();
}
const Pointer& Call::pointer(std::size_t i) const {
  if (!is<Pointer>(i)) wants(i, "a pointer");
  return values_[i].as<Pointer>();
}
const BlockPointer& Call::block_pointer(std::size_t i) const {
  if (!is<std::shared_ptr<const BlockPointer>>(i)) wants(i, "a block pointer");
  return *values_[i].as<std::shared_ptr<const BlockPointer>>();
}
const Descriptor& Call::descriptor(std::size_t i) const {
  if (!is<std::shared_ptr<const Descriptor>>(i)) wants(i, "a tensor descriptor");
  return *values_[i].as<std::shared_ptr<const Descriptor>>();
}

namespace {
std::optional<Operand> operand_of(const AnyValue& v) {
  if (const auto* b = v.get_if<Block>()) return Operand(*b);
  if (const auto* c = v.get_if<Constant>()) return Operand(*c);
  if (const auto* r = v.get_if<RealConstant>()) return Operand(*r);
  return std::nullopt;
}
}  // namespace

Operand Call::operand(std::size_t i) const {
  const std::optional<Operand> o = operand_of(values_[i]);
  if (!o) wants(i, "a block or a number");
  return *o;
}
OptionalOperand Call::option(std::size_t i) const {
  OptionalOperand o;
  if (has(i)) {
    o.operand = operand(i);
    o.given = true;
  }
  return o;
}
long long Call::integer(std::size_t i) const {
  if (!is<Constant>(i)) wants(i, "a constant integer");
  return values_[i].as<Constant>().value;
}
bool Call::flag(std::size_t i) const {
  if (!has(i)) return false;
  if (!is<Constant>(i)) wants(i, "True or False");
  return values_[i].as<Constant>().value != 0;
}
Constant Call::axis(std::size_t i, int rank) const {
  const long long a = integer(i);
  if (a < -rank || a >= rank)
    refuse(i, fmt::format("there is no axis {} of {}", a, rank), rank ? fmt::format("use 0 to {}", rank - 1) : "");
  return Constant(a < 0 ? a + rank : a);
}
std::span<const AnyValue> Call::all(std::size_t i) const {
  return is<Tuple>(i) ? std::span<const AnyValue>(*values_[i].as<Tuple>()) : std::span(&values_[i], 1);
}
Shape Call::shape(std::size_t i) const {
  Shape s;
  for (const AnyValue& v : all(i)) {
    if (!v.is<Constant>()) refuse(i, fmt::format("a shape is made of constants, not {}", text_of_kind(v)));
    if (s.rank == max_rank) refuse(i, fmt::format("a block has at most {} axes", max_rank));
    s.dims[s.rank++] = v.as<Constant>().value;
  }
  return s;
}
Axes Call::axes(std::size_t i, int rank) const {
  Axes a;
  for (const AnyValue& v : all(i)) {
    if (!v.is<Constant>()) refuse(i, fmt::format("an axis is a constant, not {}", text_of_kind(v)));
    if (a.count == max_rank) refuse(i, fmt::format("a block has at most {} axes", max_rank));
    const long long axis = v.as<Constant>().value;
    a.axis[a.count++] = static_cast<int>(axis < 0 ? axis + rank : axis);
  }
  return a;
}
ElementType Call::dtype(std::size_t i) const {
  if (!is<ElementType>(i)) wants(i, "a dtype such as tl.float32");
  return values_[i].as<ElementType>();
}
const char* Call::text(std::size_t i) const {
  if (!has(i)) return "";
  if (!is<TextConstant>(i)) wants(i, "a text");
  return values_[i].as<TextConstant>().value;
}
std::vector<Operand> Call::operands(std::size_t i) const {
  std::vector<Operand> r;
  for (const AnyValue& v : all(i)) {
    const std::optional<Operand> o = operand_of(v);
    if (!o) refuse(i, fmt::format("a block or a number is wanted, and this is {}", text_of_kind(v)));
    r.push_back(*o);
  }
  return r;
}
std::vector<Block> Call::blocks(std::size_t i) {
  if (!is<Tuple>(i)) return {block(i)};
  std::vector<Block> r;
  for (const AnyValue& v : *values_[i].as<Tuple>()) {
    if (!v.is<Block>() && !v.is_number()) refuse(i, fmt::format("blocks are wanted, and one is {}", text_of_kind(v)));
    r.push_back(v.is<Block>() ? v.as<Block>() : scalar_of(tl, v, place));
  }
  return r;
}

}  // namespace tl::cpu
