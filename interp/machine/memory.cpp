#include "interp/machine/memory.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tl::machine {

namespace {

L2::Shape shape_of(const Device& d, const Footprint& f, std::uint64_t seed) {
  const double units = static_cast<double>(d.l2_bytes) * d.l2_usable / f.unit_bytes;
  return {static_cast<std::int64_t>(units), static_cast<int>(d.l2_partitions), static_cast<int>(d.l2_ways), d.l2_policy,
          static_cast<std::int64_t>(static_cast<double>(d.l2_dirty_bytes) / f.unit_bytes), seed};
}

constexpr double busy_window_ns = 50e3;

// Half of the SM's memory: the rest is shared memory, or held by lines on their way.
std::size_t l1_units(const Device& d, const Footprint& f) { return static_cast<std::size_t>(static_cast<double>(d.l1_bytes) / 2 / f.unit_bytes); }

}  // namespace

Memory::Memory(const Device& device, const SmMap& map, const Footprint& footprint, const ScheduleOptions& options)
    : device_(device), map_(map), footprint_(footprint), l2_(shape_of(device, footprint, options.seed)),
      merging_(device, map.groups, footprint.by_lines), random_(options.seed + 1),
      l1_(static_cast<std::size_t>(device.sms), l1_units(device, footprint)) {
  ports_.assign(static_cast<std::size_t>(device.sms), {1 / device.sm_gb_per_s, 0});
  l2_server_.ns_a_byte = 1 / device.l2_gb_per_s;
  dram_server_.ns_a_byte = 1 / (device.dram_gb_per_s * device.dram_reachable);
  arrives_.assign(footprint.unit_count, 0);
  if (footprint.in_quarters) there_.assign(footprint.unit_count, 0), written_.assign(footprint.unit_count, 0);
  else dirty_bytes_.assign(footprint.unit_count, 0);
  for (std::int64_t sm = 0; sm < device.sms; ++sm) waits_.push_back(static_cast<float>(1 + device.dram_wait_spread * (random_.uniform() - 0.5)));
  busy_until_ = busy_window_ns;
  totals_.reads.resize(footprint.tensor_tiles.size());
  totals_.written.assign(footprint.tensor_tiles.size(), 0);
  totals_.dram_read.assign(footprint.tensor_tiles.size(), 0);
  totals_.dram_write.assign(footprint.tensor_tiles.size(), 0);
}

double Memory::load(const Run& run, const Piece& piece, int sm, double now, Sectors& found) {
  if (footprint_.in_quarters) return load_lines(run, piece, sm, now, found);
  const double sectors = piece.units == 1 ? double(run.sectors) : double(run.sectors) / piece.units, bytes = sectors * static_cast<double>(device_.sector_bytes);
  const Tally tally = look_up(run, piece, sm, now, bytes);
  // A tensor map asks L2 for 256 bytes at a miss: a quarter of DRAM's sectors are there when they are looked up, and as many lookups come on
  // top of the requested ones (calibration/promotion.cu).
  const double promoted = run.route == trace::Route::descriptor ? device_.tma_promoted : 0;
  const double near_misses = sectors * double(tally.near_misses), far_misses = sectors * double(tally.far_misses), misses = near_misses + far_misses;
  const auto t = static_cast<std::size_t>(run.tensor);
  const double there = 1 - footprint_.first_reads[t].missing * (1 - promoted);
  Sectors one;
  one.requested = sectors * piece.units;
  one.l1_hits = sectors * double(tally.l1_hits);
  one.merged = sectors * double(tally.merged);
  one.near_hits = sectors * double(tally.near_hits) + there * near_misses;
  one.far_hits = sectors * double(tally.far_hits) + there * far_misses;
  one.misses = misses * (1 - there);
  one.promoted = misses * promoted;
  found += one;
  totals_.reads[t] += one;
  const double fetched = misses * footprint_.first_reads[t].fetched * static_cast<double>(device_.sector_bytes);
  totals_.dram_read[t] += fetched;
  note_dram(now, fetched);
  const double crossed = sectors * double(tally.far_hits) + far_misses;
  totals_.fabric_sectors += crossed;
  totals_.raw_lookups += crossed + one.tex();
  totals_.raw_hits += one.near_hits + one.far_hits + one.promoted;
  totals_.unit_accesses += piece.units;
  if (l2_.has_written_back()) write_back();
  return tally.ready;
}

// The loop of the model's time: every unit of every load comes here. What is the same for all units of a tile is read once, and what the caches of
// this machine may not hold is asked for one stretch of units ahead.
Memory::Tally Memory::look_up(const Run& run, const Piece& piece, int sm, double now, double bytes) {
  constexpr std::uint32_t stretch = 16;
  struct Place {
    std::uint32_t unit;
    std::size_t set;
    Merging::Request* request;
  } places[2][stretch];
  const auto at = static_cast<std::size_t>(sm);
  const int group = map_.group[at], side = map_.partition[at];
  const bool by_l1 = run.route == trace::Route::registers;
  const double wait = double(waits_[at]), near_ns = device_.l2_latency_ns, far_ns = device_.l2_remote_latency_ns, dram_ns = device_.dram_latency_ns;
  Server port = ports_[at], l2 = l2_server_, dram = dram_server_;
  Random random = random_;
  Tally tally;
  double ready = now;
  const std::uint32_t* lines = footprint_.by_lines ? footprint_.line_units.data() + piece.first : nullptr;
  const auto place = [&](std::uint32_t from) {
    Place* p = places[from / stretch & 1];
    for (std::uint32_t i = from; i < std::min(from + stretch, piece.units); ++i, ++p) {
      p->unit = lines ? lines[i] : piece.first + i, p->set = l2_.set_of(p->unit), p->request = merging_.at(group, p->unit);
      if (piece.units == 1) return;
      l2_.prefetch(p->set, side);
      __builtin_prefetch(p->request, 1);
      __builtin_prefetch(&arrives_[p->unit], 1);
    }
  };
  place(0);
  for (std::uint32_t from = 0; from < piece.units; from += stretch) {
    if (from + stretch < piece.units) place(from + stretch);
    for (std::uint32_t i = 0; i < std::min(stretch, piece.units - from); ++i) {
      const auto [unit, set, request] = places[from / stretch & 1][i];
      if (by_l1 && l1_.read(at, unit)) {
        ++tally.l1_hits;
        continue;
      }
      port.serve(now, bytes);
      const double draw = random.uniform();
      if (request && merging_.joins(*request, unit, now, draw)) {
        ++tally.merged;
        ready = std::max(ready, request->ready);
        continue;
      }
      bool crossed = false;
      const Found where = l2_.read(unit, set, side, crossed);
      const double served = l2.serve(now, bytes);
      double data = served + (crossed ? far_ns : near_ns);
      bool on_its_way = true;
      if (where == Found::miss) {
        ++(crossed ? tally.far_misses : tally.near_misses);
        data = std::max(data, now + (dram.serve(served, bytes) + dram_ns - now) * wait);
        arrives_[unit] = static_cast<float>(data);
      } else {
        ++(where == Found::near ? tally.near_hits : tally.far_hits);
        const double arrives = double(arrives_[unit]);
        data = std::max(data, arrives);  // a line still on its way is a hit that waits
        on_its_way = arrives > now;
      }
      if (request) merging_.open(*request, unit, now, served - now, data, on_its_way);
      ready = std::max(ready, data);
    }
  }
  if (tally.l1_hits < piece.units) ready = std::max(ready, port.free_at + near_ns);
  ports_[at] = port, l2_server_ = l2, dram_server_ = dram, random_ = random;
  tally.ready = ready;
  return tally;
}

void Memory::store(const Run& run, const Piece& piece, int sm, double now) {
  totals_.written[static_cast<std::size_t>(run.tensor)] += double(run.bytes);
  totals_.unit_accesses += piece.units;
  if (footprint_.in_quarters) store_lines(run, piece, sm, now);
  else {
    const auto t = static_cast<std::size_t>(run.tensor);
    const double bytes = double(run.sectors) / piece.units * static_cast<double>(device_.sector_bytes);
    for (std::uint32_t i = 0; i < piece.units; ++i) {
      const std::uint32_t unit = unit_of(piece, i);
      l2_server_.serve(now, bytes);
      const bool was_there = l2_.write(unit, map_.partition[static_cast<std::size_t>(sm)]);
      if (run.kind == trace::AccessKind::atomic && !was_there) totals_.dram_read[t] += bytes, dram_server_.serve(now, bytes);
      dirty_bytes_[unit] = std::max(dirty_bytes_[unit], static_cast<float>(bytes));
    }
  }
  if (l2_.has_written_back()) write_back();
}

// Sectors that nobody wrote stay where they are.
void Memory::write_back() {
  l2_.take_written_back([&](std::uint32_t unit) {
    const auto t = static_cast<std::size_t>(footprint_.unit_tensor[unit]);
    double bytes = 0, filled = 0;
    if (footprint_.in_quarters) {
      const double quarter = footprint_.unit_bytes / 4;
      const unsigned touched = written_[unit] & 15u, whole = written_[unit] >> 4;
      bytes = quarter * std::popcount(touched);
      filled = quarter * std::popcount(touched & ~whole & ~unsigned{there_[unit]});  // a sector written in part is read before it is written back
      written_[unit] = 0;
    } else {
      bytes = double(dirty_bytes_[unit]);
      dirty_bytes_[unit] = 0;
    }
    totals_.dram_write[t] += bytes, totals_.dram_read[t] += filled;
    dram_server_.free_at += (bytes + filled) * dram_server_.ns_a_byte;
  });
}

// DRAM's load, window by window.
void Memory::note_dram(double now, double bytes) {
  busy_bytes_ += bytes;
  if (now < busy_until_) return;
  const double windows = std::floor((now - busy_until_) / busy_window_ns) + 1;
  busy_ = 0.5 * busy_ + 0.5 * std::min(1.0, busy_bytes_ * dram_server_.ns_a_byte / (windows * busy_window_ns));
  busy_bytes_ = 0, busy_until_ += windows * busy_window_ns;
}

Memory::Totals Memory::totals() const {
  Totals t = totals_;
  for (const float bytes : dirty_bytes_) t.dirty_bytes_left += double(bytes);
  for (const std::uint8_t parts : written_) t.dirty_bytes_left += footprint_.unit_bytes / 4 * std::popcount(parts & 15u);
  return t;
}

}  // namespace tl::machine
