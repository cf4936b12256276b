// The least time a launch can take, resource by resource: what it does over how fast the chip does it. The longest is
// the limit.
//   time of a resource   = work / rate; of what SMs do, times ceil(p) / p for p programs an SM: some SMs have no work
//   estimate             = the longest of these times
//   arithmetic intensity = flops / DRAM bytes
//   ridge                = peak flops / DRAM bandwidth; memory is the limit below it
#pragma once

#include <string>
#include <vector>

#include "interp/machine/device.h"
#include "interp/machine/schedule/schedule.h"
#include "interp/trace/access_record.h"

namespace tl::machine {

struct ResourceTime {
  std::string resource;  // tensor cores f16, instruction issue, FP32 units, DRAM, L2, shared memory
  double work = 0;       // flops, bytes or instructions
  std::string unit;      // flop, byte, instruction
  double rate = 0;       // a second
  double ms = 0;         // where on_sms: stretched by the tail factor
  bool on_sms = false;   // idle where SMs are
};

struct Roofline {
  std::vector<ResourceTime> resources;  // the longest first
  double flops = 0, dram_bytes = 0;
  double peak_flops = 0;   // of the units that its dots, or else its lanes, use
  double tail_factor = 1;  // ceil(p) / p of p programs an SM
  double estimate_ms = 0;
  std::string limit;  // of the longest
  double intensity() const { return dram_bytes > 0 ? flops / dram_bytes : 0; }
  double ridge(const Device& d) const { return peak_flops / (d.dram_gb_per_s * d.dram_reachable * 1e9); }
};

// What sets the time of a launch, and how far behind the next is.
struct Cause {
  std::string limit = "latency";  // a resource; or latency, where none is at work for three fifths of the time or more,
                                  // below which Nsight Compute speaks of latency as well
  double share = 0;               // of the time, that the busiest resource is at work
  std::string busiest, next;      // resources; "": none
  double next_share = 0;          // the same of the next
  double no_eligible = 1;         // of the cycles, those in which a scheduler has no warp with an instruction to issue
};
Cause cause_of(const Roofline& roofline, double ms);

// `shared_bytes`: that all programs together store to and read from shared memory. `options`: of the schedule.
Roofline roofline_of(const trace::AccessRecord& record, const Schedule& schedule, const Device& device,
                     double shared_bytes, const ScheduleOptions& options);

}  // namespace tl::machine
