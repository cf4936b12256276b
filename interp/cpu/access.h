// Moving elements: what the lanes of a load or store touch, between tensors and values.
#pragma once

#include "interp/cpu/lanes.h"

namespace tl::cpu {

// Shared by pointers, block pointers and descriptors: checked, moved, told to an observer. Masked lanes are `other`, a
// value, or `padding`, one element.
Ref load_lanes(const Where&, Lanes&, const Value* other, const std::byte* padding,
               std::initializer_list<const Value*> operands);
void store_lanes(const Where&, Lanes&, const Value& value, std::initializer_list<const Value*> operands);

// Elements of a tile: out of its tensor, lanes that are masked from `fill`; and into it.
void read_tile(const Lanes&, const std::byte* fill, std::byte* out);
void write_tile(const Lanes&, const View& value);

// The checks that cost: uninitialized reads, races.
void check_history(const Where&, const Lanes&);
void tell_before_write(State&, const Lanes&);  // an observer, where one watches this program

}  // namespace tl::cpu
