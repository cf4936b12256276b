// What host and device agree on about the rings between warps that copy tiles and warps that multiply them.
#pragma once

namespace tl::rules {

// Depths of loops that load tiles: 0 is an outermost loop.
inline constexpr int ring_levels = 4;

// What an iteration of the loops of a level takes of its ring.
struct RingUse {
  int level, slots, tiles, bytes;  // bytes: whole kilobytes
};
// The same packed in a number, as the compiled text reports it; no field is negative.
constexpr int packed(RingUse use) { return use.level << 24 | use.slots << 16 | use.tiles << 12 | use.bytes >> 10; }
constexpr RingUse unpacked(int word) { return {word >> 24, word >> 16 & 255, word >> 12 & 15, (word & 4095) << 10}; }

// A kernel's first parameter: constants that it would look up elsewhere take a third of a microsecond to arrive.
struct RingPlan {
  int base[ring_levels];        // where a level begins in dynamic shared memory
  int slot_bytes[ring_levels];  // of the loop that takes most: loops of one level take the same slots
  int tiles[ring_levels];       // of a turn
};

}  // namespace tl::rules
