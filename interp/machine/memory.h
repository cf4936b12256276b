// The way of a tile from memory to an SM, in time: L1, the neighbours' requests, L2 and its fabric, DRAM, each with its bandwidth as a
// queue and its latency. Times are nanoseconds of the model.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/machine/dispatch.h"
#include "interp/machine/l1.h"
#include "interp/machine/l2.h"
#include "interp/machine/merging.h"
#include "interp/machine/schedule.h"
#include "interp/machine/tiles.h"

namespace tl::machine {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull | 1) {}
  double uniform() {  // [0, 1)
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

class Memory {
 public:
  Memory(const Device& device, const SmMap& map, const Footprint& footprint, const ScheduleOptions& options);

  // A tile is asked for at `now` by a CTA on `sm`; returns when its data is there and adds what it found to `found`.
  double load(const Run& run, const Piece& piece, int sm, double now, Sectors& found);
  // A tile is written: nobody waits for it.
  void store(const Run& run, const Piece& piece, int sm, double now);

  struct Totals {
    std::vector<double> dram_read, dram_write;  // bytes, a tensor
    double fabric_sectors = 0, raw_lookups = 0, raw_hits = 0, dirty_bytes_left = 0;
    std::int64_t unit_accesses = 0;
  };
  Totals totals() const;

 private:
  // A queue that serves so many bytes a nanosecond.
  struct Server {
    double ns_a_byte = 1, free_at = 0;
    double serve(double now, double bytes) {
      free_at = (free_at > now ? free_at : now) + bytes * ns_a_byte;
      return free_at;
    }
  };
  double from_l2(std::uint32_t unit, int sm, double now, double sectors, double promoted, Sectors& found);
  void write_back();
  std::uint32_t unit_of(const Piece& piece, std::uint32_t i) const { return footprint_.by_lines ? footprint_.line_units[piece.first + i] : piece.first + i; }

  const Device& device_;
  const SmMap& map_;
  const Footprint& footprint_;
  L2 l2_;
  Merging merging_;
  Random random_;
  std::vector<Server> ports_;  // of the SMs
  Server l2_server_, dram_server_;
  std::vector<float> arrives_;  // when a unit's last fetch from DRAM arrives
  L1 l1_;
  Totals totals_;
};

}  // namespace tl::machine
