// tl.device_assert: the first lane that fails leaves its words in the host's memory, which outlives the trap that
// follows.
#pragma once

#include "interp/cuda/device/memory/global.h"
#include "interp/cuda/device/values/elementwise.h"
#include "interp/lang/assertion.h"

namespace tl {
namespace cuda {

struct Assertions {
  AssertionRecord* record;  // set by the host, which finds the variable by its symbol
  int taken;
};

// Without a line, `file` is what failed and `text` the fix.
template <class Global>
__device__ __noinline__ void fail_assertion(int lane, const char* text, const char* file, int line) {
  // Those who come later leave the words to the first: its trap ends them all.
  if (atomicExch(&global_of<Global>.taken, 1) != 0) asm volatile("exit;");
  if (AssertionRecord* const record = global_of<Global>.record) {
    record->program[0] = blockIdx.x;
    record->program[1] = blockIdx.y;
    record->program[2] = blockIdx.z;
    record->lane = lane;
    record->line = line;
    for (int i = 0; i < AssertionRecord::longest && (record->text[i] = text[i]) != 0; ++i) {
    }
    for (int i = 0; i < AssertionRecord::longest && (record->file[i] = file[i]) != 0; ++i) {
    }
    record->failed = 1;
    __threadfence_system();
  }
  __trap();
}

}  // namespace cuda

namespace detail {
template <class T>
__device__ void fail_literal() {
  cuda::fail_assertion<cuda::Assertions>(-1, "cast the block to a wider dtype first",
                                         "a literal does not fit the other side's dtype", 0);
}
}  // namespace detail

template <class M>
__forceinline__ void assert_all(const M& condition, const char* text, const char* file, int line) {
  if constexpr (is_scalar<M> || is_literal<M>) {
    if (!convert<bool>(plain(condition))) cuda::fail_assertion<cuda::Assertions>(-1, text, file, line);
  } else {
    const auto lanes = materialize(condition);
    using L = typename bare<decltype(lanes)>::layout;
    int failed = -1;
#pragma unroll
    for (int r = lanes.count - 1; r >= 0; --r)
      if (!convert<bool>(lanes.v[r])) failed = L::flats.at[r];
    if (failed >= 0) cuda::fail_assertion<cuda::Assertions>(L::of_thread() + failed, text, file, line);
  }
}

}  // namespace tl
