// What roles are made of, one instruction a function: mbarriers, and Hopper's tensor copies (TMA) and register
// donation. PTX ISA, "mbarrier", "cp.async.bulk.tensor", "setmaxnreg".
#pragma once

#include "interp/cuda/device/config.h"
#include "interp/cuda/device/memory/shared.h"

namespace tl::cuda {

__forceinline__ void mbarrier_init(SharedAddress bar, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(arrivals) : "memory");
}
// The barriers just made are visible to the copy engine.
__forceinline__ void mbarrier_init_fence() {
  if constexpr (has_wgmma) asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__forceinline__ void mbarrier_arrive(SharedAddress bar) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}
__forceinline__ void mbarrier_arrive_expect(SharedAddress bar, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
// Arrives when all copies (cp.async) that this thread has begun are done.
__forceinline__ void mbarrier_arrive_after_copies(SharedAddress bar) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(bar) : "memory");
}
// By the threads for which `condition` holds; without a branch, which may not stand between a wgmma and its wait.
__forceinline__ void mbarrier_arrive_if(bool condition, SharedAddress bar) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %1, 0;\n@p mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];\n}" ::"r"(bar),
      "r"(static_cast<int>(condition))
      : "memory");
}
// Waits until the phase of this parity has ended. A fresh barrier: parity 1 passes at once.
#define TL_WAIT_BY(instruction)                                                                   \
  asm volatile("{\n.reg .pred done;\nwait:\n" instruction                                         \
               ".shared::cta.b64 done, [%0], %1;\n@done bra end;\nbra wait;\nend:\n}" ::"r"(bar), \
               "r"(parity)                                                                        \
               : "memory")
__forceinline__ void mbarrier_wait(SharedAddress bar, int parity) {
  if constexpr (has_wgmma) TL_WAIT_BY("mbarrier.try_wait.parity.acquire.cta");  // sleeps for a while
  else TL_WAIT_BY("mbarrier.test_wait.parity");
}
#undef TL_WAIT_BY
// The same, but tries no more than so often. A try takes up to some microseconds.
__forceinline__ void mbarrier_try(SharedAddress bar, int parity, int tries) {
  asm volatile(
      "{\n.reg .pred done;\n.reg .s32 left;\nmov.s32 left, %2;\nwait:\n"
      "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 done, [%0], %1;\n"
      "@done bra end;\nadd.s32 left, left, -1;\nsetp.eq.s32 done, left, 0;\n@!done bra wait;\nend:\n}" ::"r"(bar),
      "r"(parity), "r"(tries)
      : "memory");
}

// A box of a 2-D tensor map; x counts along the contiguous axis. What lies outside of the tensor arrives as zeros and
// is not stored.
__forceinline__ void tma_load(SharedAddress to, const void* map, int x, int y, SharedAddress bar) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
          "r"(to),
      "l"(map), "r"(x), "r"(y), "r"(bar)
      : "memory");
}
__forceinline__ void tma_store(const void* map, int x, int y, SharedAddress from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x),
               "r"(y), "r"(from)
               : "memory");
}
__forceinline__ void tma_prefetch_map(const void* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}
__forceinline__ void tma_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// The stores that this thread committed are done.
__forceinline__ void tma_wait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

// What ordinary stores wrote to shared memory is visible to the copy engine and the tensor cores (then a barrier).
__forceinline__ void fence_async_proxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

template <int Registers>
__forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers>
__forceinline__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}

}  // namespace tl::cuda
