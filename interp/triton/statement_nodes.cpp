#include "interp/triton/statement_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "interp/cpu/absent.h"
#include "interp/cpu/names.h"
#include "interp/cpu/state.h"

namespace tl::triton {

using namespace cpu;

void assign(Frame& frame, const Target& target, triton::Value&& v, bool is_weak) {
  if (target.elements.empty()) return assign(frame, target.slot, std::move(v), is_weak);
  if (!v.data.is<Tuple>() || v.data.as<Tuple>()->size() != target.elements.size())
    fail(frame, target.place, fmt::format("{} for {} variables", text_of(v), target.elements.size()),
         "give as many values as there are variables");
  const Tuple all = v.data.as<Tuple>();
  v = {};
  for (std::size_t i = 0; i < all->size(); ++i) assign(frame, target.elements[i], triton::Value((*all)[i]), is_weak);
}

Flow Assignment::run(Frame& frame) const {
  triton::Value v = value_->value(frame);
  for (std::size_t i = 0; i + 1 < targets_.size(); ++i) assign(frame, targets_[i], triton::Value(v), is_weak_);
  assign(frame, targets_.back(), std::move(v), is_weak_);
  return Flow::next;
}

Flow Branch::run(Frame& frame) const {
  bool yes = false, is_noted = false;
  {
    triton::Value made;
    const triton::Value& test = test_->look(frame, made);
    yes = truth(test, frame, place);
    is_noted = frame.course.refusals && is_run_time(test);
  }
  if (is_noted) [[unlikely]]
    return run_noted(frame, yes);
  return triton::run((yes ? then_ : otherwise_).body, frame);
}

namespace {

void tell_all(const Statements& body, Frame& frame) {
  for (const auto& s : body) s->tell_refusals(frame);
}
// "" where Triton does not know the variable.
std::string known_type(const Frame& frame, std::size_t slot) {
  return frame.hidden[slot] ? "" : type_of(frame.variables[slot]);
}
bool is_there(const Frame& frame, std::size_t slot) { return !frame.hidden[slot] && frame.variables[slot].is_known(); }
void compare_types(Frame& frame, const Place* place, std::size_t slot, const std::string& before,
                   std::string_view where) {
  const std::string after = type_of(frame.variables[slot]);
  if (before.empty() || after.empty() || before == after) return;
  frame.course.refusals->add(place,
                             fmt::format("{} is {} before this {}, and {} in it: Triton wants one type",
                                         frame.routine.variables[slot], before, where, after),
                             "give it that type before, cast with .to, or choose another name");
}

}  // namespace

// Triton compiles both arms: a variable has one type whichever is taken, and is known behind them where it was before,
// or where both make it.
Flow Branch::run_noted(Frame& frame, bool yes) const {
  const Arm &taken = yes ? then_ : otherwise_, &other = yes ? otherwise_ : then_;
  std::map<std::size_t, std::string> before;  // types of those that are there
  std::set<std::size_t> made;
  for (const Arm* arm : {&taken, &other})
    for (const std::size_t slot : arm->assigned) {
      if (is_there(frame, slot)) before[slot] = known_type(frame, slot);
      else made.insert(slot);
    }
  tell_all(other.body, frame);
  const Flow flow = triton::run(taken.body, frame);
  for (const auto& [slot, type] : before) compare_types(frame, place, slot, type, "if");
  const auto makes = [](const Arm& arm, std::size_t slot) { return std::ranges::count(arm.assigned, slot) > 0; };
  for (const std::size_t slot : made)
    if (!makes(taken, slot) || !makes(other, slot)) frame.hidden[slot] = place;
  return flow;
}

void LoopStatement::tell_refusals(Frame& frame) const { tell_all(body_, frame); }

void LoopStatement::begin_turn(Frame& frame, Turns& turns) const {
  if (turns.count++ == 0)
    for (const std::size_t slot : assigned_)
      turns.types.push_back(is_there(frame, slot) ? known_type(frame, slot) : "new");
  else end_turns(frame, turns);
}

void LoopStatement::end_turns(Frame& frame, const Turns& turns) const {
  if (turns.count == 0) return tell_refusals(frame);
  for (std::size_t i = 0; i < assigned_.size(); ++i) {
    if (turns.types[i] == "new") frame.hidden[assigned_[i]] = place;
    else compare_types(frame, place, assigned_[i], turns.types[i], "loop");
  }
}

void LoopStatement::carry(Frame& frame) const {
  for (const std::size_t slot : assigned_) {
    triton::Value& v = frame.variables[slot];
    if (v.data.is_number() && v.is_strong)
      assign(frame, slot, AnyValue(scalar_of(frame.tl, v.data, location_of(*place))), false);
  }
}

Flow WhileLoop::run(Frame& frame) const {
  Turns turns;
  const bool is_noted = frame.course.refusals;
  for (carry(frame);; turn(frame, place)) {
    {
      triton::Value made;
      if (!truth(test_->look(frame, made), frame, place, "a while")) {
        if (is_noted) end_turns(frame, turns);
        return Flow::next;
      }
    }
    if (is_noted) begin_turn(frame, turns);
    const Flow flow = triton::run(body_, frame);
    if (flow == Flow::breaks) return Flow::next;
    if (flow == Flow::returns) return flow;
  }
}

Flow ForLoop::run(Frame& frame) const {
  if (all_) return run_tuple(frame);
  return bounds_.is_static ? run_static(frame) : run_range(frame);
}

namespace {

bool is_negative(const Block& x) {
  const cpu::Value& v = *x.data();
  return v.rank == 0 && !is_absent(v) && int_of(v) < 0;
}

}  // namespace

Flow ForLoop::run_range(Frame& frame) const {
  const auto evaluate = [&](const std::unique_ptr<Expression>& e, long long otherwise) {
    return e ? e->value(frame) : triton::Value(AnyValue(otherwise));
  };
  const bool has_begin = bounds_.arg2 != nullptr;
  const triton::Value lo = has_begin ? bounds_.arg1->value(frame) : triton::Value(AnyValue(0)),
                      hi = evaluate(has_begin ? bounds_.arg2 : bounds_.arg1, 0), step = evaluate(bounds_.step, 1);
  const auto operand = [&](const triton::Value& v) {
    if (v.data.is<Block>()) return Operand(v.data.as<Block>());
    if (!v.data.is<Constant>())
      fail(frame, bounds_.place, fmt::format("a range over {}", text_of(v)), "its bounds are integers");
    return Operand(v.data.as<Constant>());
  };
  RangeOptions options;
  if (bounds_.num_stages) {
    const triton::Value stages = bounds_.num_stages->value(frame);
    if (stages.data.is<Constant>()) options.num_stages = static_cast<int>(stages.data.as<Constant>().value);
  }
  if (frame.course.refusals && step.data.is<Block>() && is_negative(step.data.as<Block>())) [[unlikely]]
    frame.course.refusals->add(bounds_.place,
                               "a step that is no constant and negative: a GPU's loop makes no turn then",
                               "count up, and compute the index: n - 1 - i");
  carry(frame);
  const Range range = frame.tl.range(operand(lo), operand(hi), operand(step), options, location_of(*bounds_.place));
  Turns turns;
  const bool is_noted = frame.course.refusals;
  for (Block i : range) {
    turn(frame, bounds_.place);
    assign(frame, target_, AnyValue(std::move(i)), false);
    if (is_noted) begin_turn(frame, turns);
    const Flow flow = triton::run(body_, frame);
    if (flow == Flow::breaks) return Flow::next;
    if (flow == Flow::returns) return flow;
  }
  if (is_noted) end_turns(frame, turns);
  return Flow::next;
}

void check_unrolled(long long begin, long long end, long long step) {
  constexpr long long most = 1 << 16;
  if (step == 0) throw Error("a step of 0 never ends", "choose another step");
  const double turns = (static_cast<double>(end) - static_cast<double>(begin)) / static_cast<double>(step);
  if (turns > most)
    throw Error(fmt::format("tl.static_range unrolls {:.0f} turns, each of them compiled by itself", std::ceil(turns)),
                fmt::format("tl.range is a loop; at most {} turns are unrolled", most));
}

Flow ForLoop::run_static(Frame& frame) const {
  const auto constant = [&](const std::unique_ptr<Expression>& e, long long otherwise) {
    if (!e) return otherwise;
    const triton::Value v = e->value(frame);
    if (!v.data.is<Constant>())
      fail(frame, bounds_.place, fmt::format("tl.static_range over {}", text_of(v)),
           "its bounds are constants: tl.range takes others");
    return v.data.as<Constant>().value;
  };
  const bool has_begin = bounds_.arg2 != nullptr;
  const long long lo = has_begin ? constant(bounds_.arg1, 0) : 0,
                  hi = constant(has_begin ? bounds_.arg2 : bounds_.arg1, 0), step = constant(bounds_.step, 1);
  try {
    check_unrolled(lo, hi, step);
  } catch (const Error& e) {
    fail(frame, bounds_.place, e.what(), e.fix);
  }
  for (long long i = lo; step > 0 ? i < hi : i > hi; i += step) {
    turn(frame, bounds_.place);
    assign(frame, target_, AnyValue(i), true);
    const Flow flow = triton::run(body_, frame);
    if (flow == Flow::breaks) return Flow::next;
    if (flow == Flow::returns) return flow;
  }
  return Flow::next;
}

Flow ForLoop::run_tuple(Frame& frame) const {
  const triton::Value all = all_->value(frame);
  if (!all.data.is<Tuple>())
    fail(frame, place, fmt::format("a loop over {}", text_of(all)),
         "loop over range(n), tl.static_range(n), or a tuple");
  for (const AnyValue& v : *all.data.as<Tuple>()) {
    assign(frame, target_, triton::Value(v), true);
    const Flow flow = triton::run(body_, frame);
    if (flow == Flow::breaks) return Flow::next;
    if (flow == Flow::returns) return flow;
  }
  return Flow::next;
}

Flow Return::run(Frame& frame) const {
  frame.result = value_ ? value_->value(frame) : triton::Value(AnyValue(None{}));
  return Flow::returns;
}

Flow Assertion::run(Frame& frame) const {
  const triton::Value test = test_->value(frame);
  if (test.data.is<Block>()) frame.tl.device_assert(test.data.as<Block>(), kept_text(message_), location_of(*place));
  else frame.tl.device_assert(Constant(truth(test, frame, place), true), kept_text(message_), location_of(*place));
  return Flow::next;
}

}  // namespace tl::triton
