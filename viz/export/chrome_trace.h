// A schedule as a trace for Perfetto: https://ui.perfetto.dev opens it.
#pragma once

#include <string>

#include "interp/machine/schedule/schedule.h"

namespace tl::viz {

// Chrome's trace format: an SM's slots are threads, programs slices, their steps slices within them, DRAM bytes and L2
// hit rate counters; a load that others' misses had fetched is a flow from the program that fetched it.
std::string chrome_trace(const machine::Schedule& schedule, const machine::Device& device, const std::string& title);

}  // namespace tl::viz
