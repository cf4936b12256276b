// A loop in an address run: which iterations run, and what becomes of the rest. The reasoning is in loop.h, the state
// of a loop in loop_state.cpp.
#include "interp/cpu/loop.h"

#include "interp/cpu/recording.h"

namespace tl::cpu {

void AddressLoop::begin(long long lo, long long step, std::int64_t iterations, LoopSite& site, std::uint64_t& stamps) {
  lo_ = lo;
  step_ = step;
  count_ = iterations;
  site_ = &site;
  stamps_ = &stamps;
  attempts_ = 0;
  restart_at(0);
}

long long AddressLoop::restart_at(std::int64_t iteration) {
  variables_.clear();
  at_ = start_ = iteration;
  stamp_ = ++*stamps_;
  if (count_ - iteration < fewest_iterations) phase_ = Phase::plain;
  else {
    phase_ = Phase::first;
    marks_[0] = recording_.out().mark();
    begin_iteration();
  }
  return index_of(iteration);
}

void AddressLoop::begin_iteration() {
  failed_ = false;
  sequence_ = 0;
  linear_at_ = constant_at_ = 0;
  for (Variable& v : variables_) v.is_assigned = false;
}

bool AddressLoop::give_up() {
  if (phase_ == Phase::probe) return false;
  phase_ = Phase::plain;
  variables_.clear();
  return true;
}

void AddressLoop::leave() {
  const bool out_of_order = phase_ == Phase::probe;
  phase_ = Phase::plain;
  variables_.clear();
  recording_.end_loop(*this, out_of_order);
}

long long AddressLoop::next() {
  switch (phase_) {
    case Phase::plain: return index_of(++at_);
    case Phase::first: end_first(); break;
    case Phase::second:
      if (!end_second()) return give_up_attempt();
      break;
    case Phase::third:
      if (!end_third()) return give_up_attempt();
      low_ = at_;
      high_ = site_->has_tail && count_ - 1 > low_ ? count_ - 1 : count_;
      probes_ = 0;
      return probe_next();
    case Phase::probe:
      if (end_probe()) low_ = at_;
      else {
        high_ = at_;
        if (at_ == count_ - 1) site_->has_tail = true;
      }
      recording_.out().rewind(marks_[3]);
      undo();
      return probe_next();
  }
  begin_iteration();
  return index_of(++at_);
}

long long AddressLoop::give_up_attempt() {
  if (++attempts_ < 3) return restart_at(at_ + 1);
  ++site_->failures;
  give_up();
  return index_of(++at_);
}

// ---- the three iterations

void AddressLoop::end_first() {
  for (Variable& v : variables_) begin_variable(v);
  phase_ = Phase::second;
  linear_.clear();
  linear_steps_.clear();
  constant_.clear();
  marks_[1] = recording_.out().mark();
}

bool AddressLoop::end_second() {
  if (failed_) return false;
  for (Variable& v : variables_)
    if (!find_step(v)) return false;
  first_sequence_ = sequence_;
  phase_ = Phase::third;
  marks_[2] = recording_.out().mark();
  return true;
}

bool AddressLoop::end_third() {
  const auto mark = recording_.out().mark();
  if (failed_ || sequence_ != first_sequence_ || linear_at_ != linear_.size() || constant_at_ != constant_.size() ||
      !is_as_predicted(2))
    return false;
  if (mark.accesses - marks_[2].accesses != marks_[2].accesses - marks_[1].accesses) return false;
  const auto& accesses = recording_.out().record().accesses;
  access_steps_.clear();
  for (std::uint32_t i = marks_[1].accesses; i < marks_[2].accesses; ++i)
    access_steps_.push_back(accesses[i + (marks_[2].accesses - marks_[1].accesses)].base - accesses[i].base);
  marks_[3] = mark;
  return has_moved_evenly(marks_[2], marks_[3], 1);
}

bool AddressLoop::has_moved_evenly(const trace::AccessBuilder::Mark& from, const trace::AccessBuilder::Mark& to,
                                   std::int64_t iterations_on) const {
  const auto &one = marks_[1], &two = marks_[2];
  if (to.accesses - from.accesses != two.accesses - one.accesses || to.flops - from.flops != two.flops - one.flops ||
      since(to.lanes, from.lanes) != since(two.lanes, one.lanes))
    return false;
  const auto& accesses = recording_.out().record().accesses;
  for (std::uint32_t i = 0; i < to.accesses - from.accesses; ++i) {
    const trace::PlacedAccess &was = accesses[one.accesses + i], &is = accesses[from.accesses + i];
    if (was.pattern != is.pattern ||
        static_cast<__int128>(was.base) + static_cast<__int128>(access_steps_[i]) * iterations_on != is.base)
      return false;
  }
  return true;
}

// ---- the iterations further on

bool AddressLoop::end_probe() {
  return !failed_ && sequence_ == first_sequence_ && linear_at_ == linear_.size() && constant_at_ == constant_.size() &&
         is_as_predicted(at_ - start_) && has_moved_evenly(marks_[3], recording_.out().mark(), at_ - (start_ + 1));
}

long long AddressLoop::probe_next() {
  for (; high_ - low_ > 1; ++probes_) {
    const std::int64_t target = probes_ < 2 ? high_ - 1 : low_ + (high_ - low_) / 2;
    if (!place(target)) {
      high_ = target;
      continue;
    }
    ++probes_;
    at_ = target;
    phase_ = Phase::probe;
    begin_iteration();
    return index_of(target);
  }
  return close();
}

long long AddressLoop::close() {
  trace::AccessBuilder& out = recording_.out();
  const bool first_too = has_moved_evenly(marks_[0], marks_[1], -1);
  out.rewind(marks_[first_too ? 1 : 2]);
  out.repeat(marks_[first_too ? 0 : 1], low_ - start_ + first_too, access_steps_);
  site_->failures = 0;
  if (low_ + 1 == count_) {
    phase_ = Phase::plain;
    variables_.clear();
    at_ = count_;
    return index_of(count_);
  }
  place(low_ + 1);
  return restart_at(low_ + 1);
}

}  // namespace tl::cpu
