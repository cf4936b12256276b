// The state of a loop: the variables that its iterations assign, what they gain an iteration, and where they stand in
// any other.
#include <algorithm>
#include <cstring>

#include "interp/cpu/absent.h"
#include "interp/cpu/loop.h"

namespace tl::cpu {

namespace {

const Value* value_in(const Handle& h) { return static_cast<const Value*>(h.head()); }

bool same_strides(const Value& a, const Value& b) {
  for (int i = 0; i < a.rank; ++i)
    if (a.dims[i] > 1 && a.strides[i] != b.strides[i]) return false;
  return true;
}

bool same_box(const Value& a, const Value& b) {
  if (a.rank == 0) return a.base == b.base;
  for (int i = 0; i < a.rank; ++i)
    if (a.lo()[i] != b.lo()[i] || a.hi[i] != b.hi[i]) return false;
  return true;
}

// Whether all lanes are the same, as far as that is seen at once.
bool same_lanes_at_sight(const Value& a, const Value& b) {
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

bool are_apart_by_position(const Value& a, const Value& b) {
  if (a.form != b.form || a.tensor != b.tensor || !same_strides(a, b)) return false;
  return a.form == Form::affine || (a.form == Form::dense && a.is_pointer && a.buffer == b.buffer && a.base == b.base);
}

void set(Handle& h, Ref value) {
  if (value->is_pointer) static_cast<Pointer&>(h) = Pointer(value.release());
  else static_cast<Block&>(h) = Block(value.release());
}

}  // namespace

AddressLoop::Tile AddressLoop::tile_of(const BlockPointer& p) {
  Tile t;
  std::copy_n(p.shape, max_rank, t.shape);
  std::copy_n(p.strides, max_rank, t.strides);
  std::copy_n(p.block, max_rank, t.block);
  std::copy_n(p.offsets, max_rank, t.offsets);
  return t;
}

void AddressLoop::assigned(Handle& h, Value* old, Value& now) {
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

void AddressLoop::assigning(BlockPointer& p) {
  if (phase_ == Phase::plain || setting_) return;
  Value& d = *static_cast<Value*>(p.base.head());
  assigned(p.base, &d, d);
  for (Variable& v : variables_) {
    if (v.handle != &p.base || v.block_pointer) continue;
    v.block_pointer = &p;
    v.tile = tile_of(p);
  }
}

void AddressLoop::forgotten(const Handle& h) {
  std::erase_if(variables_, [&](const Variable& v) { return v.handle == &h; });
}

void AddressLoop::begin_variable(Variable& v) {
  Value& d = *static_cast<Value*>(v.handle->head());
  v.one = Ref::share(&d);
  if (v.block_pointer) v.tile = tile_of(*v.block_pointer);
  if (!is_absent(d)) d.id = stamp_ << 1;
}

bool AddressLoop::find_step(Variable& v) {
  Value& d = *static_cast<Value*>(v.handle->head());
  if (v.is_new || !v.is_assigned || is_unforeseeable(d)) return false;
  v.two = Ref::share(&d);
  v.is_linear = are_apart_by_position(*v.one, d);
  v.step = v.is_linear ? position_of(d) - position_of(*v.one) : 0;
  for (int i = 0; v.block_pointer && i < v.block_pointer->rank; ++i)
    v.tile_steps[i] = v.block_pointer->offsets[i] - v.tile.offsets[i];
  if (!is_absent(d)) d.id = stamp_ << 1;
  return is_as_predicted(v, 1);
}

bool AddressLoop::is_as_predicted(const Variable& v, std::int64_t iterations_on) const {
  const Value &one = *v.one, &now = *value_in(*v.handle);
  if (v.is_linear) {
    if (!are_apart_by_position(one, now)) return false;
    if (static_cast<__int128>(position_of(one)) + static_cast<__int128>(v.step) * iterations_on != position_of(now))
      return false;
  } else if (!same_lanes_at_sight(one, now)) {
    return false;
  }
  if (!v.block_pointer) return true;
  const BlockPointer& p = *v.block_pointer;
  for (int i = 0; i < p.rank; ++i)
    if (p.shape[i] != v.tile.shape[i] || p.strides[i] != v.tile.strides[i] || p.block[i] != v.tile.block[i] ||
        static_cast<__int128>(v.tile.offsets[i]) + static_cast<__int128>(v.tile_steps[i]) * iterations_on !=
            p.offsets[i])
      return false;
  return true;
}

bool AddressLoop::is_as_predicted(std::int64_t iterations_on) const {
  return std::all_of(variables_.begin(), variables_.end(), [&](const Variable& v) {
    return !v.is_new && v.is_assigned && is_as_predicted(v, iterations_on);
  });
}

bool AddressLoop::place(std::int64_t iteration) {
  const std::int64_t on = iteration - (start_ + 1);
  for (const Variable& v : variables_) {  // whether all can be there
    if (!v.is_linear) continue;
    __int128 min = static_cast<__int128>(position_of(*v.one)) + static_cast<__int128>(v.step) * on, max = min;
    for (int i = 0; v.one->form == Form::affine && i < v.one->rank; ++i)
      (v.one->strides[i] > 0 ? max : min) += static_cast<__int128>(v.one->strides[i]) * (v.one->dims[i] - 1);
    if (min < INT64_MIN || max > INT64_MAX ||
        !fits(v.one->element_dtype(), static_cast<std::int64_t>(min), static_cast<std::int64_t>(max)))
      return false;
  }
  setting_ = true;
  for (Variable& v : variables_) {
    Ref value = v.two;
    if (v.is_linear) {
      value = same_lanes(*v.one, v.one->rank, v.one->dims);
      for (int i = 0; i < v.one->rank; ++i) value->strides[i] = v.one->strides[i];
      position_of(*value) += v.step * on;
      value->location = v.one->location;
    }
    if (!is_absent(*value)) value->id = stamp_ << 1;
    value->observed = true;
    if (v.block_pointer)
      for (int i = 0; i < v.block_pointer->rank; ++i)
        v.block_pointer->offsets[i] = v.tile.offsets[i] + v.tile_steps[i] * on;
    set(*v.handle, std::move(value));
  }
  setting_ = false;
  return true;
}

// What an iteration out of order assigned for the first time gets back what it held.
void AddressLoop::undo() {
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

}  // namespace tl::cpu
