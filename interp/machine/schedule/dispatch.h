// Where CTAs go. The first layer fills the SMs GPC by GPC, one CTA an SM; then the second layer in the same order;
// afterwards each CTA takes the place that became free first. Seen so on an H200 (probes/dispatch.cu), where the
// GPC that begins changes from launch to launch. Where a device file does not say which SMs belong together, GPCs of
// about 16 SMs are assumed, their TPCs (pairs of SMs) numbered in turn, and every other GPC near the same L2 partition.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/machine/device.h"

namespace tl::machine {

struct SmMap {
  std::vector<int> order;      // SM ids as the first layer is placed
  std::vector<int> group;      // SM id -> GPC
  std::vector<int> partition;  // SM id -> near L2 partition
  std::vector<double>
      queue_share;  // SM id -> how long it waits in DRAM's queue, 1 in the mean: parts of GPCs are served in
                    // turn, so that SMs of a large one wait longer (where an SM has more than 64 KiB under
                    // way, as products have: probes/copies.cu; less is not told apart here)
  int groups = 1;
  int slow_half = 1;  // the partition near which clocks are slower in the mean: SMs near it wait longer for DRAM in
                      // loops by TMA
};

SmMap sm_map_of(const Device& device);

}  // namespace tl::machine
