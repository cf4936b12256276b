// How long an iteration keeps its SM busy: the dots at the rate of the tensor cores, the other lanes at the rate of the FP32 units.
//   ns = dot_flops / (tensor rate of an SM) + lane_ops / (lanes an SM computes in a ns)
#pragma once

#include <vector>

#include "interp/machine/device.h"
#include "interp/machine/schedule.h"

namespace tl::machine {

struct SegmentWork {
  double ns = 0;
  int ahead = 0;  // iterations fetched ahead: stages - 1 of a pipelined loop
};

class Work {
 public:
  Work(const trace::AccessRecord& record, const Device& device, const ScheduleOptions& options);
  const SegmentWork& of(std::uint32_t segment) const { return segments_[segment]; }
  // SMs and iterations are not equally fast. Relative, from the slowest to the fastest.
  double program_spread() const { return 0.1; }
  double step_spread() const { return 0.1; }

 private:
  std::vector<SegmentWork> segments_;
};

}  // namespace tl::machine
