// How long a turn of a loop that multiplies tiles takes on an SM, as our kernels are compiled (probes/turns.py):
//   busy    what it takes of the SM that programs share: the issue of its warps, its requests, its dots
//   alone   from turn to turn where a program has the SM for itself: it waits for its tiles, then for its dots
// A turn of n programs on an SM takes max(alone, n busy).
#pragma once

#include <optional>
#include <vector>

#include "interp/machine/schedule/lane_demand.h"
#include "interp/machine/schedule/schedule.h"

namespace tl::machine {

struct Turn {
  double busy_ns = 0, alone_ns = 0;
  double dot_ns = 0, issue_ns = 0;  // of busy_ns: the dots'; what its warps' instructions take of the issue
  double requests = 0;              // of lanes
};

// How the tiles of a segment travel: the first route that is not by registers.
trace::Route route_of(const trace::AccessRecord& record, const trace::Segment& segment);
// How a segment's dots are fed, where probes of our kernels' turns tell its time. Loops by TMA of one dot a turn, by
// whole warpgroups, are known from probes of their own (loops.cu), and so are loops that others wrote.
std::optional<DotFeed> feed_of(const trace::AccessRecord& record, const trace::Segment& segment,
                               const ScheduleOptions& options);

// `threads` of a program, 0: unknown. `elements`: LaneRequests::elements.
Turn turn_of(const trace::AccessRecord& record, const trace::Segment& segment, const Device& device,
             const DotFeed& feed, std::int64_t threads, const std::vector<int>& elements);

// Lanes of a program that has its SM for itself: a warp waits for its own instructions, and each reduction for the
// lanes of others.
double alone_ns(const trace::LaneWork& lanes, double lanes_ns, int warps, double reduction_wait_ns,
                const Device& device);

}  // namespace tl::machine
