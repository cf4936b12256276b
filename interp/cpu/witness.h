// An observer of every launch of this process that has no other: what a second run of a kernel that crashed leaves
// behind.
#pragma once

#include "interp/trace/event.h"

namespace tl::cpu {

// To be said before the first launch; it outlives the last.
void witness_by(trace::Observer* observer);

}  // namespace tl::cpu
