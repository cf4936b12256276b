// Calls: their ops and helpers are found, their arguments put in order.
#include <fmt/format.h>

#include <algorithm>

#include "interp/lang/text.h"
#include "interp/triton/expression_nodes.h"
#include "interp/triton/specializer.h"

namespace tl::triton {

using cpu::AnyValue;

std::vector<CallArgument> Specializer::arguments(const Node& n, const cpu::Function* takes_combine) {
  std::vector<CallArgument> made;
  std::size_t position = 0;
  for (std::size_t i = 1; i < n.children.size(); ++i, ++position) {
    const Node& a = n.child(i);
    const bool is_named = a.kind == NodeKind::keyword, is_starred = a.kind == NodeKind::starred;
    if (is_named && a.text.empty()) fail(a, "** is not supported in a kernel", "name each argument");
    const bool has_place = takes_combine && !is_named && position < takes_combine->parameters.size();
    const std::string_view parameter = is_named ? a.text : has_place ? takes_combine->parameters[position].name : "";
    const bool is_combine = takes_combine && (parameter == "combine_fn" || parameter == "scalar_fn");
    const Node& value = is_named || is_starred ? a.child(0) : a;
    made.push_back({std::string(is_named ? a.text : ""), is_starred, is_combine ? combine(value) : expression(value)});
  }
  return made;
}

Specializer::Made Specializer::combine(const Node& n) {
  auto f = expression(n);
  const Value* const v = f->constant();
  if (!v || !v->callable()) return f;
  if (v->callable()->kind == Callable::Kind::op) return std::make_unique<Combine>(place(n), nullptr, v->callable()->op);
  if (v->callable()->kind != Callable::Kind::function || !routines_)
    fail(n, "this combines nothing", "give a function with @triton.jit above it");
  return std::make_unique<Combine>(place(n), &routines_->routine(*v->callable()->function, {}), nullptr);
}

// A wrong name or number of arguments is an error of the text.
void Specializer::check_arguments(const Node& n, const cpu::Function& op, bool is_method) const {
  const auto rest = std::ranges::find_if(op.parameters, &Parameter::is_rest);
  const bool has_rest = rest != op.parameters.end();
  std::size_t positional = is_method ? 1 : 0;
  bool is_spread = false;
  for (std::size_t i = 1; i < n.children.size(); ++i) {
    const Node& a = n.child(i);
    is_spread |= a.kind == NodeKind::starred;
    if (a.kind != NodeKind::keyword) {
      ++positional;
      continue;
    }
    if (std::ranges::count(op.parameters, a.text, &Parameter::name)) continue;
    std::vector<std::string> names;
    for (const Parameter& p : op.parameters) names.emplace_back(p.name);
    const std::string near = nearest(a.text, names);
    fail(a, fmt::format("tl.{} has no parameter {}", op.name, a.text),
         (near.empty() ? "" : fmt::format("did you mean {}? ", near)) + signature_of(op.name));
  }
  // Those behind *shape are reached by name alone: reshape(x, 8, 4, can_reorder=True).
  const std::size_t by_position =
      has_rest ? std::min(positional, static_cast<std::size_t>(rest - op.parameters.begin()) + 1) : positional;
  for (std::size_t i = 0; i < op.parameters.size() && !is_spread; ++i) {
    const Parameter& p = op.parameters[i];
    const auto is_this = [&](const Node* a) { return a->kind == NodeKind::keyword && a->text == p.name; };
    const bool is_named = std::any_of(n.children.begin() + 1, n.children.end(), is_this);
    if (is_named && i < by_position)
      fail(n, fmt::format("tl.{}: {} is given twice", op.name, p.name), signature_of(op.name));
    if (p.is_required && !p.is_rest && !is_named && i >= by_position)
      fail(n, fmt::format("tl.{} is called without {}", op.name, p.name), signature_of(op.name));
  }
  if (!has_rest && !is_spread && positional > op.parameters.size())
    fail(n, fmt::format("tl.{} takes {} arguments, and {} are given", op.name, op.parameters.size(), positional),
         signature_of(op.name));
}

namespace {

std::size_t places_in(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find("{}"); at != text.npos; at = text.find("{}", at + 2)) ++count;
  return count;
}

}  // namespace

// tl.static_print("BLOCK", BLOCK) prints as Python does; a text with a {} for each value is a format.
void Specializer::complete_static_print(const Node& n, std::vector<CallArgument>& all) const {
  const Value* const first = all.empty() ? nullptr : all[0].value->constant();
  const bool is_text = first && first->data.is<cpu::TextConstant>();
  if (is_text && places_in(first->data.as<cpu::TextConstant>().value) == all.size() - 1) return;
  const std::vector<std::string_view> places(all.size(), "{}");
  const char* const text = cpu::kept_text(fmt::format("{}", fmt::join(places, " ")));
  all.insert(all.begin(), CallArgument{"", false, known(n, AnyValue(text))});
}

Specializer::Made Specializer::call(const Node& n) {
  const Node& callee = n.child(0);
  if (callee.kind == NodeKind::attribute) {
    auto self = expression(callee.child(0));
    const Value* const base = self->constant();
    if (const Definition* const method = method_of(*self, callee.text))
      return call_of_function(n, *method, std::move(self));
    const bool is_field = self->parts() && field_of(self->parts()->data, callee.text);
    if (!is_field && (!base || !base->callable())) {  // x.sum(1)
      if (callee.text.starts_with("is_") && n.children.size() == 1)
        return std::make_unique<Attribute>(place(n), std::move(self), std::string(callee.text));
      std::vector<CallArgument> all;
      all.push_back({"", false, std::move(self)});
      const cpu::Function* const op = cpu::method_called({}, callee.text);
      for (CallArgument& a : arguments(n, op)) all.push_back(std::move(a));
      return std::make_unique<OpCall>(place(n), op, std::string(callee.text), std::move(all));
    }
  }
  const auto to = expression(callee);
  const Value* const v = to->constant();
  if (v && v->data.is<cpu::ElementType>()) {  // tl.float32(x)
    std::vector<CallArgument> all = arguments(n);
    all.push_back({"", false, known(n, *v)});
    return std::make_unique<OpCall>(place(n), cpu::function_called("cast"), "", std::move(all));
  }
  if (!v || !v->callable())
    fail(n, v ? fmt::format("{} is no function", text_of(*v)) : "this is a value, no function",
         "ops are called on tl, helpers have @triton.jit above them");
  const Callable& c = *v->callable();
  switch (c.kind) {
    case Callable::Kind::function: return call_of_function(n, *c.function);
    case Callable::Kind::host: return call_of_host(n, c.name);
    case Callable::Kind::record: return call_of_class(n, c);
    case Callable::Kind::computed: {
      std::vector<Value> constants;
      std::vector<std::string> names;
      std::vector<CallArgument> all = arguments(n);
      if (!std::ranges::all_of(all, [](const CallArgument& a) { return a.value->constant() != nullptr; }))
        return std::make_unique<ComputedCall>(place(n), c, std::move(all));
      for (const CallArgument& a : all) {
        constants.push_back(*a.value->constant());
        names.push_back(a.name);
      }
      return known(n, (*c.computed)(constants, names));
    }
    case Callable::Kind::op: {
      check_arguments(n, *c.op, false);
      remark_shapes(n, *c.op);
      std::vector<CallArgument> all = arguments(n, c.op);
      if (c.op->name == "static_print") complete_static_print(n, all);
      std::vector<Value> constants;
      for (const CallArgument& a : all)
        if (a.value->constant() && a.name.empty()) constants.push_back(*a.value->constant());
      if (constants.size() == all.size())
        if (auto r = called(c.op->name, constants)) return known(n, std::move(*r));
      return std::make_unique<OpCall>(place(n), c.op, "", std::move(all));
    }
    default: fail(n, fmt::format("{} is a module", c.name), "call one of its functions");
  }
}

Specializer::Made Specializer::call_of_host(const Node& n, const std::string& function) {
  std::vector<CallArgument> all = arguments(n);
  if (function == "print") remark_print(n);
  if ((function == "getattr" || function == "hasattr") && all.size() >= 2) {
    const Value* const name = all[1].value->constant();
    if (!name || !name->data.is<cpu::TextConstant>())
      fail(n, "the name of an attribute is a constant text", "write it");
    const std::string_view text = name->data.as<cpu::TextConstant>().value;
    if (function == "getattr") {
      if (all.size() > 2 && all[0].value->constant() && !has_attribute(*all[0].value, text))
        return std::move(all[2].value);
      return attribute(n, std::move(all[0].value), text);
    }
    if (all[0].value->constant()) return known(n, AnyValue(has_attribute(*all[0].value, text)));
  }
  std::vector<Value> constants;
  for (const CallArgument& a : all)
    if (a.value->constant()) constants.push_back(*a.value->constant());
  if (constants.size() == all.size())
    if (auto v = called(function, constants)) return known(n, std::move(*v));
  if (function == "range" || function == "static_range")
    fail(n, fmt::format("{} outside of a for", function), "for i in range(n):");
  return std::make_unique<HostCall>(place(n), function, std::move(all));
}

Specializer::Made Specializer::call_of_class(const Node& n, const Callable& c) {
  const Record& r = *c.record;
  if (r.init) return call_of_function(n, *r.init, known(n, AnyValue(cpu::None{})), &c);
  Expressions values(r.fields.size());
  std::size_t next = 0;
  for (CallArgument& a : arguments(n)) {
    const auto named = [&](const Record::Field& f) { return a.name == f.name; };
    const std::size_t at =
        a.name.empty() ? next++ : static_cast<std::size_t>(std::ranges::find_if(r.fields, named) - r.fields.begin());
    if (at >= values.size() || a.is_starred)
      fail(n, fmt::format("{} has {} fields", c.name, r.fields.size()), "give a value for each, by place or by name");
    values[at] = std::move(a.value);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i]) continue;
    if (!r.fields[i].fallback) fail(n, fmt::format("{} is made without {}", c.name, r.fields[i].name), "pass it");
    const Value fallback = Specializer(nullptr, program_, *r.fields[i].module).constant(*r.fields[i].fallback);
    if (!fallback.is_known()) fail(n, fmt::format("the default of {} is no constant", r.fields[i].name), "pass it");
    values[i] = known(n, fallback);
  }
  auto made = std::make_unique<TupleOf>(place(n), std::move(values), r.names(), &c);
  return is_known_whole(made->parts()->data) ? known(n, *made->parts()) : std::move(made);
}

Specializer::Made Specializer::call_of_function(const Node& n, const Definition& d, Made self, const Callable* makes) {
  if (!routines_) fail(n, "a kernel's helper is called outside of kernels", "compute it in the kernel");
  const auto& parameters = d.parameters();
  Expressions in_order(parameters.size()), rest;
  const auto rest_at = static_cast<std::size_t>(
      std::ranges::find(parameters, ParameterKind::rest, &ParameterNode::kind) - parameters.begin());
  const bool has_rest = rest_at < parameters.size();
  const auto give = [&](std::size_t at, Made value, const Node& where) {
    if (at >= parameters.size())
      fail(where, fmt::format("{} takes {} arguments, and more are given", d.name(), parameters.size()),
           "leave out what is too much");
    if (in_order[at]) fail(where, fmt::format("{} is given twice", parameters[at].name), "leave one out");
    in_order[at] = std::move(value);
  };
  std::size_t next = 0;
  const auto give_next = [&](Made value, const Node& where) {
    if (has_rest && next == rest_at) rest.push_back(std::move(value));
    else give(next++, std::move(value), where);
  };
  if (self) give_next(std::move(self), n);
  std::vector<CallArgument> given = n.kind == NodeKind::call ? arguments(n) : std::vector<CallArgument>();
  for (std::size_t i = 0; i < given.size(); ++i) {
    CallArgument& a = given[i];
    const Node& where = n.child(i + 1);
    if (a.is_starred) {
      const Value* const v = a.value->parts();
      if (v && v->data.is<cpu::Tuple>())
        for (auto& x : elements_of(where, std::move(a.value))) give_next(std::move(x), where);
      else fail(where, "* of a tuple that is not known before the run", "pass its elements one by one");
    } else if (a.name.empty()) {
      give_next(std::move(a.value), where);
    } else {
      const auto found = std::ranges::find(parameters, std::string_view(a.name), &ParameterNode::name);
      if (found == parameters.end()) {
        std::vector<std::string> names;
        for (const ParameterNode& p : parameters) names.emplace_back(p.name);
        const std::string near = nearest(a.name, names);
        fail(where, fmt::format("{} has no parameter {}", d.name(), a.name),
             near.empty() ? "" : fmt::format("did you mean {}?", near));
      }
      give(static_cast<std::size_t>(found - parameters.begin()), std::move(a.value), where);
    }
  }
  if (has_rest) in_order[rest_at] = tuple_of(n, std::move(rest));
  std::vector<Value> constants(parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!in_order[i] && !parameters[i].fallback)
      fail(n, fmt::format("{} is called without {}", d.name(), parameters[i].name), "pass it");
    if (!in_order[i]) constants[i] = Specializer(nullptr, program_, *d.module).constant(*parameters[i].fallback);
    else if (const Value* const v = in_order[i]->parts()) constants[i] = *v;
  }
  return std::make_unique<RoutineCall>(place(n), routines_->routine(d, constants, makes), std::move(in_order));
}

}  // namespace tl::triton
