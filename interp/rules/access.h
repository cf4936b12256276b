// How threads share the loads and stores of a block of pointers whose offsets are a formula: the layout, and how many
// neighbours one access of up to 16 bytes takes.
#pragma once

#include "interp/rules/axis_info.h"

namespace tl::rules {

// The axis along which addresses are neighbours in the longest aligned pieces, the last of equal ones; -1: none.
constexpr int contiguous_axis(const AxisInfo& offsets) {
  int axis = -1, longest = 0;
  for (int i = offsets.shape.rank - 1; i >= 0; --i) {
    const AxisFacts& f = offsets.at[i];
    if (const int piece = least(f.contiguity, f.divisibility); f.contiguity > 1 && piece > longest) {
      axis = i;
      longest = piece;
    }
  }
  return axis;
}
// For an affine block of pointers: what divides its base, in bytes, does not matter.
constexpr AxisInfo axis_info_of_offsets(Index pointers, int limit) {
  pointers.divisibility = limit;
  return axis_info(pointers, limit);
}
constexpr int contiguous_axis(const Index& pointers) {
  return contiguous_axis(axis_info_of_offsets(pointers, most_divisible(true)));
}

// Bytes that divide every address at the start of a group of neighbours; `base`: bytes that divide the first address.
constexpr int alignment_of(const AxisInfo& offsets, int axis, int base, int element_bytes, int limit) {
  const AxisFacts& f = offsets.at[axis];
  const int bytes = least(base, divisibility_of_product(f.divisibility, element_bytes, limit));
  return f.contiguity < offsets.shape[axis] ? least(bytes, f.contiguity * element_bytes) : bytes;
}

// A copy of 8 bytes takes more than twice as long as one of 4 (fp16, 4092^3 on an H100: 726 us, by 4 bytes 345).
constexpr int alignment_of_copies(int alignment, int element_bytes) {
  return alignment == 8 ? most(4, element_bytes) : alignment;
}

// As many neighbours a thread as one access can take: where rows begin anywhere, lanes take consecutive elements.
constexpr int vector_at(int alignment, int element_bytes, int vector) {
  return alignment >= widest_access ? vector : most(1, least(vector, alignment / element_bytes));
}

struct Access {
  int axis = -1;
  int elements = 1;  // of one access
  Layout layout;
};
constexpr Access access_of(const Config& c, const AxisInfo& offsets, int base, int element_bytes) {
  const int rank = offsets.shape.rank, limit = most_divisible(c.formulas);
  Access a;
  a.axis = contiguous_axis(offsets);
  int alignment = a.axis < 0 ? widest_access : alignment_of(offsets, a.axis, base, element_bytes, limit);
  if (c.copies) alignment = alignment_of_copies(alignment, element_bytes);
  a.layout = rank == 1 && c.matrix != Matrix::none
                 ? default_layout(c, offsets.shape)
                 : blocked(offsets.shape, a.axis < 0 ? rank - 1 : a.axis, vector_at(alignment, element_bytes, c.vector),
                           c.num_warps);
  if (a.axis < 0) return a;
  while (2 * a.elements * element_bytes <= least(widest_access, alignment) &&
         a.layout.registers.has(offsets.shape.stride(a.axis) * a.elements))
    a.elements *= 2;
  return a;
}
// For an affine block of pointers, whose divisibility is in bytes.
constexpr Access access_of(const Config& c, const Index& pointers, int element_bytes) {
  return access_of(c, axis_info_of_offsets(pointers, most_divisible(c.formulas)), pointers.divisibility, element_bytes);
}

// Copies into shared memory of fewer bytes do not exist.
constexpr bool can_copy_async(int elements, int element_bytes) { return elements * element_bytes >= 4; }

// For a tensor that is cut in tiles: its last axis is contiguous.
constexpr Index descriptor_strides(const Sizes& tile) {
  Index strides;
  strides.shape = tile;
  for (int i = 0; i < tile.rank; ++i) strides.coefficient[i] = i == tile.rank - 1 ? 1 : run_time + 1;
  return strides;
}
// Descriptors and block pointers: what is looked at as the kernel runs lets strides count as multiples of 16.
constexpr Index refined(Index tile) {
  for (int i = 0; i < tile.shape.rank; ++i)
    if (is_run_time(tile.coefficient[i])) tile.coefficient[i] = run_time + widest_access;
  tile.divisibility = widest_access;
  return tile;
}

}  // namespace tl::rules
