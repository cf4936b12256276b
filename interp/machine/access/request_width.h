// How wide a warp's request is, and what follows where it is less than a miss brings: DRAM gives pairs of sectors (64
// bytes), so that of two requests that ask for a half each the later one finds its own. Measured on an H200:
// calibration/lanes.cu, sectors.cu.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/trace/access_record.h"

namespace tl::machine {

// Bytes from the first lane's to beyond the last lane's, beside each other in memory, by how interp/cuda/device lays
// out a block: a lane takes as many neighbours as 16 bytes hold of the narrowest tensor, where their address is known
// to be aligned. A pattern each; 0: not by registers, or no neighbours.
std::vector<std::int64_t> request_widths(const trace::AccessRecord& record);

// Sectors that L2 adds to for one tile of a pattern, lane by lane: lanes of a request that add within one sector do so
// at once (calibration/atomics.cu).
double additions_of(const trace::AccessRecord& record, const trace::AccessPattern& pattern);

// Of a row of bytes [from, end) that nobody has read before, the sectors that a request finds since an earlier one
// brought the other half of the pair.
double found_by_later_requests(std::int64_t from, std::int64_t end, std::int64_t width);

}  // namespace tl::machine
