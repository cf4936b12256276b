// Neighbours' reads on their way to L2. A read of a unit that another SM of the same GPC asked for joins that request while it is under
// way and fewer than `limit` SMs wait for it: always at first, then less and less often until the window ends. Measured on an H200
// (calibration/merging.cu): windows of about 65 ns for a line that L2 holds and 350 ns for one that comes from DRAM, four SMs a request,
// within a GPC only; the counters know it as the L2 request coalescer (LRC).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "interp/machine/device.h"

namespace tl::machine {

class Merging {
 public:
  Merging(const Device& d, int groups, bool by_lines) : hit_ns_(d.merge_hit_ns), miss_ns_(d.merge_miss_ns), limit_(static_cast<std::uint32_t>(std::clamp<std::int64_t>(d.merge_limit, 1, 255))) {
    if (limit_ > 1) bits_ = by_lines ? 15 : 11;  // requests live for less than a microsecond: a small table that stays in the cache
    table_.assign(static_cast<std::size_t>(groups) << bits_, {});
  }
  // One a unit that may be under way: when the last one joins; whose it is, and in the lowest eight bits, which its place tells, how many SMs wait for it.
  struct Request {
    std::uint32_t key = UINT32_MAX;
    float until = 0;
  };
  // Chance, `draw` in [0, 1), ends a window early, after this part of it, so that joining is certain at first: a fit of the measured shares, 0.98, 0.75 and
  // 0.31 after 65, 130 and 260 ns for lines from DRAM.
  static double early(double draw) { return 1 - draw * (1 / 1.2); }
  // What the units of a group meet: small enough to be held in registers.
  struct Group {
    Request* requests;
    std::uint32_t mask, limit;
    double hit_ns, miss_ns;

    // Whether a read joins a request under way. Counted without a branch: nothing foretells it.
    bool joins(std::uint32_t unit, float now) const {
      Request& r = requests[unit & mask];
      const bool joins = (r.key - (unit & ~mask) < limit) & (now < r.until);
      r.key += joins;
      return joins;
    }
    // A read that goes on to L2: others may join it until then.
    void open(std::uint32_t unit, float until) const { requests[unit & mask] = {(unit & ~mask) + 1, until}; }
    // `queued`: how long it waits before L2 looks it up.
    void open(std::uint32_t unit, double now, double queued, bool miss, double early) const {
      open(unit, static_cast<float>(now + (queued + (miss ? miss_ns : hit_ns)) * early));
    }
  };
  Group of(int group) { return {&table_[static_cast<std::size_t>(group) << bits_], (1u << bits_) - 1, limit_, hit_ns_, miss_ns_}; }
  void prefetch(int group, std::uint32_t unit) const { __builtin_prefetch(&table_[(static_cast<std::size_t>(group) << bits_) + (unit & ((1u << bits_) - 1))], 1); }

 private:
  double hit_ns_, miss_ns_;
  std::uint32_t limit_;
  unsigned bits_ = 8;
  std::vector<Request> table_;
};

}  // namespace tl::machine
