// An atomic on the lanes of an access, by pointers or by a descriptor.
#pragma once

#include "interp/cpu/lanes.h"
#include "interp/lang/access_words.h"

namespace tl::cpu {

// The old values. `expected`, of atomic_cas, decides by bits whether a lane is changed.
Ref atomic_lanes(const Where&, Lanes&, const Value& value, std::initializer_list<const Value*> operands,
                 const Value* expected, AtomicOrder, AtomicReach);

}  // namespace tl::cpu
