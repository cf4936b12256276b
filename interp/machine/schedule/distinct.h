// What an infinite cache would fetch: the different tiles that the programs load, as the lecture counts them; of the
// first N programs and of all. And the interval that the model states for DRAM reads.
#pragma once

#include "interp/machine/access/tiles.h"
#include "interp/machine/schedule/schedule.h"

namespace tl::machine {

// Fills block_loads, distinct_* and distinct_read_bytes of the schedule and of its tensors.
void count_distinct(const trace::AccessRecord& record, const Footprint& footprint, std::int64_t first_programs,
                    Schedule& schedule);

void state_interval(Schedule& schedule, const Device& device);

}  // namespace tl::machine
