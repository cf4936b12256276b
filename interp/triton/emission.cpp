// Variables, and what becomes of them where paths meet.
#include "interp/triton/emission.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/cpu/arguments.h"

namespace tl::triton {

using cpu::AnyValue;
using cpu::Block;
using cpu::Place;
using cpu::Pointer;

namespace {

bool is_same_constant(const Value& a, const Value& b) {
  if (a.callable() || b.callable()) return a.callable() == b.callable();
  return a.data.is<cpu::RealConstant>() == b.data.is<cpu::RealConstant>() &&
         cpu::text_of_kind(a.data) == cpu::text_of_kind(b.data);
}

bool is_same_type(const AnyValue& a, const AnyValue& b) {
  const auto is_alike = [](const cpu::Handle& x, const cpu::Handle& y) {
    const cpu::Value &v = cpu::value_of(x), &w = cpu::value_of(y);
    return v.dtype == w.dtype && v.rank == w.rank && std::equal(v.dims, v.dims + v.rank, w.dims);
  };
  if (a.is<Block>() && b.is<Block>()) return is_alike(a.as<Block>(), b.as<Block>());
  if (a.is<Pointer>() && b.is<Pointer>()) return is_alike(a.as<Pointer>(), b.as<Pointer>());
  using BlockPtr = std::shared_ptr<const cpu::BlockPointer>;
  if (!a.is<BlockPtr>() || !b.is<BlockPtr>()) return false;
  const cpu::BlockPointer &p = *a.as<BlockPtr>(), &q = *b.as<BlockPtr>();
  return p.dtype.value == q.dtype.value && p.rank == q.rank && std::equal(p.block, p.block + p.rank, q.block);
}

}  // namespace

std::string place_of(const Term& t) {
  if (!t.is_tuple()) return t.text;
  std::string all;
  for (const Term& x : t.elements) all += place_of(x) + ",";
  return all;
}

Emission::Emission(Emitter& all, const Routine& routine, bool is_kernel, int depth)
    : all_(all),
      routine_(routine),
      is_kernel_(is_kernel),
      returns_value_(!is_kernel && has_return_of_value(routine.body)),
      frame_{all.tl(), routine, course_, Variables(routine.variables.size()), {}, depth},
      live_(live_slots(routine)),
      result_(routine.variables.size()) {
  now_.bindings.resize(result_ + 1);
  now_.homes.resize(result_ + 1);
}

void Emission::fail(const Place* p, const std::string& fact, const std::string& fix) const {
  Fault f;
  f.site = cpu::location_of(*p).site();
  f.headline = fact;
  f.fix = fix;
  fail(f);
}
void Emission::fail(const Fault& f) const { throw all_.error_at(f); }

Term Emission::made(Value v, std::string text, Level level) {
  if (v.is_constant()) return Term{std::move(v), ""};
  return Term{all_.without_lanes(v), std::move(text), level};
}

// ---- variables ----

const Term& Emission::variable(std::size_t slot, const Place* p) const {
  const auto& v = now_.bindings[slot].term;
  if (!v)
    fail(p, fmt::format("{} has no value here", routine_.variables[slot]),
         "assign to it on every path that leads here");
  return *v;
}

std::string Emission::fresh(std::string_view wanted) {
  const std::string base = cpp_name(wanted);
  std::string name = base;
  for (int i = 1; now_.used.contains(name) || all_.names.contains(name); ++i) name = fmt::format("{}_{}", base, i);
  now_.used.insert(name);
  return name;
}

Term Emission::declared(std::string_view name, const Term& t, const Place* p) {
  if (t.is_tuple()) {
    Term all = t;
    int i = 0;
    for (Term& x : all.elements) x = declared(fmt::format("{}_{}", name, i++), x, p);
    return all;
  }
  if (t.is_constant()) return Term{t.value, ""};
  Term variable{t.value, t.text};
  if (t.is_temporary) return variable;
  variable.text = fresh(name);
  line(fmt::format("auto {} = {};", variable.text, t.text), p);
  return variable;
}

Term Emission::named(const Term& t, std::string_view name, const Place* p) {
  Term v = declared(name, t, p);
  v.is_temporary = true;
  return v;
}

bool Emission::fits(const Term& home, const Term& t) const {
  if (home.is_tuple()) {
    if (!t.is_tuple() || t.elements.size() != home.elements.size()) return false;
    for (std::size_t i = 0; i < t.elements.size(); ++i)
      if (!fits(home.elements[i], t.elements[i])) return false;
    return true;
  }
  if (home.is_constant()) return t.is_constant() && is_same_constant(home.value, t.value);
  if (t.value.data.is_number()) {
    const Block scalar = cpu::scalar_of(all_.tl(), t.value.data, {});
    return is_same_type(home.value.data, AnyValue(scalar));
  }
  return is_same_type(home.value.data, t.value.data);
}

void Emission::store(const Term& home, const Term& t, const Place* p) {
  if (home.is_tuple()) {
    for (std::size_t i = 0; i < home.elements.size(); ++i) store(home.elements[i], t.elements[i], p);
    return;
  }
  if (home.is_constant() || home.text == t.text) return;
  if (!t.sum.sign.empty() && t.sum.left == home.text)
    return line(fmt::format("{} {}= {};", home.text, t.sum.sign, t.sum.right), p);
  line(fmt::format("{} = {};", home.text, operand(t, Level::comparison)), p);
}

void Emission::assign(const Target& target, Term t, bool is_weak, const Place* p) {
  if (target.elements.empty()) return assign(target.slot, std::move(t), is_weak, p);
  if (!t.is_tuple() || t.elements.size() != target.elements.size())
    fail(target.place, fmt::format("{} for {} variables", text_of(t.value), target.elements.size()),
         "give as many values as there are variables");
  // a, b = b, a: each is computed before the first is assigned.
  for (std::size_t i = 0; i + 1 < t.elements.size() || i < t.elements.size(); ++i) {
    Term& x = t.elements[i];
    if (t.elements.size() > 1 && !x.is_constant() && !x.is_tuple() && !x.is_temporary)
      x = target.elements[i].elements.empty() ? named(x, routine_.variables[target.elements[i].slot], p)
                                              : named(x, "t", p);
  }
  for (std::size_t i = 0; i < t.elements.size(); ++i) assign(target.elements[i], std::move(t.elements[i]), is_weak, p);
}

void Emission::assign(std::size_t slot, Term t, bool is_weak, const Place* p) {
  t.value = assigned(std::move(t.value), is_weak);
  if (t.is_constant() && !t.text.empty()) line(std::exchange(t.text, "") + ";", p);  // x = tl.store(..)
  now_.assigned.insert(slot);
  Binding& b = now_.bindings[slot];
  const char* const name = slot == result_ ? "result" : routine_.variables[slot];
  const std::optional<Term>& home = now_.homes[slot];
  if (home && fits(*home, t)) {
    store(*home, t, p);
    if (t.is_constant()) b.term = Term{t.value, ""};
    else b.term = *home;
    b.held_in = place_of(*home);
    return;
  }
  b.held_in.clear();
  b.term = declared(name, t, p);
}

// What is not there yet in the variables that outlive this scope.
void Emission::settle(const Homes& homes, const Place* p) {
  for (const auto& [slot, home] : homes) {
    Binding& b = now_.bindings[slot];
    if (!b.term || b.held_in == place_of(home)) continue;
    if (!fits(home, *b.term))
      fail(p,
           fmt::format("{} is {} here, and {} where the paths meet",
                       slot == result_ ? "what is returned" : routine_.variables[slot], text_of(b.term->value),
                       text_of(home.value)),
           "give it one type on all paths, cast with .to, or choose another name");
    store(home, *b.term, p);
  }
}

// ---- where paths meet ----

Emission::Met Emission::meet(std::vector<const Term*> paths, std::string_view name, const Place* p) const {
  std::erase(paths, nullptr);
  Met met;
  if (paths.empty()) return met;
  const Term& first = *paths.front();
  const auto clash = [&](const Term& other) {
    const auto words = [](const Value& v) { return type_of(v).empty() ? text_of(v) : type_of(v); };
    fail(p,
         fmt::format("{} is {} on one path, and {} on another: C++ wants one type", name, words(first.value),
                     words(other.value)),
         "give it one type on all paths, cast with .to, or choose another name");
  };
  if (first.is_tuple()) {
    met.type = first.value;
    for (const Term* t : paths)
      if (!t->is_tuple() || t->elements.size() != first.elements.size()) clash(*t);
    for (std::size_t i = 0; i < first.elements.size(); ++i) {
      std::vector<const Term*> each;
      for (const Term* t : paths) each.push_back(&t->elements[i]);
      met.elements.push_back(meet(each, fmt::format("{}[{}]", name, i), p));
    }
    return met;
  }
  const bool is_one = std::ranges::all_of(paths, [&](const Term* t) {
    return first.is_constant() ? t->is_constant() && is_same_constant(first.value, t->value)
                               : !t->is_constant() && !t->is_tuple() && !first.text.empty() && t->text == first.text;
  });
  if (is_one && first.is_constant()) {
    met.constant = first;
    return met;
  }
  const auto typed = [&](const Term& t) {
    return t.value.data.is_number() ? Value(AnyValue(cpu::scalar_of(all_.tl(), t.value.data, {}))) : t.value;
  };
  met.type = all_.without_lanes(typed(first));
  const auto is_alike = [&](const Term& t) {
    if (is_same_type(met.type.data, typed(t).data)) return true;
    return t.value.data.is<std::shared_ptr<const cpu::Descriptor>>() && t.text == first.text;
  };
  for (const Term* t : paths)
    if (!is_alike(*t)) clash(*t);
  return met;
}

Term Emission::empty_of(const Value& type) const {
  const bool is_pointer = type.data.is<Pointer>();
  if (!is_pointer && !type.data.is<Block>()) return {};
  const cpu::Handle& h = is_pointer ? static_cast<const cpu::Handle&>(type.data.as<Pointer>()) : type.data.as<Block>();
  const cpu::Value& v = cpu::value_of(h);
  const std::string shape = shape_text(std::span(v.dims, v.rank));
  if (!is_pointer)
    return {type, v.rank ? fmt::format("tl.zeros({}, {})", shape, dtype_text(v.dtype))
                         : fmt::format("tl.scalar({}, {})",
                                       v.dtype == DType::int1 ? "false"
                                       : is_float(v.dtype)    ? "0.0"
                                                              : "0_c",
                                       dtype_text(v.dtype))};
  // Any pointer to that dtype may be moved to another.
  const auto base_is = [&](const Binding& b) {
    const auto* const p = b.term ? b.term->value.data.get_if<Pointer>() : nullptr;
    return p && cpu::value_of(*p).rank == 0 && cpu::value_of(*p).dtype == v.dtype;
  };
  const auto found = std::ranges::find_if(now_.bindings, base_is);
  if (found == now_.bindings.end()) return {};
  const std::string& base = found->term->text;
  return {type, v.rank ? fmt::format("{} + tl.zeros({}, tl.int32)", base, shape) : base};
}

// The variable that holds it on all paths: the one that it has, one of a scope around, or a new one before the if or
// loop.
Term Emission::home_for(std::string_view name, const Met& met, const Term* before, const Term* outer, const Place* p) {
  if (met.constant) return *met.constant;
  if (met.type.data.is<cpu::Tuple>()) {
    Term all{met.type, ""};
    const auto part = [](const Term* t, std::size_t i) {
      return t && t->is_tuple() && i < t->elements.size() ? &t->elements[i] : nullptr;
    };
    for (std::size_t i = 0; i < met.elements.size(); ++i)
      all.elements.push_back(
          home_for(fmt::format("{}_{}", name, i), met.elements[i], part(before, i), part(outer, i), p));
    return all;
  }
  for (const Term* is : {before, outer})
    if (is && !is->is_constant() && !is->text.empty() && is_same_type(is->value.data, met.type.data))
      return {is->value, is->text};
  if (before && before->value.data.is_number()) {
    const Block scalar = cpu::scalar_of(all_.tl(), before->value.data, {});
    if (is_same_type(AnyValue(scalar), met.type.data)) return declared(name, strong(*before, p), p);
  }
  const Term empty = empty_of(met.type);
  if (empty.text.empty())
    fail(p, fmt::format("{} is {} that is first made within this if or loop", name, text_of(met.type)),
         "make it before");
  return declared(name, empty, p);
}

}  // namespace tl::triton
