// The elements of a tensor that a load, store or atomic touches: a tile where addresses are affine and the mask a box,
// else lane by lane.
#pragma once

#include <algorithm>

#include "interp/cpu/state.h"

namespace tl::cpu {

// An access with what only the executor needs: the memory, its bounds, what holds its lists. A list's base is 0.
struct Lanes : trace::Access {
  const Tensor* memory;
  std::int64_t count;
  bool all, none;            // lanes that are active
  std::int64_t first, last;  // of a tile the outermost active elements
  Ref keep_offsets, keep_mask;
  bool is_masked = false;  // the kernel passed a mask, or asked for a boundary check
  bool is_block_pointer = false;

  const std::int64_t* dims() const { return shape.at.data(); }

  // An axis of a tile, its active coordinates [from, to).
  void set_axis(int i, std::int64_t n, std::int64_t stride, std::int64_t from, std::int64_t to) {
    shape[i] = n;
    strides[i] = stride;
    lo[i] = from;
    hi[i] = to;
    all &= from == 0 && to == n;
    none |= from >= to;
    const std::int64_t a = stride * from, b = stride * (to - 1);
    first += std::min(a, b);
    last += std::max(a, b);
  }
  // No lane is active. A scalar has no axis to say so with: it becomes a list.
  void turn_off() {
    static constexpr std::int64_t at_base = 0;
    static constexpr unsigned char off = 0;
    all = false;
    none = true;
    for (int i = 0; i < shape.rank; ++i) lo[i] = hi[i] = 0;
    if (shape.rank == 0) {
      is_tile = false;
      offsets = &at_base;
      mask = &off;
    }
  }
};

// Lanes of `count` that start at element `base`, their axes to be set.
inline Lanes make_tile(const Where& w, int tensor, int rank, std::int64_t count, std::int64_t base, bool is_masked) {
  Lanes l;
  l.memory = &w.state.launch.tensors[static_cast<std::size_t>(tensor)];
  l.tensor = tensor;
  l.shape.rank = l.strides.rank = l.lo.rank = l.hi.rank = rank;
  l.count = count;
  l.all = true;
  l.none = false;
  l.base = l.first = l.last = base;
  l.is_masked = is_masked;
  return l;
}

// In an exploration: an access of such a block somewhere in the tensor.
Lanes unknown_lanes(const Where&, int tensor, int rank, const std::int64_t* dims);

// What any pointer and mask touch, lane by lane; a Fault where the mask does not fit.
void list_lanes(const Where&, Lanes&, const Value& pointer, const Value* mask);

// An affine pointer and a box, or no mask: the box at the pointers' coordinates. False where its shape does not
// broadcast to theirs.
template <class Rank>
inline bool read_tile(Lanes& l, Rank rank, const Value& p, const Value* mask) {
  if (!mask) {
    for (int i = 0; i < rank; ++i) l.set_axis(i, p.dims[i], p.strides[i], 0, p.dims[i]);
    return true;
  }
  bool fits_shape = mask->rank == rank || mask->rank == 0, off = mask->rank == 0 && mask->base == 0;
  for (int i = 0; i < rank; ++i) {
    const std::int64_t n = p.dims[i];
    std::int64_t lo = 0, hi = n;
    if (mask->rank == rank) {
      off |= mask->lo()[i] >= mask->hi[i];
      fits_shape &= (mask->dims[i] == n) | (mask->dims[i] == 1);
      if (mask->dims[i] == n) {  // along a broadcast axis, all or nothing
        lo = mask->lo()[i];
        hi = mask->hi[i];
      }
    }
    l.set_axis(i, n, p.strides[i], lo, hi);
  }
  if (off) l.turn_off();
  return fits_shape;
}

inline Lanes lanes_of(const Where& w, const Value& p, const Value* mask) {
  Lanes l = make_tile(w, p.tensor, p.rank, p.count, p.base, mask != nullptr);
  const bool is_tile = p.form == Form::affine && (!mask || mask->form == Form::box) &&
                       with_rank(p.rank, [&](auto rank) { return read_tile(l, rank, p, mask); });
  if (!is_tile) [[unlikely]]
    list_lanes(w, l, p, mask);
  return l;
}

bool are_inside(const Lanes& listed);
void refuse_out_of_bounds(const Where&, const Lanes&);  // returns in an exploration alone, whose places mean nothing
// A Fault when an active lane lies outside the tensor; nothing has been touched then.
inline void check_bounds(const Where& w, const Lanes& l) {
  const bool inside = l.is_tile ? l.none || (l.first >= 0 && l.last < l.memory->storage_elems) : are_inside(l);
  if (!inside) [[unlikely]]
    refuse_out_of_bounds(w, l);
}

Ref mask_of(State&, const Lanes&);  // the active lanes as bools

}  // namespace tl::cpu
