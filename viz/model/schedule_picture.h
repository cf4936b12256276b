// A schedule as one picture: SM rows over time, where reads found their data, the order of programs over the output.
#pragma once

#include "interp/machine/schedule/schedule.h"
#include "viz/model/drawing.h"

namespace tl::viz {

// `settings`: a line beneath the kernel's name; programs beyond 20 000 are drawn as one bar a place of an SM.
Drawing draw_schedule(const machine::Schedule& schedule, const trace::AccessRecord& record, const std::string& kernel,
                      const std::string& settings);

}  // namespace tl::viz
