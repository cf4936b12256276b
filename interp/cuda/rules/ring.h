// What host and device agree on about the rings between warps that copy tiles and warps that multiply them.
#pragma once

namespace tl::rules {

// Loops within loops that load tiles: 0 is what no loop surrounds.
inline constexpr int ring_levels = 4;
// A ring is reported as level << ring_level_shift | bytes.
inline constexpr int ring_level_shift = 24;

}  // namespace tl::rules
