// Loops in an address run: which iterations run, and what becomes of the rest. The reasoning is in loop.h.
#include "interp/cpu/loop.h"

#include <algorithm>
#include <cstring>

#include "interp/cpu/absent.h"
#include "interp/cpu/recording.h"

namespace tl::cpu {

namespace {

const Data* data_in(const Handle& h) { return static_cast<const Data*>(h.head()); }

bool same_strides(const Data& a, const Data& b) {
  for (int i = 0; i < a.rank; ++i)
    if (a.dims[i] > 1 && a.strides[i] != b.strides[i]) return false;
  return true;
}

bool same_box(const Data& a, const Data& b) {
  if (a.rank == 0) return a.base == b.base;
  for (int i = 0; i < a.rank; ++i)
    if (a.lo()[i] != b.lo()[i] || a.hi[i] != b.hi[i]) return false;
  return true;
}

// Whether all lanes are the same, as far as that is seen at once.
bool same_lanes_at_sight(const Data& a, const Data& b) {
  if (&a == &b) return true;
  if (a.form != b.form) return false;
  switch (a.form) {
    case Form::absent: return true;
    case Form::affine: return a.base == b.base && same_strides(a, b) && a.tensor == b.tensor;
    case Form::box: return same_box(a, b);
    case Form::splat: return std::memcmp(a.scalar, b.scalar, static_cast<std::size_t>(size_in_bytes(a.dtype))) == 0;
    case Form::dense: break;
  }
  return false;
}

// Values that move by one number: ints and pointers that are affine, and pointers that lie anyhow, all moved alike.
std::int64_t& position_of(Data& d) { return d.form == Form::affine ? d.base : d.shift; }
std::int64_t position_of(const Data& d) { return d.form == Form::affine ? d.base : d.shift; }
bool are_apart_by_position(const Data& a, const Data& b) {
  if (a.form != b.form || a.tensor != b.tensor || !same_strides(a, b)) return false;
  return a.form == Form::affine || (a.form == Form::dense && a.is_pointer && a.buffer == b.buffer && a.base == b.base);
}

void set(Handle& h, Ref value) {
  if (value->is_pointer) static_cast<Pointer&>(h) = Pointer(value.release());
  else static_cast<Block&>(h) = Block(value.release());
}

// Affine in its one operand that varies.
bool is_view(Op op) { return op == Op::slice || (op >= Op::broadcast_to && op <= Op::trans) || op == Op::convert_layout || op == Op::full || op == Op::multiple_of; }
bool is_affine(Op op, int varying) {
  return op == Op::add || op == Op::sub || op == Op::neg || op == Op::cast || is_view(op) || (op == Op::mul && varying == 1);
}
bool is_monotone(Op op) { return op >= Op::lt && op <= Op::ge; }

}  // namespace

void Loop::begin(long long lo, long long step, std::int64_t iterations, LoopPlace& place, std::uint64_t& stamps) {
  lo_ = lo;
  step_ = step;
  count_ = iterations;
  place_ = &place;
  stamps_ = &stamps;
  attempts_ = 0;
  restart_at(0);
}

long long Loop::restart_at(std::int64_t iteration) {
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

void Loop::begin_iteration() {
  failed_ = false;
  sequence_ = 0;
  linear_at_ = constant_at_ = 0;
  for (Variable& v : variables_) v.is_assigned = false;
}

bool Loop::give_up() {
  if (phase_ == Phase::probe) return false;
  phase_ = Phase::plain;
  variables_.clear();
  return true;
}

void Loop::leave() {
  const bool out_of_order = phase_ == Phase::probe;
  phase_ = Phase::plain;
  variables_.clear();
  recording_.end_loop(*this, out_of_order);
}

long long Loop::next() {
  switch (phase_) {
    case Phase::plain: return index_of(++at_);
    case Phase::first: end_first(); break;
    case Phase::second:
      if (!end_second()) return give_up_attempt();
      break;
    case Phase::third:
      if (!end_third()) return give_up_attempt();
      low_ = at_;
      high_ = place_->has_tail && count_ - 1 > low_ ? count_ - 1 : count_;
      probes_ = 0;
      return probe_next();
    case Phase::probe:
      if (end_probe()) low_ = at_;
      else {
        high_ = at_;
        if (at_ == count_ - 1) place_->has_tail = true;
      }
      recording_.out().rewind(marks_[3]);
      undo();
      return probe_next();
  }
  begin_iteration();
  return index_of(++at_);
}

long long Loop::give_up_attempt() {
  if (++attempts_ < 3) return restart_at(at_ + 1);
  ++place_->failures;
  give_up();
  return index_of(++at_);
}

// ---- the three iterations

void Loop::end_first() {
  for (Variable& v : variables_) {
    Data& d = *static_cast<Data*>(v.handle->head());
    v.one = Ref::share(&d);
    if (v.block_pointer) {
      const BlockPointer& p = *v.block_pointer;
      std::copy_n(p.shape, max_rank, v.tile.shape);
      std::copy_n(p.strides, max_rank, v.tile.strides);
      std::copy_n(p.block, max_rank, v.tile.block);
      std::copy_n(p.offsets, max_rank, v.tile.offsets);
    }
    if (!is_absent(d)) d.id = stamp_ << 1;
  }
  phase_ = Phase::second;
  linear_.clear();
  linear_steps_.clear();
  constant_.clear();
  marks_[1] = recording_.out().mark();
}

bool Loop::find_step(Variable& v) {
  Data& d = *static_cast<Data*>(v.handle->head());
  if (v.is_new || !v.is_assigned || is_unforeseeable(d)) return false;
  v.two = Ref::share(&d);
  v.is_linear = are_apart_by_position(*v.one, d);
  v.step = v.is_linear ? position_of(d) - position_of(*v.one) : 0;
  for (int i = 0; v.block_pointer && i < v.block_pointer->rank; ++i) v.tile_steps[i] = v.block_pointer->offsets[i] - v.tile.offsets[i];
  if (!is_absent(d)) d.id = stamp_ << 1;
  return is_as_predicted(v, 1);
}

bool Loop::end_second() {
  if (failed_) return false;
  for (Variable& v : variables_)
    if (!find_step(v)) return false;
  first_sequence_ = sequence_;
  phase_ = Phase::third;
  marks_[2] = recording_.out().mark();
  return true;
}

bool Loop::end_third() {
  const auto mark = recording_.out().mark();
  if (failed_ || sequence_ != first_sequence_ || linear_at_ != linear_.size() || constant_at_ != constant_.size() || !is_as_predicted(2)) return false;
  if (mark.accesses - marks_[2].accesses != marks_[2].accesses - marks_[1].accesses) return false;
  const auto& accesses = recording_.out().record().accesses;
  access_steps_.clear();
  for (std::uint32_t i = marks_[1].accesses; i < marks_[2].accesses; ++i)
    access_steps_.push_back(accesses[i + (marks_[2].accesses - marks_[1].accesses)].base - accesses[i].base);
  marks_[3] = mark;
  return has_moved_evenly(marks_[2], marks_[3], 1);
}

bool Loop::has_moved_evenly(const trace::AccessBuilder::Mark& from, const trace::AccessBuilder::Mark& to, std::int64_t iterations_on) const {
  const auto &one = marks_[1], &two = marks_[2];
  if (to.accesses - from.accesses != two.accesses - one.accesses || to.flops - from.flops != two.flops - one.flops ||
      to.lane_ops - from.lane_ops != two.lane_ops - one.lane_ops)
    return false;
  const auto& accesses = recording_.out().record().accesses;
  for (std::uint32_t i = 0; i < to.accesses - from.accesses; ++i) {
    const trace::PlacedAccess &was = accesses[one.accesses + i], &is = accesses[from.accesses + i];
    if (was.pattern != is.pattern || static_cast<__int128>(was.base) + static_cast<__int128>(access_steps_[i]) * iterations_on != is.base) return false;
  }
  return true;
}

bool Loop::is_as_predicted(const Variable& v, std::int64_t iterations_on) const {
  const Data &one = *v.one, &now = *data_in(*v.handle);
  if (v.is_linear) {
    if (!are_apart_by_position(one, now)) return false;
    if (static_cast<__int128>(position_of(one)) + static_cast<__int128>(v.step) * iterations_on != position_of(now)) return false;
  } else if (!same_lanes_at_sight(one, now)) {
    return false;
  }
  if (!v.block_pointer) return true;
  const BlockPointer& p = *v.block_pointer;
  for (int i = 0; i < p.rank; ++i)
    if (p.shape[i] != v.tile.shape[i] || p.strides[i] != v.tile.strides[i] || p.block[i] != v.tile.block[i] ||
        static_cast<__int128>(v.tile.offsets[i]) + static_cast<__int128>(v.tile_steps[i]) * iterations_on != p.offsets[i])
      return false;
  return true;
}

bool Loop::is_as_predicted(std::int64_t iterations_on) const {
  return std::all_of(variables_.begin(), variables_.end(), [&](const Variable& v) { return !v.is_new && v.is_assigned && is_as_predicted(v, iterations_on); });
}

// ---- the iterations further on

bool Loop::end_probe() {
  return !failed_ && sequence_ == first_sequence_ && linear_at_ == linear_.size() && constant_at_ == constant_.size() && is_as_predicted(at_ - start_) &&
         has_moved_evenly(marks_[3], recording_.out().mark(), at_ - (start_ + 1));
}

// What an iteration out of order assigned for the first time gets back what it held.
void Loop::undo() {
  setting_ = true;
  for (const Variable& v : variables_) {
    if (!v.is_new || !v.one) continue;
    if (v.block_pointer) {
      std::copy_n(v.tile.shape, max_rank, v.block_pointer->shape);
      std::copy_n(v.tile.strides, max_rank, v.block_pointer->strides);
      std::copy_n(v.tile.block, max_rank, v.block_pointer->block);
      std::copy_n(v.tile.offsets, max_rank, v.block_pointer->offsets);
    }
    set(*v.handle, v.one);
  }
  setting_ = false;
  std::erase_if(variables_, [](const Variable& v) { return v.is_new; });
}

bool Loop::place(std::int64_t iteration) {
  const std::int64_t on = iteration - (start_ + 1);
  for (const Variable& v : variables_) {  // whether all can be there
    if (!v.is_linear) continue;
    __int128 min = static_cast<__int128>(position_of(*v.one)) + static_cast<__int128>(v.step) * on, max = min;
    for (int i = 0; v.one->form == Form::affine && i < v.one->rank; ++i) (v.one->strides[i] > 0 ? max : min) += static_cast<__int128>(v.one->strides[i]) * (v.one->dims[i] - 1);
    if (min < INT64_MIN || max > INT64_MAX || !fits(v.one->element_dtype(), static_cast<std::int64_t>(min), static_cast<std::int64_t>(max))) return false;
  }
  setting_ = true;
  for (Variable& v : variables_) {
    Ref value = v.two;
    if (v.is_linear) {
      value = same_lanes(*v.one, v.one->rank, v.one->dims);
      for (int i = 0; i < v.one->rank; ++i) value->strides[i] = v.one->strides[i];
      position_of(*value) += v.step * on;
      value->place = v.one->place;
    }
    if (!is_absent(*value)) value->id = stamp_ << 1;
    value->observed = true;
    if (v.block_pointer)
      for (int i = 0; i < v.block_pointer->rank; ++i) v.block_pointer->offsets[i] = v.tile.offsets[i] + v.tile_steps[i] * on;
    set(*v.handle, std::move(value));
  }
  setting_ = false;
  return true;
}

long long Loop::probe_next() {
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

long long Loop::close() {
  trace::AccessBuilder& out = recording_.out();
  const bool first_too = has_moved_evenly(marks_[0], marks_[1], -1);
  out.rewind(marks_[first_too ? 1 : 2]);
  out.repeat(marks_[first_too ? 0 : 1], low_ - start_ + first_too, access_steps_);
  place_->failures = 0;
  if (low_ + 1 == count_) {
    phase_ = Phase::plain;
    variables_.clear();
    at_ = count_;
    return index_of(count_);
  }
  place(low_ + 1);
  return restart_at(low_ + 1);
}

// ---- what an iteration does

void Loop::log_linear(std::int64_t value) {
  if (phase_ == Phase::second) {
    linear_.push_back(value);
  } else if (linear_at_ >= linear_.size()) {
    failed_ = true;
  } else if (phase_ == Phase::third) {
    std::int64_t step;
    failed_ |= __builtin_sub_overflow(value, linear_[linear_at_++], &step);
    linear_steps_.push_back(step);
  } else {
    const __int128 predicted = static_cast<__int128>(linear_[linear_at_]) + static_cast<__int128>(linear_steps_[linear_at_]) * (at_ - (start_ + 1));
    failed_ |= predicted != value;
    ++linear_at_;
  }
}

void Loop::log_constant(std::int64_t value) {
  if (phase_ == Phase::second) constant_.push_back(value);
  else if (constant_at_ >= constant_.size() || constant_[constant_at_++] != value) failed_ = true;
}

void Loop::op(const Where& w, std::span<const Data* const> operands, std::span<const Data* const> results, bool is_access) {
  if (phase_ <= Phase::first) return;
  const Site site = w.place.site();
  sequence_ = (sequence_ ^ (static_cast<std::uint64_t>(w.op) << 56 ^ static_cast<std::uint64_t>(site.line) << 20 ^ static_cast<std::uint64_t>(site.column))) * 0x9e3779b97f4a7c15;
  sequence_ ^= sequence_ >> 29;
  int varying = 0, ints = 0;
  bool foreseeable = true;
  for (const Data* d : operands) {
    if (!d || !is_varying(*d)) continue;
    ++varying;
    ints += d->is_pointer || d->dtype != DType::int1;
    foreseeable &= !is_unforeseeable(*d);
  }
  if (varying == 0) return;
  if (is_access) {
    // A pointer and a mask decide what is touched; what is stored does not.
    const bool stores = w.op == Op::store || w.op == Op::atomic_add;
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (operands[i] && i != (stores ? 1u : 2u) && is_unforeseeable(*operands[i])) failed_ = true;
    return;
  }
  if (results.empty()) {  // tl.assume, tl.device_assert, tl.advance
    failed_ |= !foreseeable || ((w.op == Op::assume || w.op == Op::device_assert) && ints > 0);
    return;
  }
  foreseeable &= results.size() == 1;
  for (const Data* r : results) {
    if (is_absent(*r)) continue;
    const bool is_moved = r->form == Form::dense && r->is_pointer && operands[0]->form == Form::dense && r->buffer == operands[0]->buffer;
    const bool is_int = r->form == Form::affine || is_moved, is_mask = r->form == Form::box;
    // Masks alone stay as they are, so that all that is made of them does.
    const bool follows = foreseeable && (is_int || is_mask) && (ints == 0 || (is_int ? is_affine(w.op, varying) : is_monotone(w.op) || is_view(w.op)));
    const_cast<Data*>(r)->id = stamp_ << 1 | !follows;
    if (!follows) continue;
    if (is_int) log_linear(position_of(*r));
    else if (r->rank == 0) log_constant(r->base);
    for (int i = 0; i < r->rank; ++i) {
      log_constant(r->strides[i]);  // of a mask: lo
      if (is_mask) log_constant(r->hi[i]);
    }
  }
}

// ---- variables

void Loop::assigned(Handle& h, Data* old, Data& now) {
  if (phase_ == Phase::plain || setting_) return;
  now.observed = true;  // so that the end of a variable is heard
  for (Variable& v : variables_)
    if (v.handle == &h) {
      v.is_assigned = true;
      return;
    }
  Variable v{};
  v.handle = &h;
  v.is_assigned = true;
  v.is_new = phase_ != Phase::first;
  if (v.is_new) v.one = Ref::share(old);
  variables_.push_back(std::move(v));
}

void Loop::assigning(BlockPointer& p) {
  if (phase_ == Phase::plain || setting_) return;
  Data& d = *static_cast<Data*>(p.base.head());
  assigned(p.base, &d, d);
  for (Variable& v : variables_) {
    if (v.handle != &p.base || v.block_pointer) continue;
    v.block_pointer = &p;
    std::copy_n(p.shape, max_rank, v.tile.shape);
    std::copy_n(p.strides, max_rank, v.tile.strides);
    std::copy_n(p.block, max_rank, v.tile.block);
    std::copy_n(p.offsets, max_rank, v.tile.offsets);
  }
}

void Loop::forgotten(const Handle& h) {
  std::erase_if(variables_, [&](const Variable& v) { return v.handle == &h; });
}

}  // namespace tl::cpu
