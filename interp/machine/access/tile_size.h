// What a tile asks of L2 and of DRAM, by where in memory it begins.
#pragma once

#include <cstdint>

#include "interp/machine/access/rows.h"
#include "interp/machine/device.h"
#include "interp/trace/access_record.h"

namespace tl::machine {

struct TileSize {
  float sectors = 0;
  float served_bytes = 0;  // that L2 is at work for
  float found_later = 0;   // of DRAM's sectors: what the tile's own later requests find in L2, in sectors
};
// `request_bytes`: of a warp's request; 0: not by registers.
TileSize size_of_tile(const Device& device, const Rows& rows, trace::Route route, std::int64_t first_elem,
                      std::int64_t elem_bytes, std::int64_t request_bytes);

}  // namespace tl::machine
