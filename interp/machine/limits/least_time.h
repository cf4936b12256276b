// The least time that a launch takes in the model, known without following it: what rules a config out cheaply.
//   starts = programs * cta_issue_ns
//   work   = ns of all iterations (schedule/work.h) / SMs
//   copies = bytes of all tiles that are copied to shared memory / (SMs * what an SM takes)
// The longest counts. Tiles that go to registers are not counted: the SM's L1 may hold them.
#pragma once

#include <cstdint>
#include <string>

#include "interp/machine/device.h"
#include "interp/machine/schedule/schedule.h"
#include "interp/trace/access_record.h"

namespace tl::machine {

struct LeastTime {
  double ms = 0;
  std::string why;  // in a reader's words
};

LeastTime least_time_of_starts(std::int64_t programs, const Device& device);
// simulate(record, device, options).model_ms is no less, of a launch by itself (not options.in_graph).
LeastTime least_time_of(const trace::AccessRecord& record, const Device& device, const ScheduleOptions& options);
// How many tiles simulate() follows: it takes 10 to 100 ns each, or by lines some microseconds.
std::int64_t tiles_to_follow(const trace::AccessRecord& record);

}  // namespace tl::machine
