// The way of a tile from memory to an SM, in time: L1, the neighbours' requests, L2 and its fabric, DRAM, each with its
// bandwidth as a queue and its latency. Times are nanoseconds of the model.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "interp/machine/access/tiles.h"
#include "interp/machine/schedule/dispatch.h"
#include "interp/machine/schedule/l1.h"
#include "interp/machine/schedule/l2.h"
#include "interp/machine/schedule/merging.h"
#include "interp/machine/schedule/schedule.h"

namespace tl::machine {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull | 1) {}
  double uniform() {  // [0, 1)
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<double>(static_cast<std::int64_t>(state_ >> 11)) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

class Memory {
 public:
  Memory(const Device& device, const SmMap& map, const Footprint& footprint, const ScheduleOptions& options);

  // Where the units of loads were found, as counts; converted to sectors now and then.
  struct Tally {
    std::uint32_t l1_hits = 0, merged = 0, near_hits = 0, far_hits = 0, near_misses = 0,
                  far_misses = 0;  // far_misses: of units whose home is far
  };
  // A CTA on `sm` asks for a tile at `now`; returns when its data is there. Where its units were found is added to
  // `tally`, or for parts of lines to `found` at once.
  double load(const TileRun& run, const Piece& piece, int sm, double now, Tally& tally, Sectors& found) {
    if (footprint_.in_quarters) return load_lines(run, piece, sm, now, found);
    if (now >= window_end_) update_dram_load(now);
    return load_several(run, piece, sm, now, tally);
  }
  // The same for a tile that is one unit.
  double load(const TileRun& run, std::uint32_t unit, int sm, double now, Tally& tally) {
    if (now >= window_end_) update_dram_load(now);
    if (run.route == trace::Route::registers && l1_.read(static_cast<std::size_t>(sm), unit))
      return ++tally.l1_hits, now;
    if (l2_.clock_is_full()) l2_.renumber();
    return load_one(run, unit, sm, now, tally);
  }
  // Converts what the run's loads found since the last call, and clears the tally.
  void count(const TileRun& run, Tally& tally, Sectors& found);
  // A tile is written: no program waits for it.
  void store(const TileRun& run, const Piece& piece, int sm, double now);

  // The time at which L2 has done all atomic additions.
  double additions_done() const { return adder_.free_at; }

  // DRAM's load in the last windows, from 0 to 1, and how many windows have ended.
  double dram_load() const { return dram_load_; }
  std::uint32_t load_windows() const { return load_windows_; }
  double window_end_ns() const { return window_end_; }  // when the load is computed next
  void note_l2_changes(std::vector<L2Change>* changes, std::uint32_t sampled) { l2_.note_changes(changes, sampled); }
  double clock_slowdown() const { return slowdown_; }  // the clocks of a loop by TMA, by what DRAM takes of the power
  double dram_read_bytes() const {
    return std::accumulate(totals_.dram_read.begin(), totals_.dram_read.end(), 0.0);
  }  // as far as counted
  double dram_write_bytes() const { return std::accumulate(totals_.dram_write.begin(), totals_.dram_write.end(), 0.0); }

  // Prefetches what load() and store() will read.
  void prefetch(const Piece& piece, int sm) const {
    const Port& port = ports_[sm];
    if (piece.is_scattered) return prefetch_scattered(piece, sm);
    const Neighbours asked{piece.first, piece.units};
    std::uint32_t unit = asked.first;
    do {
      __builtin_prefetch(&arrives_[unit], 1);
      unit += 16;
    } while (unit < asked.first + asked.units);
    l2_.prefetch(asked, port.side);
    port.requests.prefetch(asked);
  }

  struct Totals {
    std::vector<Sectors> reads;                          // of each tensor
    std::vector<double> written, dram_read, dram_write;  // bytes of each tensor; written: asked for by the SMs
    double fabric_sectors = 0, raw_lookups = 0, raw_hits = 0, dirty_bytes_left = 0, others_written = 0;
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
  // What an SM reads through.
  struct alignas(64) Port {
    Server server;
    float queue_share = 1;    // how long it waits in DRAM's queue, relative to the queue
    int side = 0;             // near partition of L2
    Merging::Group requests;  // of its GPC
  };
  double load_one(const TileRun& run, std::uint32_t unit, int sm, double now, Tally& tally);
  double load_several(const TileRun& run, const Piece& piece, int sm, double now, Tally& tally);
  std::uint32_t not_in_l1(const TileRun& run, const Piece& piece, std::uint32_t from, std::uint32_t units, int sm,
                          Neighbours* asked, std::uint32_t& stretches, Tally& tally);
  double load_distant(const TileRun& run, std::uint32_t unit, Port& port, double now, double ready, double served,
                      double share, Tally& tally);
  double fetch(std::uint32_t unit, const Port& port, double now, double found, double bytes, double share,
               Tally& tally);
  double load_lines(const TileRun& run, const Piece& piece, int sm, double now, Sectors& found);
  void store_lines(const TileRun& run, const Piece& piece, int sm, double now);
  void update_dram_load(double now);
  void write_back();
  void warm_up();
  void displace_others(double bytes);
  void clean_others();
  void prefetch_scattered(const Piece& piece, int sm) const;
  std::uint32_t unit_of(const Piece& piece, std::uint32_t i) const {
    return piece.is_scattered ? footprint_.line_units[piece.first + i] : piece.first + i;
  }

  const Device& device_;
  const SmMap& map_;
  const Footprint& footprint_;
  L2 l2_;
  Merging merging_;
  double sector_bytes_, near_ns_;
  bool is_by_tma_;  // clocks are below their ceiling, and with them what SMs take, the more the busier DRAM is
  double sm_gb_per_s_, slowdown_ = 1;
  Random random_;
  std::vector<Port> ports_;  // of the SMs
  Server l2_server_, dram_server_, adder_;
  std::vector<double> addition_ns_;  // of each tensor, a sector
  double dram_load_ = 0, window_end_ = 0, window_bytes_ = 0;
  std::uint32_t load_windows_ = 1;
  std::vector<std::uint8_t> valid_,
      written_;  // by lines: quarters that L2 holds; that are written (low four bits) and wholly so (high)
  std::vector<float> arrives_;                  // when a unit's last fetch from DRAM arrives
  std::vector<float> dirty_bytes_;              // of a unit: written, and not yet in DRAM
  double others_bytes_ = 0, others_dirty_ = 0;  // earlier contents that L2 still holds, and the dirty part of them
  double dirty_bytes_limit_ = 0;
  L1 l1_;
  Totals totals_;
};

}  // namespace tl::machine
