// Neighbours' reads on their way to L2. A read of a unit that another SM of the same GPC asked for joins that request while it is under
// way and fewer than `limit` SMs wait for it: always at first, then less and less often until the window ends. Measured on an H200
// (calibration/merging.cu): windows of about 65 ns for a line that L2 holds and 350 ns for one that comes from DRAM, four SMs a request,
// within a GPC only; the counters know it as the L2 request coalescer (LRC).
#pragma once

#include <cstdint>
#include <vector>

#include "interp/machine/device.h"

namespace tl::machine {

class Merging {
 public:
  Merging(const Device& d, int groups, bool by_lines)
      : hit_ns_(d.merge_hit_ns), miss_ns_(d.merge_miss_ns), limit_(static_cast<std::uint32_t>(d.merge_limit)) {
    bits_ = by_lines ? 16 : 11;  // requests live for less than a microsecond: a small table that stays in the cache
    if (limit_ > 1) table_.assign(static_cast<std::size_t>(groups) << bits_, {});
  }
  // One a unit that may be under way.
  struct alignas(32) Request {
    std::uint32_t unit = UINT32_MAX, sharers = 0;
    double since = 0, until = 0, ready = 0;  // ready: when its data arrives
  };
  // Where a request of the group for the unit would stand; nullptr where nothing is merged.
  Request* at(int group, std::uint32_t unit) { return table_.empty() ? nullptr : &table_[place_of(group, unit)]; }
  void prefetch(int group, std::uint32_t unit) const { if (!table_.empty()) __builtin_prefetch(&table_[place_of(group, unit)], 1); }

  // Whether a read joins the request, `draw` in [0, 1). Its data is there when the request's is.
  bool joins(Request& r, std::uint32_t unit, double now, double draw) const {
    // one branch for what is chance, and a fit of the measured shares: 0.98, 0.75 and 0.31 after 65, 130 and 260 ns for lines from DRAM
    if ((r.unit != unit) | (r.sharers >= limit_) | (now >= r.until) | (now < r.since - 1) | (draw * (r.until - r.since) > 1.2 * (r.until - now))) return false;
    ++r.sharers;
    return true;
  }
  // A read that goes on to L2: others may join it. `queued`: how long it waits before L2 looks it up.
  void open(Request& r, std::uint32_t unit, double now, double queued, double ready, bool miss) const { r = {unit, 1, now, now + queued + (miss ? miss_ns_ : hit_ns_), ready}; }

 private:
  std::size_t place_of(int group, std::uint32_t unit) const { return (static_cast<std::size_t>(group) << bits_) + (unit & ((1u << bits_) - 1)); }
  double hit_ns_, miss_ns_;
  std::uint32_t limit_;
  unsigned bits_ = 11;
  std::vector<Request> table_;
};

}  // namespace tl::machine
