#include "interp/triton/live.h"

#include "interp/triton/expression_nodes.h"
#include "interp/triton/statement_nodes.h"

namespace tl::triton {

namespace {

void join(Slots& all, const Slots& more) { all.insert(more.begin(), more.end()); }
void forget(Slots& all, const Target& t) {
  if (t.elements.empty()) all.erase(t.slot);
  for (const Target& element : t.elements) forget(all, element);
}

}  // namespace

LiveSlots live_slots(const Routine& routine) {
  LiveSlots found;
  LiveWalk{found, {}, {}}.before(routine.body, {});
  return found;
}

Slots LiveWalk::before(const Statements& all, Slots after) {
  for (auto s = all.rbegin(); s != all.rend(); ++s) {
    join(found.after[s->get()], after);
    after = (*s)->live(*this, std::move(after));
  }
  return after;
}

Slots LiveWalk::before_loop(const Statement& loop, const Statements& body, const Slots& after, const Slots& head_reads,
                            const Target* target) {
  const Slots breaks = std::exchange(at_break, after);
  Slots turn = after;
  join(turn, head_reads);
  const Slots continues = at_continue;
  for (int pass = 0; pass < 2; ++pass) {  // what the second turn reads, the first one keeps
    at_continue = turn;
    Slots begin = before(body, turn);
    if (target) forget(begin, *target);
    join(turn, begin);
  }
  at_break = breaks;
  at_continue = continues;
  join(found.at_turn[&loop], turn);
  return turn;
}

// ---- statements ----

Slots Assignment::live(LiveWalk&, Slots after) const {
  for (const Target& t : targets_) forget(after, t);
  value_->read(after);
  return after;
}
Slots Evaluation::live(LiveWalk&, Slots after) const {
  value_->read(after);
  return after;
}
Slots Branch::live(LiveWalk& walk, Slots after) const {
  Slots all = walk.before(then_.body, after);
  join(all, walk.before(otherwise_.body, std::move(after)));
  test_->read(all);
  return all;
}
Slots WhileLoop::live(LiveWalk& walk, Slots after) const {
  Slots reads;
  test_->read(reads);
  return walk.before_loop(*this, body_, after, reads, nullptr);
}
Slots ForLoop::live(LiveWalk& walk, Slots after) const {
  Slots all = walk.before_loop(*this, body_, after, {}, &target_);
  for (const auto* e : {&all_, &bounds_.arg1, &bounds_.arg2, &bounds_.step, &bounds_.num_stages})
    if (*e) (*e)->read(all);
  return all;
}
Slots Return::live(LiveWalk&, Slots) const {
  Slots all;
  if (value_) value_->read(all);
  return all;
}
Slots Jump::live(LiveWalk& walk, Slots) const { return flow_ == Flow::breaks ? walk.at_break : walk.at_continue; }
Slots Assertion::live(LiveWalk&, Slots after) const {
  test_->read(after);
  return after;
}

// ---- expressions ----

namespace {
void read_all(const Expressions& all, Slots& slots) {
  for (const auto& e : all)
    if (e) e->read(slots);
}
}  // namespace

void Variable::read(Slots& all) const { all.insert(slot_); }
void Infix::read(Slots& all) const {
  left_->read(all);
  right_->read(all);
}
void Prefix::read(Slots& all) const { x_->read(all); }
void Comparison::read(Slots& all) const {
  left_->read(all);
  for (const Link& link : links_) link.right->read(all);
}
void Logical::read(Slots& all) const { read_all(operands_, all); }
void Conditional::read(Slots& all) const { read_all(parts_, all); }
void TupleOf::read(Slots& all) const { read_all(elements_, all); }
void Comprehension::read(Slots& all) const {
  Slots each;
  element_->read(each);
  forget(each, target_);
  join(all, each);
  all_->read(all);
}
void Sliced::read(Slots& all) const { x_->read(all); }
void Indexed::read(Slots& all) const {
  x_->read(all);
  index_->read(all);
}
void Attribute::read(Slots& all) const { x_->read(all); }
void OpCall::read(Slots& all) const {
  for (const CallArgument& a : arguments_) a.value->read(all);
  if (addend_) addend_->read(all);
}
void RoutineCall::read(Slots& all) const { read_all(arguments_, all); }
void HostCall::read(Slots& all) const {
  for (const CallArgument& a : arguments_) a.value->read(all);
}
void ComputedCall::read(Slots& all) const {
  for (const CallArgument& a : arguments_) a.value->read(all);
}
void Format::read(Slots& all) const { read_all(values_, all); }
void Combine::read(Slots&) const {}

}  // namespace tl::triton
