// Lanes that hold no value a GPU would agree on: masked-off lanes of a load without `other`, lanes outside of a block
// pointer's shape without padding, and what is made of them; an integer divided by zero. Each is reported where it
// matters: in memory, in an address, in a branch.
#pragma once

#include "interp/cpu/lanes.h"
#include "interp/cpu/state.h"

namespace tl::cpu {

// This op leaves lanes undefined: a report names it.
void note_undefined(const Where&, UndefinedBy::Kind);
// For a division of integers: the lanes whose divisor is 0 join the result's undefined ones.
void mark_zero_divisors(const Where&, const Value& divisor, Value& result);

// Reports the value of an active lane of a store; any lane of its mask; the address of an active lane.
void check_undefined(const Where&, const Lanes&, const Value& value);
void check_undefined_mask(const Where&, const Lanes&, const Value& mask);
void check_undefined_pointer(const Where&, const Lanes&, const Value& pointer);
// What an `if` or the bound of a loop asks.
void check_undefined_choice(const Where&, const Value& condition, const char* what);

}  // namespace tl::cpu
