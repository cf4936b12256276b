// What host and device agree on about the rings between warps that copy tiles and warps that multiply them.
#pragma once

namespace tl::rules {

// Loops within loops that load tiles: 0 is what no loop surrounds.
inline constexpr int ring_levels = 4;

// What a kernel takes of one level's ring.
struct RingUse {
  int level, tiles, bytes;  // of all slots together
};
// The same in a word, as the compiled text tells it; none is negative.
constexpr int packed(RingUse use) { return use.level << 24 | use.tiles << 20 | use.bytes; }
constexpr RingUse unpacked(int word) { return {word >> 24, word >> 20 & 15, word & ((1 << 20) - 1)}; }

// What the host writes to a kernel's constant memory before its first launch.
struct RingPlan {
  int base[ring_levels], tiles[ring_levels];  // where a level begins in dynamic shared memory; tiles of a turn
};

}  // namespace tl::rules
