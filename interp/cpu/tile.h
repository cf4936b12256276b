// Tiles of a tensor, as block pointers and descriptors lay them.
#pragma once

#include "interp/cpu/lanes.h"

namespace tl::cpu {

// A shape, stride or offset: one integer that the lanes of an access depend on.
std::int64_t int_operand(const Where&, const Operand&);

// Lanes of a tile at `offsets` in a tensor of `shape`, cut to the tensor along the axes of `checked`.
Lanes tile_lanes(const Where&, int tensor, std::int64_t base, int rank, const long long* block, const long long* shape,
                 const long long* strides, const long long* offsets, unsigned checked);

// For who watches values: where in its tensor a tile lies.
void note_tile(State&, int rank, const long long* shape, const long long* strides, const long long* offsets,
               unsigned checked);

void check_value_shape(const Where&, const Value&, int rank, const long long* block);

}  // namespace tl::cpu
