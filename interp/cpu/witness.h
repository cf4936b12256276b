// An observer of every launch of this process that has none: what remains of a second run of a kernel that crashed.
#pragma once

#include "interp/trace/event.h"

namespace tl::cpu {

// Call it before the first launch; the witness outlives the last.
void witness_by(trace::Observer* observer);

}  // namespace tl::cpu
