// The rings between the producer, which copies tiles to shared memory, and the consumers, which multiply them.
//
// Every turn of a loop takes the next of the ring's slots; its loads lie there side by side. `full` of a tile flips
// when its bytes have arrived, `empty` of a slot when every consumer warp has ended the turn. Loops within loops have a
// ring each: level 0 is what no loop surrounds, and has one slot. Slot and phase outlast a loop, so that the next loop
// (causal attention's second stage, a persistent program's next tile) goes on where this one stopped and the producer
// runs ahead into it.
//
// Producer and consumers count alike, since they run the same text: what a load's place depends on is a constant once
// the loops are compiled. Where it is not (a load under an if, before others) the host sees that and compiles the
// kernel for one role.
#pragma once

#include "interp/cuda/device/memory/global.h"
#include "interp/cuda/device/memory/mbarrier.h"
#include "interp/cuda/device/pipeline/range.h"
#include "interp/cuda/device/report.h"
#include "interp/cuda/device/timeline.h"
#include "interp/rules/ring.h"

namespace tl::cuda {

using rules::ring_levels;
using rules::RingPlan;

template <int Stages>
inline constexpr int tiles_of_turn = Stages <= 4 ? 8 : 32 / Stages;  // of which `parities` has a bit in each slot

template <int Stages>
constexpr int slots_of(int level) {
  return level <= build.single_slot_levels ? 1 : Stages;
}

template <int Stages, int ConsumerWarps>
struct RingBarriers {
  unsigned long long full[ring_levels][tiles_of_turn<Stages>][Stages], empty[ring_levels][Stages];
  unsigned long long dot_turns[2];  // of two warpgroups: dot/dots_in_flight.h

  // Those that the kernel uses, since each takes its time. By all threads, before any looks; `copies`: arrivals that
  // tell of a tile.
  __forceinline__ void init(const RingPlan& plan, int copies) {
    int mine = threadIdx.x;
#pragma unroll
    for (int level = 0; level < ring_levels; ++level) {
      const int tiles = plan.tiles[level] * Stages, all = tiles == 0 ? 0 : tiles + Stages;
      if (mine >= 0 && mine < tiles) mbarrier_init(shared_address(&full[level][0][mine]), copies);
      else if (mine >= tiles && mine < all) mbarrier_init(shared_address(&empty[level][mine - tiles]), ConsumerWarps);
      mine -= all;
    }
    if (has_wgmma && ConsumerWarps == 8 && threadIdx.x < 2) mbarrier_init(shared_address(&dot_turns[threadIdx.x]), 1);
    mbarrier_init_fence();
    __syncthreads();
  }
};

// Where a role stands in the ring of one level.
struct Turn {
  int slot = 0, phase = 0;
  unsigned parities = 0;     // of each tile's `full`: bit slot + Stages x tile
  int tiles = 0, bytes = 0;  // of the loads of this turn so far
};

// A tile's place.
struct RingSlot {
  SharedAddress memory, full;
};

template <int Stages>
struct Ring {
  SharedAddress full, empty;
  mutable Turn turn;
  mutable Turn kept[ring_levels];
  mutable int level = 0;
  const RingPlan& plan;

  template <int ConsumerWarps>
  __forceinline__ Ring(RingBarriers<Stages, ConsumerWarps>& barriers, const RingPlan& p)
      : full(shared_address(barriers.full)), empty(shared_address(barriers.empty)), plan(p) {}

  __forceinline__ SharedAddress empty_barrier() const { return empty + 8 * (Stages * level + turn.slot); }

  // The place of the next tile of this turn.
  __forceinline__ RingSlot reserve(int bytes) const {
    const int tile = turn.tiles < tiles_of_turn<Stages> && level < ring_levels ? turn.tiles : -1;
    report<Report::ring>(tile < 0 ? -1 : rules::packed({level, slots_of<Stages>(level), tile + 1, turn.bytes + bytes}));
    const int begin = plan.base[level] + turn.slot * plan.slot_bytes[level] + turn.bytes;
    const RingSlot at{shared_address(dynamic_shared) + begin,
                      full + 8 * (Stages * (tiles_of_turn<Stages> * level + tile) + turn.slot)};
    ++turn.tiles;
    turn.bytes += bytes;
    return at;
  }
  // The parity that ends when the tile just reserved has arrived, and the next one's.
  __forceinline__ int next_parity() const {
    const int bit = turn.slot + Stages * (turn.tiles - 1);
    const int parity = turn.parities >> bit & 1;
    turn.parities ^= 1u << bit;
    return parity;
  }
  __forceinline__ void end_turn() const {
    if (turn.tiles > 0 && ++turn.slot == slots_of<Stages>(level)) {
      turn.slot = 0;
      turn.phase ^= 1;
    }
    turn.tiles = turn.bytes = 0;
  }
  // A loop within begins: its ring is another. What surrounds it is kept by the loop.
  __forceinline__ Turn enter() const {
    const Turn outer = turn;
    ++level;
#pragma unroll
    for (int i = 0; i < ring_levels; ++i)
      if (i == level) turn = kept[i];
    turn.tiles = turn.bytes = 0;  // as it was kept, but here the compiler sees it
    return outer;
  }
  __forceinline__ void leave(const Turn& outer) const {
#pragma unroll
    for (int i = 0; i < ring_levels; ++i)
      if (i == level) kept[i] = turn;
    --level;
    turn = outer;
  }
};

// A range whose turns take slots. `Role` ends the turns.
template <class R, class Role>
struct Turns {
  struct Iterator {
    decltype(static_cast<const R*>(nullptr)->begin()) inner;
    const Turns* turns;
    __forceinline__ auto operator*() const { return *inner; }
    __forceinline__ void operator++() {
      ++inner;
      if (turns->role->ring.turn.tiles > 0) {
        turns->loads = true;
        if (turns->options.num_stages > 0) report<Report::stages>(turns->options.num_stages);
      }
      turns->role->end_turn();
    }
    template <class End>
    __forceinline__ bool operator!=(const End& end) const {
      return inner != end;
    }
  };
  R range;
  RangeOptions options;
  const Role* role;
  mutable Turn outer;
  mutable bool entered = false, loads = false;

  __forceinline__ Turns(const R& r, RangeOptions o, const Role* of) : range(r), options(o), role(of) {}
  Turns(const Turns&) = delete;
  __forceinline__ ~Turns() {
    if (!entered) return;
    role->end_turn();  // of a loop that was left by break
    if (loads) record_loop(role->ring.level, false);
    role->ring.leave(outer);
  }
  __forceinline__ Iterator begin() const {
    outer = role->ring.enter();
    record_loop(role->ring.level, true);
    entered = true;
    return {range.begin(), this};
  }
  __forceinline__ auto end() const { return range.end(); }
};

}  // namespace tl::cuda
