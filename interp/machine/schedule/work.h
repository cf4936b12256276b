// How long an iteration keeps its SM busy: the dots at the rate of the tensor cores, and the other lanes in the longest
// of their pipes (lane_demand.h).
//   ns = dot_flops / (tensor rate of an SM) + ns of the lanes
// Tiles that cp.async brings in (pointers) keep the tensor cores less busy than
// those of TMA.
#pragma once

#include <vector>

#include "interp/machine/device.h"
#include "interp/machine/schedule/schedule.h"

namespace tl::machine {

struct SegmentWork {
  double ns = 0, dot_ns = 0;  // in all; the dots' part
  double least_pace = 1;      // of a program that has its SM alone: what it waits for each turn is no work
  int ahead = 0;              // iterations fetched ahead: stages - 1 where tiles are copied ahead
  double idle_share = 0,
         busy_share = 0;  // how much of group_pace_ppm shows where the chip has power to spare, and where it has not
  bool takes_all_power = false;  // by TMA and wgmma: clocks are below their ceiling whatever L2 and DRAM do
  double l2_load = 0;            // the rate at which it asks for data where nothing waits, over L2's
  bool in_step = false;          // CTAs of a GPC fall into step, held by the data that they share
  double jitter = 0;             // of an iteration's time, from the shortest to the longest, relative
  double sm_share =
      0;  // how much of sm_speed_spread shows: SMs of a GPC have one clock, and a TMA's loop keeps its pace
  double late_ns = 0;   // how much later than others a tile is there, at most
  double age_step = 0;  // between the speeds of an SM's oldest and youngest CTA
};

class Work {
 public:
  Work(const trace::AccessRecord& record, const Device& device, const ScheduleOptions& options);
  // How long all SMs together are at work on a segment's iterations, at least, where each holds `held` programs.
  double least_ns(const trace::Segment& segment, std::uint32_t index, double sms, double held) const {
    constexpr double at_best = 0.9;  // some SMs and iterations are faster than their work says: clocks, jitter
    const SegmentWork& w = of(index);
    return at_best * static_cast<double>(segment.iterations) * w.ns * (w.least_pace > held ? w.least_pace / held : 1) /
           sms;
  }
  const SegmentWork& of(std::uint32_t segment) const { return works_[work_of_[segment]]; }

 private:
  std::vector<std::uint32_t> work_of_;  // of the segments: nearly all of a launch are alike
  std::vector<SegmentWork> works_;
};

}  // namespace tl::machine
