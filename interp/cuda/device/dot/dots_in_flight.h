// The dots that a thread has issued and not yet waited for, and how the waits are kept where the kernel's text has
// them.
#pragma once

#include "interp/cuda/device/dot/wgmma.h"
#include "interp/cuda/device/memory/mbarrier.h"
#include "interp/cuda/device/report.h"
#include "interp/cuda/device/values/block.h"

namespace tl::cuda {

// Two warpgroups take turns in issuing, so that the one multiplies while the other does the rest: without that they do
// the same at the same time. The host wants it where it saw that dots run beside other work. No more than a courtesy:
// who is not given the turn soon goes on, since the other may wait for it elsewhere.
struct DotTurn {
  SharedAddress barriers;  // of each warpgroup; flips when the other gives it the turn
  int warpgroup, parity;   // the first turn is the first warpgroup's: a fresh barrier lets parity 1 pass
  bool is_mine = false;

  __forceinline__ DotTurn(SharedAddress b, int w) : barriers(b), warpgroup(w), parity(w == 0) {}
  __forceinline__ void take() {
    if (!build.takes_turns || is_mine) return;
    mbarrier_try(barriers + 8 * warpgroup, parity, 4);
    parity ^= 1;
    is_mine = true;
  }
  __forceinline__ void give() {
    if (!build.takes_turns || !is_mine) return;
    mbarrier_arrive_if(threadIdx.x % 128 == 0, barriers + 8 * (1 - warpgroup));
    is_mine = false;
  }
};

// Dots end in the order in which they were issued. Once compiled, all of this is constant wherever no branch decides
// whether a dot is issued.
struct DotsInFlight {
  DotTurn turn;
  int issued = 0, finished = 0;  // since the last wait for all
  float latest = 0;              // of what other ops have computed since

  __forceinline__ DotsInFlight(SharedAddress turns, int warpgroup) : turn(turns, warpgroup) {}

  __forceinline__ void begin() {
    if (issued == finished) turn.take();
  }
  // The number of the dot just issued.
  __forceinline__ int add() {
    wgmma_commit();
    return ++issued;
  }
  __forceinline__ void wait_for(int number) {
    if (number <= finished || number > issued) return;
    turn.give();
    if (finished > 0) hold_back();
    const int later = issued - number;
    if (later == 0) wgmma_wait<0>();
    else if (later == 1) wgmma_wait<1>();
    else if (later == 2) wgmma_wait<2>();
    else wgmma_wait<3>();
    finished = number;
  }
  __forceinline__ void wait_for_all() {
    wait_for(issued);
    issued = finished = 0;
  }
  template <class X>
  __forceinline__ void note(const X& x) {
    if constexpr (is_block<X>)
      if constexpr (same<typename X::element, float>) latest = x.v[0] + x.v[X::count - 1];
  }

 private:
  // ptxas moves a wait up to its dot, before the arithmetic that is to run beside it. Not past a store to shared
  // memory: this one depends on what was computed last, and no arithmetic gives the NaN for which it is made.
  __forceinline__ void hold_back() const {
    report<Report::overlap>();
    __shared__ float unused;
    asm volatile(
        "{\n.reg .pred p;\n.reg .b32 bits;\nmov.b32 bits, %0;\n"
        "setp.eq.b32 p, bits, 0x7fc0ffee;\n@p st.shared.f32 [%1], %0;\n}" ::"f"(latest),
        "r"(shared_address(&unused))
        : "memory");
  }
};

// Where each dot has ended when it returns: mma.sync.
struct NoDotsInFlight {
  __forceinline__ NoDotsInFlight(SharedAddress, int) {}
  __forceinline__ void wait_for_all() {}
  template <class X>
  __forceinline__ void note(const X&) {}
};

}  // namespace tl::cuda
