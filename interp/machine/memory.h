// The way of a tile from memory to an SM, in time: L1, the neighbours' requests, L2 and its fabric, DRAM, each with its bandwidth as a
// queue and its latency. Times are nanoseconds of the model.
#pragma once

#include <cstdint>
#include <numeric>
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
  double load(const Run& run, const Piece& piece, int sm, double now, Sectors& found) {
    totals_.unit_accesses += piece.units;
    if (footprint_.in_quarters) return load_lines(run, piece, sm, now, found);
    if (now >= busy_until_) note_dram(now);
    return piece.units == 1 && !footprint_.by_lines ? load_one(run, piece.first, sm, now, found) : load_several(run, piece, sm, now, found);
  }
  // A tile is written: nobody waits for it.
  void store(const Run& run, const Piece& piece, int sm, double now);

  // How busy DRAM has been lately, from 0 to 1.
  double dram_busy() const { return busy_; }
  double dram_read_bytes() const { return std::accumulate(totals_.dram_read.begin(), totals_.dram_read.end(), 0.0); }  // up to now

  // Asks for what load() and store() will look at.
  void prefetch(const Piece& piece, int sm) const {
    const Port& port = ports_[static_cast<std::size_t>(sm)];
    if (piece.is_scattered) return prefetch_scattered(piece, sm);
    const Neighbours asked{piece.first, piece.units};
    std::uint32_t unit = asked.first;
    do __builtin_prefetch(&arrives_[unit], 1), unit += 16;
    while (unit < asked.first + asked.units);
    l2_.prefetch(asked, port.side), port.requests.prefetch(asked);
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
  // What an SM reads through.
  struct Port {
    Server server;
    float wait = 1;  // how long it waits for DRAM, relative to what it takes
    int side = 0;   // near partition of L2
    Merging::Group requests;  // of its GPC
  };
  // What the units of one tile found, and when the last one's data is there.
  struct Tally {
    double ready = 0;
    double l1_hits = 0, merged = 0, near_hits = 0, far_hits = 0, near_misses = 0, far_misses = 0;  // far_misses: of lines whose home is far
  };
  double load_one(const Run& run, std::uint32_t unit, int sm, double now, Sectors& found);
  double load_several(const Run& run, const Piece& piece, int sm, double now, Sectors& found);
  Tally look_up(const Run& run, const Piece& piece, int sm, double now, double bytes);
  std::uint32_t not_in_l1(const Run& run, const Piece& piece, std::uint32_t from, std::uint32_t units, int sm, Neighbours* asked, std::uint32_t& stretches, Tally& tally);
  double load_distant(const Run& run, std::uint32_t unit, Port& port, double now, double served, double early, Sectors& found);
  double fetch(std::uint32_t unit, const Port& port, double now, double found, double bytes, double early, Tally& tally);
  void count_distant(const Run& run, double sectors, const Tally& tally, Sectors& found);
  double load_lines(const Run& run, const Piece& piece, int sm, double now, Sectors& found);
  void store_lines(const Run& run, const Piece& piece, int sm, double now);
  void note_dram(double now);
  void write_back();
  void prefetch_scattered(const Piece& piece, int sm) const;
  std::uint32_t unit_of(const Piece& piece, std::uint32_t i) const { return piece.is_scattered ? footprint_.line_units[piece.first + i] : piece.first + i; }

  const Device& device_;
  const SmMap& map_;
  const Footprint& footprint_;
  L2 l2_;
  Merging merging_;
  double sector_bytes_, near_ns_;
  Random random_;
  std::vector<Port> ports_;  // of the SMs
  Server l2_server_, dram_server_;
  double busy_ = 0, busy_until_ = 0, busy_bytes_ = 0;
  std::vector<std::uint8_t> there_, written_;  // by lines: quarters that L2 holds; that are written (low four bits) and wholly so (high)
  std::vector<float> arrives_;  // when a unit's last fetch from DRAM arrives
  std::vector<float> dirty_bytes_;  // of a unit: written, and not yet in DRAM
  L1 l1_;
  Totals totals_;
};

// Of a tile that is one unit: the loop of the model's time where tiles do not overlap in part.
inline double Memory::load_one(const Run& run, std::uint32_t unit, int sm, double now, Sectors& found) {
  Port& port = ports_[static_cast<std::size_t>(sm)];
  Sectors& total = totals_.reads[static_cast<std::size_t>(run.tensor)];
  const double sectors = double(run.sectors), bytes = sectors * sector_bytes_, near_ns = near_ns_, arrival = double(arrives_[unit]);
  const auto count = [&](double Sectors::*where) { found.*where += sectors, total.*where += sectors; };
  const auto later = [](double a, double b) { return a > b ? a : b; };  // no branch on what nothing foretells
  count(&Sectors::requested);
  if (run.route == trace::Route::registers && l1_.read(static_cast<std::size_t>(sm), unit)) {
    count(&Sectors::l1_hits);
    return now;
  }
  const double ready = port.server.serve(now, bytes) + near_ns;
  if (port.requests.joins(unit, static_cast<float>(now))) {
    count(&Sectors::merged);
    return later(ready, arrival);
  }
  const double served = l2_server_.serve(now, bytes), early = Merging::early(random_.uniform());
  if (!l2_.holds(unit, port.side)) return later(ready, load_distant(run, unit, port, now, served, early, found));
  count(&Sectors::near_hits);
  port.requests.open(unit, now, served - now, arrival > now, early);
  return later(ready, later(served + near_ns, arrival));  // a line still on its way is a hit that waits
}

}  // namespace tl::machine
