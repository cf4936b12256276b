// How many stages of a kernel's rings shared memory holds.
#pragma once

#include "interp/cuda/host/compile.h"

namespace tl::cuda {

// What of a kernel's rings fits beside what else it takes of shared memory: the most stages, 0 for none; and up to
// which level loops have one slot, so that the innermost has more.
struct RingFit {
  int stages = 0, single_slot_levels = 0;
};
RingFit fit_of(const Compiled& compiled, int num_stages, int shared_bytes);

}  // namespace tl::cuda
