// How wide a warp's request is, and how many sectors an atomic access adds to.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/trace/access_record.h"

namespace tl::machine {

// Bytes from the first lane's to beyond the last lane's, beside each other in memory, by how interp/cuda/device lays
// out a block: a lane takes as many neighbours as 16 bytes hold of the narrowest tensor, where their address is known
// to be aligned. A pattern each; 0: not by registers, or no neighbours.
std::vector<std::int64_t> request_widths(const trace::AccessRecord& record);
// How lanes ask. A pattern each.
struct LaneRequests {
  std::vector<int> elements;  // that a lane takes at once, by the same rules; 1: not by registers, or no neighbours
  std::vector<int> bounds;    // of the mask, that some access at its place in the kernel's text meets
};
// Bytes that a lane copies at once by cp.async: as many, up to 16, as divide the beginning of every row.
std::int64_t copied_at_once(const trace::AccessPattern& pattern, std::int64_t element_bytes);
LaneRequests lane_requests(const trace::AccessRecord& record);

// Sectors that L2 adds to for one tile of a pattern, lane by lane: lanes of a request that add within one sector do so
// at once (probes/atomics.cu).
double additions_of(const trace::AccessRecord& record, const trace::AccessPattern& pattern);

}  // namespace tl::machine
