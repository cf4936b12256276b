// Statements that branch and turn, as C++.
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

// ---- loops ----

// `turn` writes a turn's lines, with its head and without its end. What it assigns keeps its type from turn to turn: a
// number that changes becomes a scalar before the loop.
Flow Emission::loop(const Statement& s, Slots assigned, const std::function<Flow()>& turn) {
  std::vector<std::size_t> slots;
  Slots needed = live_.at_turn.at(&s);
  const Slots& after = live_.after.at(&s);
  needed.insert(after.begin(), after.end());
  std::ranges::set_intersection(assigned, needed, std::back_inserter(slots));
  std::map<std::size_t, Met> met;
  Homes homes;
  const auto begin = [&] {
    now_.loops.push_back({false, ++now_.branches, homes});
    for (const std::size_t slot : assigned) now_.homes[slot].reset();
    for (const auto& [slot, home] : homes) {
      now_.homes[slot] = home;
      if (now_.bindings[slot].term) now_.bindings[slot] = {home, place_of(home)};
    }
  };
  // Which variables need a home: known once nothing changes any more.
  const State before = now_;
  const auto make_homes = [&] {
    homes.clear();
    for (const auto& [slot, m] : met)
      if (!m.constant && m.type.is_known())
        homes[slot] =
            home_for(routine_.variables[slot], m, before.bindings[slot].term ? &*before.bindings[slot].term : nullptr,
                     before.homes[slot] ? &*before.homes[slot] : nullptr, s.place);
  };
  Slots changed;
  for (bool is_new = true; is_new;) {
    now_ = before;
    make_homes();
    begin();
    now_.assigned.clear();
    const Flow flow = turn();
    std::vector<Bindings> ends = std::move(now_.loops.back().ends);
    if (flow == Flow::next) ends.push_back(now_.bindings);
    changed = now_.assigned;
    is_new = false;
    for (const std::size_t slot : slots) {
      if (!changed.contains(slot) || met.contains(slot)) continue;
      std::vector<const Term*> paths{before.bindings[slot].term ? &*before.bindings[slot].term : nullptr};
      for (const Bindings& b : ends) paths.push_back(b[slot].term ? &*b[slot].term : nullptr);
      const Met m = meet(paths, routine_.variables[slot], s.place);
      if (m.constant || !m.type.is_known()) continue;  // the same as before
      met[slot] = m;
      is_new = true;
    }
  }
  now_ = before;
  make_homes();
  const State with_homes = now_;
  begin();
  const Flow flow = turn();
  if (flow == Flow::next) settle(homes, s.place);
  --now_.depth;
  line("}", nullptr);
  now_.bindings = with_homes.bindings;
  now_.homes = with_homes.homes;
  now_.used = with_homes.used;
  now_.loops.pop_back();
  --now_.branches;
  for (const std::size_t slot : changed)
    if (homes.contains(slot)) now_.bindings[slot] = {homes[slot], place_of(homes[slot])};
    else if (!now_.bindings[slot].term || !after.contains(slot)) now_.bindings[slot] = {};
  now_.assigned.insert(changed.begin(), changed.end());
  return Flow::next;
}

Flow Emission::while_loop(const Statement& s, const Expression& test, const Statements& body, const Slots& assigned) {
  if (const Value* const v = test.constant())
    if (const auto yes = truth_of(*v); yes && !*yes) return Flow::next;
  return loop(s, assigned, [&] {
    const std::size_t at = now_.lines.size();
    line("while (true) {", s.place);
    ++now_.depth;
    const Term t = term(test);
    const auto known = truth(t, s.place);
    const std::string condition = known ? (*known ? "true" : "false") : operand(t, Level::comparison);
    if (now_.lines.size() == at + 1) now_.lines[at].text = fmt::format("while ({}) {{", condition);
    else line(fmt::format("if (!{}) break;", known ? condition : operand(t, Level::prefix)), s.place);
    return run(body, 0, true);
  });
}

Flow Emission::range_loop(const Statement& s, const Target& target, const std::string& range, const Value& variable,
                          const Statements& body, Slots assigned) {
  if (!target.elements.empty()) fail(target.place, "a range counts with one variable", "for i in range(n):");
  assigned.insert(target.slot);
  return loop(s, assigned, [&] {
    Term i{variable, fresh(routine_.variables[target.slot]), Level::whole, false, true};
    line(fmt::format("for (auto {} : {}) {{", i.text, range), s.place);
    ++now_.depth;
    assign(target, std::move(i), false, s.place);
    return run(body, 0, true);
  });
}

Flow Emission::unrolled(const Statement& s, const Target& target, const std::vector<Term>& turns,
                        const Statements& body) {
  constexpr std::size_t most_lines = 200'000;
  now_.loops.push_back({true, now_.branches, {}});
  Flow flow = Flow::next;
  for (const Term& t : turns) {
    if (now_.lines.size() > most_lines)
      fail(s.place, "this loop unrolls to more than 200,000 lines", "tl.range is a loop");
    assign(target, t, true, s.place);
    flow = run(body, 0, true);
    if (flow == Flow::breaks || flow == Flow::returns) break;
  }
  now_.loops.pop_back();
  return flow == Flow::returns ? flow : Flow::next;
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

Flow WhileLoop::emit(Emission& e) const {
  return e.while_loop(*this, *test_, body_, Slots(assigned_.begin(), assigned_.end()));
}

Flow ForLoop::emit(Emission& e) const {
  if (!all_ && !bounds_.is_static) return emit_range(e);
  return e.unrolled(*this, target_, emitted_turns(e), body_);
}

std::vector<Term> ForLoop::emitted_turns(Emission& e) const {
  if (all_) {
    const Term all = e.term(*all_);
    if (!all.is_tuple())
      e.fail(place, fmt::format("a loop over {}", text_of(all.value)),
             "loop over range(n), tl.static_range(n), or a tuple");
    return e.named(all, "x", place).elements;
  }
  const auto constant = [&](const std::unique_ptr<Expression>& x, long long otherwise) {
    if (!x) return otherwise;
    const Value v = e.term(*x).value;
    if (!v.data.is<cpu::Constant>())
      e.fail(bounds_.place, fmt::format("tl.static_range over {}", text_of(v)),
             "its bounds are constants: tl.range takes others");
    return v.data.as<cpu::Constant>().value;
  };
  const bool has_begin = bounds_.arg2 != nullptr;
  const long long lo = has_begin ? constant(bounds_.arg1, 0) : 0,
                  hi = constant(has_begin ? bounds_.arg2 : bounds_.arg1, 0), step = constant(bounds_.step, 1);
  try {
    check_unrolled(lo, hi, step);
  } catch (const Error& error) {
    e.fail(bounds_.place, error.what(), error.fix);
  }
  std::vector<Term> turns;
  for (long long i = lo; step > 0 ? i < hi : i > hi; i += step) turns.push_back({Value(AnyValue(i)), ""});
  return turns;
}

Flow ForLoop::emit_range(Emission& e) const {
  std::vector<const Expression*> given;
  for (const auto* x : {&bounds_.arg1, &bounds_.arg2, &bounds_.step})
    if (*x) given.push_back(x->get());
  const std::vector<Term> bounds = e.terms(given);
  std::string text;
  std::vector<cpu::Operand> operands;
  for (const Term& t : bounds) {
    const bool is_block = t.value.data.is<Block>();
    if (!is_block && !t.value.data.is<cpu::Constant>())
      e.fail(bounds_.place, fmt::format("a range over {}", text_of(t.value)), "its bounds are integers");
    text += (text.empty() ? "" : ", ") + operand(t, Level::comparison);
    operands.push_back(is_block ? cpu::Operand(t.value.data.as<Block>())
                                : cpu::Operand(t.value.data.as<cpu::Constant>()));
  }
  if (bounds_.step && !bounds_.arg2)
    text = fmt::format("0_c, {}", text), operands.insert(operands.begin(), cpu::Operand(cpu::Constant(0)));
  if (bounds_.num_stages) {
    const Value stages = e.term(*bounds_.num_stages).value;
    if (stages.data.is<cpu::Constant>())
      text += fmt::format(", {{.num_stages = {}}}", stages.data.as<cpu::Constant>().value);
  }
  while (operands.size() < 3)
    operands.insert(operands.size() == 1 ? operands.begin() : operands.end(),
                    cpu::Operand(cpu::Constant(operands.size() == 1 ? 0 : 1)));
  const Value first = e.asked(bounds_.place, [&] {
    const cpu::Range range =
        e.all().tl().range(operands[0], operands[1], operands[2], {}, cpu::location_of(*bounds_.place));
    return Value(AnyValue(*range.begin()));
  });
  return e.range_loop(*this, target_, fmt::format("tl.range({})", text), first, body_,
                      Slots(assigned_.begin(), assigned_.end()));
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
