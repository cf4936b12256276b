// Statements in order, and those that branch, as C++.
#include <fmt/format.h>

#include <algorithm>

#include "interp/cpu/arguments.h"
#include "interp/triton/emission.h"
#include "interp/triton/expression_nodes.h"
#include "interp/triton/statement_nodes.h"

namespace tl::triton {

using cpu::AnyValue;
using cpu::Block;
using cpu::Place;

namespace {

const Statements* arm_of(const Statement& s, int i) {
  if (const auto* const branch = dynamic_cast<const Branch*>(&s))
    return i < 2 ? &(i == 0 ? branch->then() : branch->otherwise()).body : nullptr;
  if (const auto* const loop = dynamic_cast<const LoopStatement*>(&s)) return i == 0 ? &loop->body() : nullptr;
  return nullptr;
}
template <class F>
bool any_return(const Statements& all, const F& f) {
  return std::ranges::any_of(all, [&](const auto& s) {
    if (const auto* const r = dynamic_cast<const Return*>(s.get())) return f(*r);
    for (int i = 0; const Statements* arm = arm_of(*s, i); ++i)
      if (any_return(*arm, f)) return true;
    return false;
  });
}
bool has_return(const Statements& all) {
  return any_return(all, [](const Return&) { return true; });
}
}  // namespace

bool has_return_of_value(const Statements& all) {
  return any_return(all, [](const Return& r) { return r.has_value(); });
}

// ---- in order ----

Flow Emission::statements(const Statements& all) { return run(all, 0); }

Flow Emission::run(const Statements& all, std::size_t from, bool is_loop) {
  Rest rest{&all, from, rest_, is_loop};
  const Rest* const outer = std::exchange(rest_, &rest);
  Flow flow = Flow::next;
  while (flow == Flow::next && rest.next < all.size()) flow = all[rest.next++]->emit(*this);
  rest_ = outer;
  return flow;
}

// An arm, and with it, where it goes on, all that follows its if.
Flow Emission::run_arm(const Statements& arm, bool goes_on) {
  if (!goes_on) return run(arm, 0);
  const Rest* const outer = rest_;
  Flow flow = run(arm, 0);
  for (const Rest* r = outer; flow == Flow::next && r; r = r->outer) {
    if (r->is_loop) fail_return(routine_.place);
    rest_ = r->outer;
    flow = run(*r->all, r->next);
  }
  if (flow == Flow::next) flow = returns(Term{Value(AnyValue(cpu::None{})), ""}, routine_.place);
  rest_ = outer;
  return flow;
}

void Emission::fail_return(const Place* p) const {
  fail(p, "a value is returned from within a loop", "set a variable there, and return after the loop");
}

Flow Emission::returns(Term t, const Place* p) {
  if (!returns_value_) {
    line("return;", p);
    return Flow::returns;
  }
  for (const Loop& l : now_.loops)
    if (!l.is_unrolled) fail_return(p);
  if (now_.branches > 0) {
    assign(result_, std::move(t), true, p);
    return Flow::returns;
  }
  std::vector<std::string> texts;
  const std::function<void(Term&)> take = [&](Term& x) {
    for (Term& element : x.elements) take(element);
    if (x.is_constant() || x.is_tuple()) return;
    texts.push_back(operand(x, Level::comparison));
    x.text.clear();
  };
  take(t);
  if (texts.empty()) line("return;", p);
  else
    line(texts.size() == 1 ? fmt::format("return {};", texts[0])
                           : fmt::format("return tl.tuple({});", fmt::join(texts, ", ")),
         p);
  now_.result = Term{t.value, "", Level::whole, false, false, t.elements};
  return Flow::returns;
}

Flow Emission::jumps(Flow flow, const Place* p) {
  Loop& loop = now_.loops.back();
  if (loop.is_unrolled) {
    if (now_.branches > loop.branches)
      fail(p,
           fmt::format("a {} under a condition of the run leaves an unrolled loop",
                       flow == Flow::breaks ? "break" : "continue"),
           "loop over tl.range, or set a flag and ask for it");
    return flow;
  }
  loop.ends.push_back(now_.bindings);
  settle(loop.homes, p);
  line(flow == Flow::breaks ? "break;" : "continue;", p);
  return flow;
}

void Emission::evaluate(const Term& t, const Place* p) {
  for (const Term& x : t.elements) evaluate(x, p);
  if (t.text.find('(') != t.text.npos) line(t.text + ";", p);  // a name alone does nothing
}

// ---- branches ----

Flow Emission::branch(const Statement& s, const Expression& test, const Statements& then, const Statements& otherwise,
                      const Slots& assigned) {
  const Term t = term(test);
  if (const auto yes = truth(t, s.place)) return statements(*yes ? then : otherwise);
  return branch_at_run_time(s, t, then, otherwise, assigned);
}

Flow Emission::branch_at_run_time(const Statement& s, const Term& test, const Statements& then,
                                  const Statements& otherwise, const Slots& assigned) {
  const bool goes_on = returns_value_ && (has_return(then) || has_return(otherwise));
  std::vector<std::size_t> slots;
  const Slots& after = live_.after.at(&s);
  if (goes_on) slots = {result_};
  else std::ranges::set_intersection(assigned, after, std::back_inserter(slots));
  const auto begin_arm = [&] {
    ++now_.branches;
    ++now_.depth;
    for (const std::size_t slot : assigned) now_.homes[slot].reset();
  };
  // First, what the variables are behind each arm that goes on.
  Slots changed;
  std::vector<Bindings> ends;
  for (const Statements* arm : {&then, &otherwise}) {
    const State before = now_;
    begin_arm();
    now_.assigned.clear();
    if (run_arm(*arm, goes_on) == Flow::next || goes_on) {
      ends.push_back(now_.bindings);
      changed.insert(now_.assigned.begin(), now_.assigned.end());
    }
    now_ = before;
  }
  const State before = now_;
  Homes homes, constants;
  for (const std::size_t slot : slots) {
    if (!changed.contains(slot)) continue;
    std::vector<const Term*> paths;
    for (const Bindings& b : ends) paths.push_back(b[slot].term ? &*b[slot].term : nullptr);
    const std::string name = slot == result_ ? "result" : routine_.variables[slot];
    const Met met = meet(paths, name, s.place);
    if (met.constant) constants[slot] = *met.constant;
    else if (met.type.is_known())
      homes[slot] = home_for(name, met, before.bindings[slot].term ? &*before.bindings[slot].term : nullptr,
                             before.homes[slot] ? &*before.homes[slot] : nullptr, s.place);
  }
  const State with_homes = now_;
  const auto write_arm = [&](const Statements& arm) {
    begin_arm();
    for (const auto& [slot, home] : homes) {
      now_.homes[slot] = home;
      Binding& b = now_.bindings[slot];
      // A number stands in the variable that was made for it.
      const bool is_held =
          b.term && (place_of(*b.term) == place_of(home) || (b.term->value.data.is_number() && fits(home, *b.term)));
      if (is_held) b.held_in = place_of(home);
    }
    const Flow flow = run_arm(arm, goes_on);
    if (flow == Flow::next || goes_on) settle(homes, s.place);
    now_.bindings = with_homes.bindings;
    now_.homes = with_homes.homes;
    now_.used = with_homes.used;
    --now_.branches;
    --now_.depth;
    return flow;
  };
  line(fmt::format("if ({}) {{", operand(test, Level::comparison)), s.place);
  const Flow a = write_arm(then);
  const std::size_t at = now_.lines.size();
  line("} else {", nullptr);
  const Flow b = write_arm(otherwise);
  if (now_.lines.size() == at + 1) now_.lines.pop_back();
  line("}", nullptr);
  for (const std::size_t slot : changed) now_.bindings[slot] = {};
  for (const auto& [slot, home] : homes) now_.bindings[slot] = {home, place_of(home)};
  for (const auto& [slot, constant] : constants) now_.bindings[slot] = {constant};
  now_.assigned.insert(changed.begin(), changed.end());
  if (goes_on) {
    if (now_.branches > 0) return Flow::returns;
    return returns(now_.bindings[result_].term.value_or(Term{Value(AnyValue(cpu::None{})), ""}), s.place);
  }
  return a == Flow::next || b == Flow::next ? Flow::next : Flow::returns;
}

// ---- the nodes ----

Flow Assignment::emit(Emission& e) const {
  std::vector<std::string> names;
  for (const Target& t : targets_.back().elements)
    if (t.elements.empty()) names.push_back(e.frame().routine.variables[t.slot]);
  e.want(std::move(names));
  Term t = e.term(*value_);
  e.want({});
  if (targets_.size() > 1 && t.has_effect) t = e.named(t, e.frame().routine.variables[targets_[0].slot], place);
  for (std::size_t i = 0; i + 1 < targets_.size(); ++i) e.assign(targets_[i], t, is_weak_, place);
  if (targets_.size() > 1) t.is_temporary = false;
  e.assign(targets_.back(), std::move(t), is_weak_, place);
  return Flow::next;
}

Flow Evaluation::emit(Emission& e) const {
  e.evaluate(e.term(*value_), place);
  return Flow::next;
}

Flow Branch::emit(Emission& e) const {
  Slots assigned(then_.assigned.begin(), then_.assigned.end());
  assigned.insert(otherwise_.assigned.begin(), otherwise_.assigned.end());
  return e.branch(*this, *test_, then_.body, otherwise_.body, assigned);
}

Flow Return::emit(Emission& e) const {
  return e.returns(value_ ? e.term(*value_) : Term{Value(AnyValue(cpu::None{})), ""}, place);
}
Flow Jump::emit(Emission& e) const { return e.jumps(flow_, place); }

Flow Assertion::emit(Emission& e) const {
  const Term t = e.term(*test_);
  const auto known = t.value.data.is<Block>() ? std::nullopt : e.truth(t, place);
  e.note_effect();
  if (known && *known) return Flow::next;
  const std::string test = known ? "false" : operand(t, Level::comparison);
  e.evaluate(
      Term{Value(AnyValue(cpu::None{})), fmt::format("tl.device_assert({}, {})", test, string_literal(message_))},
      place);
  return Flow::next;
}

}  // namespace tl::triton
