#include "interp/machine/memory.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tl::machine {

namespace {

L2::Shape shape_of(const Device& d, const Footprint& f, std::uint64_t seed) {
  const double units = static_cast<double>(d.l2_bytes) * d.l2_usable / f.unit_bytes;
  return {static_cast<std::int64_t>(units), static_cast<int>(d.l2_partitions), static_cast<int>(d.l2_ways), d.l2_policy,
          static_cast<std::int64_t>(static_cast<double>(d.l2_dirty_bytes) / f.unit_bytes), seed, f.unit_count};
}

constexpr double busy_window_ns = 50e3;

// Half of the SM's memory: the rest is shared memory, or held by lines on their way.
std::size_t l1_units(const Device& d, const Footprint& f) { return static_cast<std::size_t>(static_cast<double>(d.l1_bytes) / 2 / f.unit_bytes); }

}  // namespace

Memory::Memory(const Device& device, const SmMap& map, const Footprint& footprint, const ScheduleOptions& options)
    : device_(device), map_(map), footprint_(footprint), l2_(shape_of(device, footprint, options.seed)),
      merging_(device, map.groups, footprint.by_lines), sector_bytes_(static_cast<double>(device.sector_bytes)), random_(options.seed + 1),
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
  totals_.unit_accesses += piece.units;
  if (now >= busy_until_) note_dram(now);
  if (piece.units == 1 && !footprint_.by_lines) return load_one(run, piece.first, sm, now, found);
  const double sectors = double(run.sectors) / piece.units;
  const Tally tally = look_up(run, piece, sm, now, sectors * sector_bytes_);
  Sectors one;
  one.requested = sectors * piece.units;
  one.l1_hits = sectors * tally.l1_hits;
  one.merged = sectors * tally.merged;
  one.near_hits = sectors * tally.near_hits;
  found += one;
  totals_.reads[static_cast<std::size_t>(run.tensor)] += one;
  count_distant(run, sectors, tally, found);
  return tally.ready;
}

// What the near partition did not hold.
void Memory::count_distant(const Run& run, double sectors, const Tally& tally, Sectors& found) {
  // A tensor map asks L2 for 256 bytes at a miss: a quarter of DRAM's sectors are there when they are looked up, and as many lookups come on
  // top of the requested ones (calibration/promotion.cu).
  const auto t = static_cast<std::size_t>(run.tensor);
  const FirstRead& first = footprint_.first_reads[t];
  const double promoted = run.route == trace::Route::descriptor ? device_.tma_promoted : 0, there = 1 - first.missing * (1 - promoted);
  const double near_misses = sectors * tally.near_misses, far_misses = sectors * tally.far_misses, misses = near_misses + far_misses;
  Sectors one;
  one.near_hits = there * near_misses;
  one.far_hits = sectors * tally.far_hits + there * far_misses;
  one.misses = misses * (1 - there);
  one.promoted = misses * promoted;
  found += one;
  totals_.reads[t] += one;
  totals_.fabric_sectors += sectors * tally.far_hits + far_misses;
  const double fetched = misses * first.fetched * sector_bytes_;
  totals_.dram_read[t] += fetched, busy_bytes_ += fetched;
  if (l2_.has_written_back()) write_back();
}

// What L2's near partition does not hold: from the far one, or from DRAM. Returns when it is there.
inline double Memory::fetch(std::uint32_t unit, std::size_t sm, double now, double found, double bytes, const Merging::Group& requests, double early, Tally& tally) {
  bool crossed = false;
  const Found where = l2_.fetch(unit, map_.partition[sm], crossed);
  double data = found + (crossed ? device_.l2_remote_latency_ns : device_.l2_latency_ns);
  bool is_on_its_way = true;
  if (where == Found::miss) {
    (crossed ? tally.far_misses : tally.near_misses) += 1;
    data = std::max(data, now + (dram_server_.serve(found, bytes) + device_.dram_latency_ns - now) * double(waits_[sm]));
    arrives_[unit] = static_cast<float>(data);
  } else {
    tally.far_hits += 1;
    data = std::max(data, double(arrives_[unit]));
    is_on_its_way = double(arrives_[unit]) > now;
  }
  requests.open(unit, now, found - now, is_on_its_way, early);
  return data;
}

// Of a tile that is one unit.
double Memory::load_one(const Run& run, std::uint32_t unit, int sm, double now, Sectors& found) {
  const auto at = static_cast<std::size_t>(sm);
  Sectors& total = totals_.reads[static_cast<std::size_t>(run.tensor)];
  const double sectors = double(run.sectors), bytes = sectors * sector_bytes_, near_ns = device_.l2_latency_ns, arrival = double(arrives_[unit]);
  const auto count = [&](double Sectors::*where) { found.*where += sectors, total.*where += sectors; };
  count(&Sectors::requested);
  if (run.route == trace::Route::registers && l1_.read(at, unit)) {
    count(&Sectors::l1_hits);
    return now;
  }
  const double ready = ports_[at].serve(now, bytes) + near_ns;
  const Merging::Group requests = merging_.of(map_.group[at]);
  if (requests.joins(unit, static_cast<float>(now))) {
    count(&Sectors::merged);
    return std::max(ready, arrival);
  }
  const double served = l2_server_.serve(now, bytes), early = Merging::early(random_.uniform());
  if (l2_.near(map_.partition[at]).holds(unit)) {
    count(&Sectors::near_hits);
    requests.open(unit, now, served - now, arrival > now, early);
    return std::max(ready, std::max(served + near_ns, arrival));  // a line still on its way is a hit that waits
  }
  Tally tally;
  const double data = fetch(unit, at, now, served, bytes, requests, early, tally);
  count_distant(run, sectors, tally, found);
  return std::max(ready, data);
}

// The loop of the model's time: every unit of every load comes here. All units of a tile go one way together, those that stop at a station leave the list: what
// becomes of a unit cannot be foretold, and a branch for each would cost more than all the rest.
Memory::Tally Memory::look_up(const Run& run, const Piece& piece, int sm, double now, double bytes) {
  constexpr std::uint32_t stretch = 128;
  std::uint32_t asked[stretch], open[stretch], away[stretch];
  const auto at = static_cast<std::size_t>(sm);
  const int side = map_.partition[at];
  const Merging::Group requests = merging_.of(map_.group[at]);
  const L2::Near near = l2_.near(side);
  const float* const arrives = arrives_.data();
  const double near_ns = device_.l2_latency_ns, l2_ns = bytes * l2_server_.ns_a_byte;
  const auto clock = static_cast<float>(now);
  Tally tally;
  double ready = now;
  float latest = 0;
  for (std::uint32_t from = 0; from < piece.units; from += stretch) {
    std::uint32_t n = std::min(stretch, piece.units - from), opened = 0, distant = 0;
    const std::uint32_t* units = asked;
    if (footprint_.by_lines) units = footprint_.line_units.data() + piece.first + from;
    else for (std::uint32_t i = 0; i < n; ++i) asked[i] = piece.first + from + i;
    if (run.route == trace::Route::registers) {
      std::uint32_t left = 0;
      for (std::uint32_t i = 0; i < n; ++i)
        if (const std::uint32_t unit = units[i]; !l1_.read(at, unit)) asked[left++] = unit;
      tally.l1_hits += n - left;
      n = left, units = asked;
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t unit = units[i];
      latest = latest > arrives[unit] ? latest : arrives[unit];
      open[opened] = unit, opened += !requests.joins(unit, clock);
    }
    tally.merged += n - opened;
    if (n > 0) ready = std::max(ready, ports_[at].serve(now, bytes * n) + near_ns);
    if (opened == 0) continue;

    const double served = std::max(l2_server_.free_at, now), early = Merging::early(random_.uniform());
    auto until = static_cast<float>(now + (served - now + requests.hit_ns) * early);
    const auto later = static_cast<float>((requests.miss_ns - requests.hit_ns) * early), step = static_cast<float>(l2_ns * early);
    for (std::uint32_t i = 0; i < opened; ++i) {
      const std::uint32_t unit = open[i];
      away[distant] = i, distant += !near.holds(unit);
      until += step;
      requests.open(unit, until + (arrives[unit] > clock ? later : 0));  // a line still on its way is a hit that waits
    }
    ready = std::max(ready, l2_server_.serve(now, bytes * opened) + near_ns);
    tally.near_hits += opened - distant;

    for (std::uint32_t i = 0; i < distant; ++i)
      ready = std::max(ready, fetch(open[away[i]], at, now, served + (away[i] + 1) * l2_ns, bytes, requests, early, tally));
  }
  tally.ready = std::max(ready, double(latest));
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
void Memory::note_dram(double now) {
  const double windows = std::floor((now - busy_until_) / busy_window_ns) + 1;
  busy_ = 0.5 * busy_ + 0.5 * std::min(1.0, busy_bytes_ * dram_server_.ns_a_byte / (windows * busy_window_ns));
  busy_bytes_ = 0, busy_until_ += windows * busy_window_ns;
}

Memory::Totals Memory::totals() const {
  Totals t = totals_;
  t.raw_lookups = t.fabric_sectors;
  for (const Sectors& s : t.reads) t.raw_lookups += s.tex(), t.raw_hits += s.near_hits + s.far_hits + s.promoted;
  for (const float bytes : dirty_bytes_) t.dirty_bytes_left += double(bytes);
  for (const std::uint8_t parts : written_) t.dirty_bytes_left += footprint_.unit_bytes / 4 * std::popcount(parts & 15u);
  return t;
}

}  // namespace tl::machine
