// The ring of stages between the producer, which asks TMA for tiles, and the consumers, which multiply them.
//
// A slot holds one stage's tiles. `full` of a slot flips when its bytes have arrived, `empty` when every consumer warp
// has let go of it. Slot and phase live here and outlast a loop, so that the next loop (causal attention's second
// stage, a persistent program's next tile) continues where this one stopped and the producer runs ahead into it.
#pragma once

#include "interp/cuda/device/memory/mbarrier.h"

namespace tl::cuda {

template <int Stages, int ConsumerWarps>
struct RingBarriers {
  unsigned long long full[Stages], empty[Stages];
  unsigned long long tile;  // of the tiles that consumers load for themselves

  // By one thread, before anybody else looks.
  __forceinline__ void init() {
    for (int s = 0; s < Stages; ++s) {
      mbarrier_init(shared_address(&full[s]), 1);
      mbarrier_init(shared_address(&empty[s]), ConsumerWarps);
    }
    mbarrier_init(shared_address(&tile), 1);
    mbarrier_init_fence();
  }
};

// Where one role stands in the ring. Producer and consumers step through the same sequence of slots.
template <int Stages>
struct Ring {
  SharedAddress full, empty;  // the barriers of slot 0
  SharedAddress base = 0;     // of slot 0's bytes
  int slot_bytes = 0;         // 0: no loop has placed the ring yet
  int slot = 0, phase = 0;

  __forceinline__ SharedAddress bytes_at() const { return base + slot * slot_bytes; }
  __forceinline__ SharedAddress end() const { return base + Stages * slot_bytes; }
  __forceinline__ void step() {
    if (++slot == Stages) slot = 0, phase ^= 1;
  }

  __forceinline__ SharedAddress full_barrier() const { return full + 8 * slot; }
  __forceinline__ void wait_full() const { mbarrier_wait(full_barrier(), phase); }
  __forceinline__ void wait_empty() const { mbarrier_wait(empty + 8 * slot, phase ^ 1); }
  __forceinline__ void expect(int bytes) const { mbarrier_arrive_expect(full_barrier(), bytes); }
  // All lanes of a warp are done with the slot.
  __forceinline__ void release() const {
    __syncwarp();
    if (threadIdx.x % 32 == 0) mbarrier_arrive(empty + 8 * slot);
  }

  // Both roles, at the head of a loop: stages of `bytes`, behind what lies below `top`. A loop whose stages have the
  // size of the last one's continues the ring; else the producer waits (`drain`) until the consumers have left it and
  // lays it anew.
  template <bool Drain>
  __forceinline__ void place(int bytes, SharedAddress top) {
    if (bytes == slot_bytes) return;
    if (Drain && slot_bytes != 0) {
      Ring last = *this;
      for (int s = 0; s < Stages; ++s, last.step()) last.wait_empty();
    }
    if (slot_bytes == 0 || top > base) base = top;
    slot_bytes = bytes;
  }
};

__forceinline__ unsigned char* shared_pointer(SharedAddress at) {
  return dynamic_shared + (at - shared_address(dynamic_shared));
}

// Tells the host about a tile that lies before the ring: it adds all of them.
template <int Bytes>
__forceinline__ void report_tile_bytes() {
  asm volatile("// tilescope.tile_bytes %0" ::"n"(Bytes));
}

// Where tiles lie that consumers load for themselves: one behind the other from address 0, the ring behind those loaded
// before it. A loop's turn gives back what it took.
struct TileSpace {
  SharedAddress top = shared_address(dynamic_shared);

  template <class R>
  __forceinline__ SharedAddress take(int bytes, const R& ring) {
    if (ring.slot_bytes != 0 && top < ring.end() && top + bytes > ring.base) top = ring.end();
    const SharedAddress at = top;
    top += bytes;
    return at;
  }
};

// A range whose turns give back the tiles they took.
template <class R>
struct ScopedRange {
  struct Iterator {
    decltype(static_cast<const R*>(nullptr)->begin()) inner;
    TileSpace* tiles;
    SharedAddress top;
    __forceinline__ auto operator*() const { return *inner; }
    __forceinline__ void operator++() { ++inner, tiles->top = top; }
    template <class End>
    __forceinline__ bool operator!=(const End& end) const {
      return inner != end;
    }
  };
  R range;
  TileSpace* tiles;
  __forceinline__ Iterator begin() const { return {range.begin(), tiles, tiles->top}; }
  __forceinline__ auto end() const { return range.end(); }
};

}  // namespace tl::cuda
