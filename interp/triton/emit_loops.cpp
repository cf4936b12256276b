// Loops as C++: what they assign is declared before them and keeps its type from turn to turn.
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
  if (bounds_.step && !bounds_.arg2) {
    text = fmt::format("0_c, {}", text);
    operands.insert(operands.begin(), cpu::Operand(cpu::Constant(0)));
  }
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

}  // namespace tl::triton
