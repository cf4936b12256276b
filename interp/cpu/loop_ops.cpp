// What an iteration of a loop does: its ops, in order, and whether what they give follows from the iterations before.
#include "interp/cpu/absent.h"
#include "interp/cpu/loop.h"

namespace tl::cpu {

namespace {

// Affine in its one operand that varies.
bool is_view(Op op) { return family_of(op) == OpFamily::view || op == Op::full || op == Op::multiple_of; }
bool is_affine(Op op, int varying) {
  return op == Op::add || op == Op::sub || op == Op::neg || op == Op::cast || is_view(op) ||
         (op == Op::mul && varying == 1);
}
bool is_monotone(Op op) { return is_comparison(op) && op != Op::eq && op != Op::ne; }

}  // namespace

void AddressLoop::log_linear(std::int64_t value) {
  if (phase_ == Phase::second) {
    linear_.push_back(value);
  } else if (linear_at_ >= linear_.size()) {
    failed_ = true;
  } else if (phase_ == Phase::third) {
    std::int64_t step;
    failed_ |= __builtin_sub_overflow(value, linear_[linear_at_++], &step);
    linear_steps_.push_back(step);
  } else {
    const __int128 predicted = static_cast<__int128>(linear_[linear_at_]) +
                               static_cast<__int128>(linear_steps_[linear_at_]) * (at_ - (start_ + 1));
    failed_ |= predicted != value;
    ++linear_at_;
  }
}

void AddressLoop::log_constant(std::int64_t value) {
  if (phase_ == Phase::second) constant_.push_back(value);
  else if (constant_at_ >= constant_.size() || constant_[constant_at_++] != value) failed_ = true;
}

void AddressLoop::op(const Where& w, std::span<const Value* const> operands, std::span<const Value* const> results,
                     bool is_access) {
  if (phase_ <= Phase::first) return;
  const Site site = w.location.site();
  sequence_ = (sequence_ ^ (static_cast<std::uint64_t>(w.op) << 56 ^ static_cast<std::uint64_t>(site.line) << 20 ^
                            static_cast<std::uint64_t>(site.column))) *
              0x9e3779b97f4a7c15;
  sequence_ ^= sequence_ >> 29;
  int varying = 0, ints = 0;
  bool foreseeable = true;
  for (const Value* d : operands) {
    if (!d || !is_varying(*d)) continue;
    ++varying;
    ints += d->is_pointer || d->dtype != DType::int1;
    foreseeable &= !is_unforeseeable(*d);
  }
  if (varying == 0) return;
  if (is_access) {
    // A pointer and a mask decide what is touched; what is stored does not.
    const bool stores = w.op != Op::load;
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (operands[i] && i != (stores ? 1u : 2u) && is_unforeseeable(*operands[i])) failed_ = true;
    return;
  }
  if (results.empty()) {  // tl.assume, tl.device_assert, tl.advance
    failed_ |= !foreseeable || ((w.op == Op::assume || w.op == Op::device_assert) && ints > 0);
    return;
  }
  foreseeable &= results.size() == 1;
  for (const Value* r : results) {
    if (is_absent(*r)) continue;
    const bool is_moved =
        r->form == Form::dense && r->is_pointer && operands[0]->form == Form::dense && r->buffer == operands[0]->buffer;
    const bool is_int = r->form == Form::affine || is_moved, is_mask = r->form == Form::box;
    // Masks alone stay as they are, so that all that is made of them does.
    const bool follows = foreseeable && (is_int || is_mask) &&
                         (ints == 0 || (is_int ? is_affine(w.op, varying) : is_monotone(w.op) || is_view(w.op)));
    const_cast<Value*>(r)->id = stamp_ << 1 | !follows;
    if (!follows) continue;
    if (is_int) log_linear(position_of(*r));
    else if (r->rank == 0) log_constant(r->base);
    for (int i = 0; i < r->rank; ++i) {
      log_constant(r->strides[i]);  // of a mask: lo
      if (is_mask) log_constant(r->hi[i]);
    }
  }
}

}  // namespace tl::cpu
