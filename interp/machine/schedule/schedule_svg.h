// A schedule as a picture: SM rows over time, the order of programs over the output, what L2 found. And as a trace for
// Perfetto.
#pragma once

#include <string>

#include "interp/machine/schedule/schedule.h"

namespace tl::machine {

// One SVG document. `title`: a line above all; programs beyond 20 000 are drawn as one bar an SM.
std::string schedule_svg(const Schedule& schedule, const trace::AccessRecord& record, const std::string& title);

// Chrome's trace format: an SM's slots are threads, programs slices, their steps slices within them, DRAM bytes and L2
// hit rate counters; a load that others' misses had fetched is a flow from the program that fetched it.
// https://ui.perfetto.dev opens it.
std::string chrome_trace(const Schedule& schedule, const Device& device, const std::string& title);

}  // namespace tl::machine
