// What lanes that compute take of an SM: instructions, by the pipe that runs them. A pipe's time is its
// instructions over its rate; the longest is how long the lanes compute, since pipes run beside one another.
#pragma once

#include <string>
#include <vector>

#include "interp/machine/access/request_width.h"
#include "interp/machine/device.h"
#include "interp/trace/access_record.h"

namespace tl::machine {

// Instructions of lanes. Each takes a place in the issue of its warp, and most a place in one pipe.
struct LaneDemand {
  double issue = 0;    // all of them, and the places that are lost to branches and calls
  double fma = 0;      // FP32 additions and products; an int's product takes two places
  double alu = 0;      // comparisons, choices, extremes, ints and bits, conversions of ints
  double special = 0;  // exp2, reciprocals, rounding, floats to ints
  double f64 = 0;
  double requests = 0;  // of loads and stores: one a lane, of up to 16 bytes

  LaneDemand& operator+=(const LaneDemand& o);
  friend LaneDemand operator*(double n, LaneDemand d);
};

inline constexpr const char* issue_pipe = "instruction issue";

struct PipeTime {
  std::string pipe;  // in a reader's words
  double instructions = 0, a_second = 0;
  double ns = 0;
};

// For one lane in fp32, as the probes found it (probes/ops.py).
LaneDemand demand_of(Op op, DType dtype);
// For a conversion between an int and f32: to the int, which is clamped to its range, or from it.
LaneDemand int_cast_demand(DType dtype, bool narrows);
// For `warps` warps, which share the lanes of each op.
LaneDemand demand_of(const trace::LaneWork& work, int warps);
// For the loads and stores by registers of a segment, an iteration.
LaneDemand access_demand(const trace::AccessRecord& record, const trace::Segment& segment,
                         const LaneRequests& requests);
// On one SM; the longest first, those without instructions left out.
std::vector<PipeTime> pipe_times(const LaneDemand& demand, const Device& device);
double lane_ns(const LaneDemand& demand, const Device& device);

}  // namespace tl::machine
