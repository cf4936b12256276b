// Programs of a launch that were recorded later, each by itself, join an earlier recording.
#pragma once

#include "interp/trace/recorded.h"

namespace tl::trace {

// The programs of `more`, a recording of launch number `launch` of `to`, take the places of those with their ids, or
// stand where the order of ids (axis 0 fastest) puts them. Memory that `to` does not know is taken from `more`.
void merge(RecordedTrace& to, RecordedTrace more, int launch);

}  // namespace tl::trace
