// Calls as C++: of ops, of helpers, of Python's own functions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "interp/cpu/arguments.h"
#include "interp/triton/emission.h"
#include "interp/triton/expression_nodes.h"
#include "interp/triton/op_text.h"

namespace tl::triton {

using cpu::AnyValue;
using cpu::Block;
using cpu::Place;

namespace {

void add_leaves(const Term& t, std::vector<std::string>& texts) {
  for (const Term& x : elements_of(t)) add_leaves(x, texts);
  if (!t.is_tuple() && !t.is_constant()) texts.push_back(operand(t, Level::comparison));
}
std::size_t count_leaves(const Term& t) {
  std::vector<std::string> all;
  add_leaves(t, all);
  return all.size();
}
void take_names(Term& t, const std::vector<std::string>& names, std::size_t& next) {
  for (Term& x : t.elements) take_names(x, names, next);
  if (!t.is_tuple() && !t.is_constant()) {
    t.text = names[next++];
    t.is_temporary = true;
  }
}

bool is_effect(const cpu::Function& op) {
  if (const auto known = op_of(op.name))
    return family_of(*known) == OpFamily::memory || family_of(*known) == OpFamily::debugging || *known == Op::assume;
  return op.name.ends_with("_tensor_descriptor") ? op.name != "make_tensor_descriptor"
                                                 : op.name.starts_with("descriptor_");
}

}  // namespace

// Of the given shape, whose values are not constants.
Term Emission::unpacked(const std::string& text, Term result, const std::vector<std::string>& wanted, const Place* p) {
  const std::size_t count = count_leaves(result);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fresh(wanted.size() == count ? wanted[i] : "x"));
  if (count == 1) line(fmt::format("auto {} = {};", names[0], text), p);
  else line(fmt::format("auto [{}] = {};", fmt::join(names, ", "), text), p);
  std::size_t next = 0;
  take_names(result, names, next);
  return result;
}

Term Emission::called(const cpu::Function& op, std::vector<Term> given, const std::vector<std::string>& wanted,
                      const Place* p) {
  if (op.name == "map_elementwise")
    fail(p, "tl.map_elementwise is not written in C++",
         "call the helper with blocks: operators and ops work lane by lane");
  std::vector<AnyValue> values;
  for (const Term& t : given) values.push_back(t.value.data);
  const Value v = asked(p, [&] { return Value(cpu::call(frame_.tl, op, values, cpu::location_of(*p))); });
  const bool matters = is_effect(op);
  if (matters) note_effect();
  const std::string text = OpText(*this, op, given, v, p).text();
  const bool is_ordered = matters || std::ranges::any_of(given, &Term::has_effect);
  if (v.data.is<cpu::None>()) return {v, text, Level::whole, is_ordered};
  if (is_constant_whole(v)) return with_elements(v);
  if (v.data.is<cpu::Tuple>()) {
    Term all = with_elements(Value(all_.without_lanes(v)));
    return unpacked(text, std::move(all), wanted, p);
  }
  Term r = made(v, text);
  r.has_effect = is_ordered;
  return r;
}

Term Emission::called(const Routine& routine, std::vector<Term> given, const std::vector<std::string>& wanted,
                      const Place* p) {
  std::vector<Value> values;
  std::vector<std::string> texts{"tl"};
  bool is_ordered = false;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i].value.is_known() && routine.fallbacks[i]) given[i] = with_elements(*routine.fallbacks[i]->constant());
    values.push_back(given[i].value);
    if (routine.is_constexpr[i]) values.back().is_strong = false;
    add_leaves(given[i], texts);
    is_ordered |= given[i].has_effect;
  }
  const std::size_t number = all_.helper(routine, values, frame_.depth + 1);
  const Written& w = all_.written(number);
  now_.calls.push_back(number);
  if (w.has_effect) note_effect();
  const std::string text = fmt::format("{}({})", w.name, fmt::join(texts, ", "));
  const bool matters = w.has_effect || is_ordered;
  const std::size_t count = count_leaves(w.result);
  if (count == 0) {
    if (matters) line(text + ";", p);
    return w.result;
  }
  if (w.result.is_tuple()) return unpacked(text, w.result, wanted, p);
  Term r = made(w.result.value, text);
  r.has_effect = matters;
  return r;
}

// ---- the nodes ----

namespace {

// By parameter: what is not given is unknown.
std::vector<Term> by_parameter(Emission& e, const cpu::Function& op, std::vector<Term> positional,
                               std::vector<std::pair<std::string, Term>> named, const Place* p) {
  std::vector<AnyValue> values;
  std::vector<cpu::NamedValue> named_values;
  for (const Term& t : positional) values.push_back(t.value.data);
  for (const auto& [name, t] : named) named_values.push_back({name, t.value.data});
  e.asked(
      p, [&] { return cpu::bind(e.frame().tl, op, std::move(values), std::move(named_values), cpu::location_of(*p)); });
  std::vector<Term> made(op.parameters.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < op.parameters.size() && next < positional.size(); ++i) {
    if (!op.parameters[i].is_rest) {
      made[i] = std::move(positional[next++]);
    } else if (next + 1 == positional.size() && positional[next].is_tuple()) {
      made[i] = std::move(positional[next++]);
    } else {
      made[i] = e.tuple(std::vector<Term>(positional.begin() + static_cast<std::ptrdiff_t>(next), positional.end()));
      next = positional.size();
    }
  }
  for (auto& [name, t] : named)
    made[static_cast<std::size_t>(std::ranges::find(op.parameters, std::string_view(name), &Parameter::name) -
                                  op.parameters.begin())] = std::move(t);
  return made;
}

}  // namespace

Term OpCall::emit(Emission& e) const {
  const std::vector<std::string> wanted = e.take_wanted();
  std::vector<const Expression*> given;
  for (const CallArgument& a : arguments_) given.push_back(a.value.get());
  std::vector<Term> all = e.terms(given);
  const cpu::Function* op = op_;
  bool is_placed = !parameters_.empty();
  if (!method_.empty() && (!op || all[0].value.data.is<std::shared_ptr<const cpu::Descriptor>>())) {
    op = cpu::method_called(all[0].value.data, method_);
    is_placed = false;
    if (!op)
      e.fail(place, fmt::format("{} has no {}", text_of(all[0].value), method_),
             "ops are functions of tl: tl.sum(x, 0)");
  }
  std::vector<Term> positional;
  std::vector<std::pair<std::string, Term>> named;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const CallArgument& a = arguments_[i];
    if (is_placed && all[i].value.callable())
      e.fail(place, fmt::format("tl.{} takes no functions", op->name), "pass blocks and numbers");
    if (is_placed && all[i].value.is_strong && strengthens(*op)) all[i] = e.strong(all[i], place);
    if (a.is_starred && !all[i].is_tuple())
      e.fail(place, fmt::format("* of {}", text_of(all[i].value)), "* spreads a tuple");
    if (a.is_starred) std::ranges::move(elements_of(all[i]), std::back_inserter(positional));
    else if (a.name.empty()) positional.push_back(std::move(all[i]));
    else named.emplace_back(a.name, std::move(all[i]));
  }
  std::vector<Term> by_name = by_parameter(e, *op, std::move(positional), std::move(named), place);
  if (!addend_) return e.called(*op, std::move(by_name), wanted, place);
  const Term addend = e.term(*addend_);
  if (!is_accumulator(addend.value.data, by_name[0].value.data, by_name[1].value.data))
    return e.infix(Sign::add, addend, e.called(*op, std::move(by_name), {}, place), sum_);
  by_name[2] = addend;
  return e.called(*op, std::move(by_name), wanted, place);
}

Term RoutineCall::emit(Emission& e) const {
  const std::vector<std::string> wanted = e.take_wanted();
  std::vector<const Expression*> given;
  for (const auto& a : arguments_)
    if (a) given.push_back(a.get());
  std::vector<Term> terms = e.terms(given), all(arguments_.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    if (arguments_[i]) all[i] = std::move(terms[next++]);
  return e.called(routine_, std::move(all), wanted, place);
}

Term HostCall::printed(Emission& e, const std::vector<Term>& values) const {
  std::string text, condition;
  std::vector<Term> shown;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const AnyValue& v = values[i].value.data;
    if (i == 1 && name_ == "print_if" && v.is<cpu::TextConstant>()) {
      condition = v.as<cpu::TextConstant>().value;
      continue;
    }
    if (i > 0) text += ' ';
    const std::vector<Term> parts = elements_of(values[i]);
    if (v.is<cpu::TextConstant>()) {
      text += v.as<cpu::TextConstant>().value;
    } else if (!parts.empty() && parts[0].value.data.is<cpu::TextConstant>()) {
      text += parts[0].value.data.as<cpu::TextConstant>().value;
      shown.insert(shown.end(), parts.begin() + 1, parts.end());
    } else {
      text += "{}";
      shown.push_back(values[i]);
    }
  }
  std::vector<Term> given{{Value(AnyValue(cpu::kept_text(text))), ""},
                          {Value(AnyValue(cpu::kept_text(condition))), ""}};
  given.push_back(e.tuple(std::move(shown)));
  return e.called(*cpu::function_called("print_if"), std::move(given), {}, place);
}

Term ComputedCall::emit(Emission& e) const {
  std::vector<Value> values;
  for (const CallArgument& a : arguments_) values.push_back(e.term(*a.value).value);
  return with_elements(computed(e.frame(), values));
}

Term HostCall::emit(Emission& e) const {
  std::vector<const Expression*> given;
  for (const CallArgument& a : arguments_) given.push_back(a.value.get());
  std::vector<Term> all = e.terms(given);
  if (name_ == "print" || name_ == "print_if") return printed(e, all);
  if (name_ == "breakpoint" || name_ == "breakpoint_if") {
    const bool is_told = !all.empty() && all[0].value.data.is<cpu::TextConstant>();
    std::vector<Term> condition{{Value(AnyValue(is_told ? all[0].value.data.as<cpu::TextConstant>().value : "")), ""}};
    return e.called(*cpu::function_called("breakpoint_if"), std::move(condition), {}, place);
  }
  if (name_ == "hasattr") {
    const char* const name = all[1].value.data.as<cpu::TextConstant>().value;
    return {Value(AnyValue(attribute_of(&e.frame().tl, all[0].value, name, location()).is_known())), ""};
  }
  std::vector<Value> values;
  for (const Term& t : all) values.push_back(t.value);
  if (auto v = triton::called(name_, values)) return with_elements(std::move(*v));
  const bool is_extreme = (name_ == "min" || name_ == "max") && values.size() == 2;
  if (const cpu::Function* const op = cpu::function_called(is_extreme ? name_ + "imum" : name_); op && !values.empty())
    return e.called(*op, by_parameter(e, *op, std::move(all), {}, place), {}, place);
  e.fail(place, fmt::format("{} of values", name_), "it is Python's function, of constants: ops begin with tl.");
}

// [&](auto a, auto b) { return combine(tl, a, b); }: written where the op is, which knows what it combines.
Term Combine::emit(Emission& e) const { return e.combine(routine_, op_, place); }

}  // namespace tl::triton
