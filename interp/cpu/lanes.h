// Which elements of a tensor a load, store or atomic touches: a tile where addresses are affine and the mask a box,
// else lane by lane.
#pragma once

#include <algorithm>

#include "interp/cpu/state.h"

namespace tl::cpu {

struct Lanes {
  const Tensor* tensor;
  int index;  // of the tensor among the launch's
  int rank;
  std::int64_t count;
  std::int64_t dims[max_rank];
  bool is_tile;
  // Tile: lane (i, j, ..) is element base + strides . (i, j, ..), active where lo <= coordinate < hi; first and last
  // are the outermost active elements.
  bool all, none;
  std::int64_t base, strides[max_rank], lo[max_rank], hi[max_rank], first, last;
  // No tile: row-major, one a lane.
  const std::int64_t* offsets;
  const unsigned char* mask;  // null: all
  Ref keep_offsets, keep_mask;
  bool is_masked = false;  // the kernel passed a mask, or asked for a boundary check
  bool is_block_pointer = false;

  // An axis of a tile, its active coordinates [from, to).
  void set_axis(int i, std::int64_t n, std::int64_t stride, std::int64_t from, std::int64_t to) {
    dims[i] = n;
    strides[i] = stride;
    lo[i] = from;
    hi[i] = to;
    all &= from == 0 && to == n;
    none |= from >= to;
    const std::int64_t a = stride * from, b = stride * (to - 1);
    first += std::min(a, b);
    last += std::max(a, b);
  }
};

// Lanes of `count` that start at element `base`, their axes to be set.
inline Lanes make_tile(const Where& w, int tensor, int rank, std::int64_t count, std::int64_t base, bool is_masked) {
  Lanes l;
  l.tensor = &w.state.launch.tensors[static_cast<std::size_t>(tensor)];
  l.index = tensor;
  l.rank = rank;
  l.count = count;
  l.is_tile = l.all = true;
  l.none = false;
  l.base = l.first = l.last = base;
  l.offsets = nullptr;
  l.mask = nullptr;
  l.is_masked = is_masked;
  return l;
}

// Of an exploration: an access of such a block somewhere in the tensor.
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
  if (off) {
    l.none = true;
    l.all = false;
    for (int i = 0; i < rank; ++i) l.lo[i] = l.hi[i] = 0;
  }
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
  const bool inside = l.is_tile ? l.none || (l.first >= 0 && l.last < l.tensor->storage_elems) : are_inside(l);
  if (!inside) [[unlikely]]
    refuse_out_of_bounds(w, l);
}

Ref mask_of(State&, const Lanes&);  // the active lanes as bools
trace::Access event_of(const Lanes&, trace::AccessKind);

// f(lane, element) for every active lane, row-major.
template <class F>
void for_each_active(const Lanes& l, F f) {
  if (!l.is_tile) {
    for (std::int64_t i = 0; i < l.count; ++i)
      if (!l.mask || l.mask[i]) f(i, l.offsets[i]);
    return;
  }
  if (l.none) return;
  std::int64_t at[max_rank];
  for (int i = 0; i < l.rank; ++i) at[i] = l.lo[i];
  while (true) {
    std::int64_t lane = 0, element = l.base;
    for (int i = 0; i < l.rank; ++i) {
      lane = lane * l.dims[i] + at[i];
      element += l.strides[i] * at[i];
    }
    f(lane, element);
    int i = l.rank - 1;
    for (; i >= 0; --i) {
      if (++at[i] < l.hi[i]) break;
      at[i] = l.lo[i];
    }
    if (i < 0) return;
  }
}

}  // namespace tl::cpu
