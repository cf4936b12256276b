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
    return static_cast<double>(static_cast<std::int64_t>(state_ >> 11)) * 0x1p-53;
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

  // How busy DRAM has been lately, from 0 to 1.
  double dram_busy() const { return busy_; }

  // Asks for what load() and store() will look at.
  void prefetch(const Piece& piece, int sm) const {
    const auto at = static_cast<std::size_t>(sm);
    const int side = map_.partition[at], group = map_.group[at];
    for (std::uint32_t i = 0; i < piece.units; i += 8) {  // neighbours stand side by side
      const std::uint32_t unit = footprint_.by_lines ? footprint_.line_units[piece.first + i] : piece.first + i;
      l2_.prefetch(unit, side);
      merging_.prefetch(group, unit);
      __builtin_prefetch(&arrives_[unit], 1);
    }
  }

  struct Totals {
    std::vector<Sectors> reads;                          // of each tensor
    std::vector<double> written, dram_read, dram_write;  // bytes of each tensor; written: asked for by the SMs
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
  // What the units of one tile found, and when the last one's data is there.
  struct Tally {
    double ready = 0;
    double l1_hits = 0, merged = 0, near_hits = 0, far_hits = 0, near_misses = 0, far_misses = 0;  // far_misses: of lines whose home is far
  };
  Tally look_up(const Run& run, const Piece& piece, int sm, double now, double bytes);
  double load_one(const Run& run, std::uint32_t unit, int sm, double now, Sectors& found);
  double fetch(std::uint32_t unit, std::size_t sm, double now, double found, double bytes, const Merging::Group& requests, double early, Tally& tally);
  void count_distant(const Run& run, double sectors, const Tally& tally, Sectors& found);
  double load_lines(const Run& run, const Piece& piece, int sm, double now, Sectors& found);
  void store_lines(const Run& run, const Piece& piece, int sm, double now);
  void note_dram(double now);
  void write_back();
  std::uint32_t unit_of(const Piece& piece, std::uint32_t i) const { return footprint_.by_lines ? footprint_.line_units[piece.first + i] : piece.first + i; }

  const Device& device_;
  const SmMap& map_;
  const Footprint& footprint_;
  L2 l2_;
  Merging merging_;
  double sector_bytes_;
  Random random_;
  std::vector<Server> ports_;  // of the SMs
  Server l2_server_, dram_server_;
  std::vector<float> waits_;    // of the SMs: how long they wait for DRAM, relative to what it takes
  double busy_ = 0, busy_until_ = 0, busy_bytes_ = 0;
  std::vector<std::uint8_t> there_, written_;  // by lines: quarters that L2 holds; that are written (low four bits) and wholly so (high)
  std::vector<float> arrives_;  // when a unit's last fetch from DRAM arrives
  std::vector<float> dirty_bytes_;  // of a unit: written, and not yet in DRAM
  L1 l1_;
  Totals totals_;
};

}  // namespace tl::machine
