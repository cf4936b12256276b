// Where the host asks for it (Build::timeline), the entry records when and where its program ran; else nothing of
// this is compiled.
#pragma once

#include "interp/cuda/device/build.h"
#include "interp/cuda/device/memory/global.h"
#include "interp/lang/timeline.h"
#include "interp/rules/ring.h"

namespace tl::cuda {

struct Timeline {
  TimelineRecord* record;  // set by the host, which finds the variable by its symbol
};

__forceinline__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}
__forceinline__ int linear_program() {
  return static_cast<int>(blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z));
}

// Every warp tells its own times, since a program's warps may end far apart. Nothing is kept in registers meanwhile.
// These are templates for `global_of`: a module that records nothing has no variable for it.
template <class Global = Timeline>
__forceinline__ void record_start() {
  if constexpr (build.timeline) {
    if (threadIdx.x % 32 != 0) return;
    ProgramTimes& mine = global_of<Global>.record->programs[linear_program()];
    atomicMin(&mine.start, nanoseconds());
    asm volatile("mov.u32 %0, %%smid;" : "=r"(mine.sm));
  }
}
template <class Global = Timeline>
__forceinline__ void record_end() {
  if constexpr (build.timeline)
    if (threadIdx.x % 32 == 0) atomicMax(&global_of<Global>.record->programs[linear_program()].end, nanoseconds());
}

// A loop of warps with roles, `level` loops deep. Its start waits in shared memory.
template <class Global = Timeline>
__forceinline__ void record_loop(int level, bool begins) {
  if constexpr (build.timeline) {
    __shared__ unsigned long long started[rules::ring_levels];
    if (threadIdx.x != 0 || level >= rules::ring_levels) return;
    if (begins) {
      started[level] = nanoseconds();
      return;
    }
    TimelineRecord& all = *global_of<Global>.record;
    const int at = atomicAdd(&all.stretch_count, 1);
    if (at < all.capacity) all.stretches[at] = {started[level], nanoseconds(), linear_program()};
  }
}

}  // namespace tl::cuda
