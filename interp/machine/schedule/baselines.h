// Two simpler answers for DRAM reads, to be held beside the model's.
//   wave count:  sum over waves of the bytes of the distinct tiles that the wave's programs load: nothing stays from
//   wave to wave, all within one;
//                persistent programs: the n-th tile of all programs is the n-th wave, a tile ends where its result is
//                stored
//   nominal LRU: the same schedule in front of one pool of l2_bytes, least recently used, without copies and without
//   merging
#pragma once

#include "interp/machine/access/tiles.h"
#include "interp/machine/schedule/schedule.h"

namespace tl::machine {

double wave_count_dram_bytes(const trace::AccessRecord& record, const Footprint& footprint, const Device& device,
                             std::int64_t ctas_per_sm);
Device with_nominal_lru(Device device);

}  // namespace tl::machine
