// Which elements of a tensor a load, store or atomic touches: a tile where addresses are affine and the mask a box, else lane by lane.
#pragma once

#include "interp/cpu/state.h"

namespace tl::cpu {

struct Lanes {
  const Tensor* tensor;
  int index;  // of the tensor among the launch's
  int rank;
  std::int64_t count;
  std::int64_t dims[max_rank];
  bool is_tile;
  // Tile: lane (i, j, ..) is element base + strides . (i, j, ..), active where lo <= coordinate < hi.
  bool all, none;
  std::int64_t base, strides[max_rank], lo[max_rank], hi[max_rank];
  // No tile: row-major, one a lane.
  const std::int64_t* offsets;
  const unsigned char* mask;  // null: all
  Ref keep_offsets, keep_mask;
  bool is_masked = false;  // the kernel passed a mask, or asked for a boundary check
};

Lanes lanes_of(const Where&, const Data& pointer, const Data* mask);
// A Fault when an active lane lies outside the tensor; nothing has been touched then.
void check_bounds(const Where&, const Lanes&);
// The checks that cost: uninitialized reads, races.
void check_history(const Where&, const Lanes&, trace::AccessKind);
// Active lanes' elements, the others from `fill` (one element), or untouched where `into` is already filled.
Ref read_lanes(State&, const Lanes&, const std::byte* fill, Ref into = {});
void write_lanes(const Lanes&, const Data& value);  // of the tensor's dtype, broadcast to the lanes
Ref mask_of(State&, const Lanes&);                  // the active lanes as bools
trace::Access event_of(const Lanes&, trace::AccessKind);
void tell_before_write(State&, const Lanes&, trace::AccessKind);  // an observer, where one watches this program

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

// Shared by pointers, block pointers and descriptors.
Ref load_lanes(const Where&, Lanes&, const Data* other, const std::byte* padding, std::initializer_list<const Data*> operands);
void store_lanes(const Where&, Lanes&, const Data& value, std::initializer_list<const Data*> operands);

}  // namespace tl::cpu
