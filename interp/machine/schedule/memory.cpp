#include "interp/machine/schedule/memory.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tl::machine {

namespace {

L2::Shape shape_of(const Device& d, const Footprint& f, std::uint64_t seed) {
  const double units = static_cast<double>(d.l2_bytes) * d.l2_usable / f.unit_bytes;
  return {static_cast<std::int64_t>(units),
          static_cast<int>(d.l2_partitions),
          static_cast<int>(d.l2_ways),
          d.l2_policy,
          static_cast<std::int64_t>(static_cast<double>(d.l2_dirty_bytes) / f.unit_bytes),
          seed,
          f.unit_count};
}

constexpr double busy_window_ns = 50e3;

// How long L2 takes to add to a sector of `lines` that all add to: those of one line wait for each other, a few lines
// hardly add side by side, and floats that are added to one sector wait three times as long as integers
// (calibration/atomics.cu).
double addition_ns(const Device& d, double lines, bool is_float) {
  if (lines <= 0) return 0;
  const double side_by_side = std::max(1.0, 0.45 * std::pow(lines, 0.75));
  return std::max(d.atomic_ns, d.atomic_line_ns * (is_float ? 1 + 1.9 / std::max(1.0, 4 * lines) : 1) / side_by_side);
}

double later(double a, double b) { return a > b ? a : b; }

// Half of the SM's memory: the rest is shared memory, or held by lines on their way.
std::size_t l1_units(const Device& d, const Footprint& f) {
  return static_cast<std::size_t>(static_cast<double>(d.l1_bytes) / 2 / f.unit_bytes);
}

bool is_by_tma(const Footprint& f) {
  return std::ranges::any_of(f.runs, [](const Run& r) { return r.route == trace::Route::descriptor; });
}

}  // namespace

Memory::Memory(const Device& device, const SmMap& map, const Footprint& footprint, const ScheduleOptions& options)
    : device_(device),
      map_(map),
      footprint_(footprint),
      l2_(shape_of(device, footprint, options.seed)),
      merging_(device, map.groups, footprint.by_lines),
      sector_bytes_(static_cast<double>(device.sector_bytes)),
      near_ns_(device.l2_latency_ns),
      is_by_tma_(is_by_tma(footprint)),
      sm_gb_per_s_(is_by_tma_ && device.tma_sm_gb_per_s > 0 ? device.tma_sm_gb_per_s : device.sm_gb_per_s),
      random_(options.seed + 1),
      l1_(static_cast<std::size_t>(device.sms), l1_units(device, footprint)) {
  l2_server_.ns_a_byte = 1 / device.l2_gb_per_s;
  dram_server_.ns_a_byte = 1 / (device.dram_gb_per_s * device.dram_reachable);
  for (std::size_t t = 0; t < footprint.added_lines.size(); ++t)
    addition_ns_.push_back(addition_ns(device, footprint.added_lines[t], footprint.adds_floats[t]));
  arrives_.assign(footprint.unit_count, 0);
  if (footprint.in_quarters) there_.assign(footprint.unit_count, 0), written_.assign(footprint.unit_count, 0);
  else dirty_bytes_.assign(footprint.unit_count, 0);
  for (std::size_t sm = 0; sm < static_cast<std::size_t>(device.sms); ++sm) {
    const double half = !is_by_tma_ || device.l2_partitions < 2 ? 0
                        : map.partition[sm] == map.late_half    ? device.dram_half_spread
                                                                : -device.dram_half_spread;
    ports_.push_back({{1 / sm_gb_per_s_, 0},
                      static_cast<float>(map.turn[sm] * (1 + half)),
                      std::min(map.partition[sm], static_cast<int>(device.l2_partitions) - 1),
                      merging_.of(map.group[sm])});
  }
  busy_until_ = busy_window_ns;
  totals_.reads.resize(footprint.tensor_tiles.size());
  totals_.written.assign(footprint.tensor_tiles.size(), 0);
  totals_.dram_read.assign(footprint.tensor_tiles.size(), 0);
  totals_.dram_write.assign(footprint.tensor_tiles.size(), 0);
}

void Memory::count(const Run& run, Tally& tally, Sectors& found) {
  const auto t = static_cast<std::size_t>(run.tensor);
  const std::uint64_t units = std::uint64_t{tally.l1_hits} + tally.merged + tally.near_hits + tally.far_hits +
                              tally.near_misses + tally.far_misses;
  const double sectors = double(run.sectors) / footprint_.pieces[run.first_piece].units,
               near_misses = sectors * tally.near_misses, far_misses = sectors * tally.far_misses;
  // A tensor map asks L2 for 256 bytes at a miss: a quarter of DRAM's sectors are there when they are looked up, and as
  // many lookups come on top of the requested ones (calibration/promotion.cu).
  const FirstRead& first = footprint_.first_reads[t];
  const double promoted = run.route == trace::Route::descriptor ? device_.tma_promoted : 0,
               there = 1 - first.missing * (1 - promoted);
  Sectors s;
  s.requested = sectors * static_cast<double>(units);
  s.l1_hits = sectors * tally.l1_hits;
  s.merged = sectors * tally.merged;
  s.near_hits = sectors * tally.near_hits + there * near_misses;
  s.far_hits = sectors * tally.far_hits + there * far_misses;
  s.misses = (near_misses + far_misses) * (1 - there);
  s.promoted = (near_misses + far_misses) * promoted;
  found += s, totals_.reads[t] += s;
  totals_.fabric_sectors += sectors * tally.far_hits + far_misses;
  totals_.dram_read[t] += (near_misses + far_misses) * first.fetched * sector_bytes_;
  totals_.unit_accesses += static_cast<std::int64_t>(units);
  tally = {};
}

// What L2's near partition does not hold: from the far one, or from DRAM. Returns when it is there.
inline double Memory::fetch(std::uint32_t unit, const Port& port, double now, double found, double bytes, double early,
                            Tally& tally) {
  bool crossed = false;
  const Found where = l2_.fetch(unit, port.side, crossed);
  double data = found + (crossed ? device_.l2_remote_latency_ns : device_.l2_latency_ns);
  bool is_on_its_way = true;
  if (where == Found::miss) {
    (crossed ? tally.far_misses : tally.near_misses) += 1;
    const double taken = dram_server_.serve(found, bytes);
    data = std::max(data, found + (taken - found) * double(port.turn) + device_.dram_latency_ns);
    arrives_[unit] = static_cast<float>(data);
  } else {
    tally.far_hits += 1;
    data = std::max(data, double(arrives_[unit]));
    is_on_its_way = double(arrives_[unit]) > now;
  }
  port.requests.open(unit, now, found - now, is_on_its_way, early);
  return data;
}

// Of a tile that is one unit and not in L1: the loop of the model's time where tiles do not overlap in part. No branch
// on what nothing foretells, and the one call at the end, so that all stays in registers.
double Memory::load_one(const Run& run, std::uint32_t unit, int sm, double now, Tally& tally) {
  Port& port = ports_[static_cast<std::size_t>(sm)];
  const double bytes = double(run.sectors) * sector_bytes_, near_ns = near_ns_, arrival = double(arrives_[unit]);
  const double ready = port.server.serve(now, bytes) + near_ns, arrived = later(ready, arrival);
  const Merging::Group::Place request = port.requests.place_of(unit);
  if (request.joins(static_cast<float>(now), port.requests.limit)) {
    ++tally.merged;
    return arrived;
  }
  const double served = l2_server_.serve(now, bytes), early = Merging::early(random_.uniform());
  if (!l2_.holds_before_late(unit, port.side)) return load_distant(run, unit, port, now, ready, served, early, tally);
  ++tally.near_hits;
  request.open(port.requests.until(now, served - now, arrival > now, early));
  return later(arrived, served + near_ns);  // a line still on its way is a hit that waits
}

double Memory::load_distant(const Run& run, std::uint32_t unit, Port& port, double now, double ready, double served,
                            double early, Tally& tally) {
  const double bytes = double(run.sectors) * sector_bytes_;
  const std::uint32_t hits = tally.far_hits;
  ready = later(ready, fetch(unit, port, now, served, bytes, early, tally));
  if (tally.far_hits == hits)
    busy_bytes_ += bytes * footprint_.first_reads[static_cast<std::size_t>(run.tensor)].fetched;
  if (l2_.has_written_back()) write_back();
  return ready;
}

// The loop of the model's time where L2 is followed by lines. All units of a tile go one way together, neighbours at
// once, and those that stop at a station leave the list: what becomes of a unit cannot be foretold, and a branch for
// each would cost more than all the rest.
double Memory::load_several(const Run& run, const Piece& piece, int sm, double now, Tally& tally) {
  constexpr std::uint32_t stretch = Merging::most_neighbours;
  Neighbours asked[stretch], open[stretch];
  struct Away {
    std::uint32_t unit, place;
  } away[stretch];  // place: in the queue of L2
  Port& port = ports_[static_cast<std::size_t>(sm)];
  const double bytes = double(run.sectors) / piece.units * sector_bytes_, near_ns = near_ns_,
               l2_ns = bytes * l2_server_.ns_a_byte;
  const auto clock = static_cast<float>(now);
  const std::uint32_t missed = tally.near_misses + tally.far_misses;
  double ready = now;
  std::int32_t latest =
      0;  // times are not negative: ordered like their bits, of which a processor compares several at once
  for (std::uint32_t from = 0; from < piece.units; from += stretch) {
    std::uint32_t units = std::min(stretch, piece.units - from), stretches = 1, openings = 0, opened = 0, distant = 0;
    asked[0] = {piece.first + from, units};
    if (piece.is_scattered || run.route == trace::Route::registers)
      units = not_in_l1(run, piece, from, units, sm, asked, stretches, tally);
    for (std::uint32_t s = 0; s < stretches; ++s) {
      const float* const arrives = &arrives_[asked[s].first];
      for (std::uint32_t i = 0; i < asked[s].units; ++i) {
        const auto bits = std::bit_cast<std::int32_t>(arrives[i]);
        latest = latest > bits ? latest : bits;
      }
      port.requests.join(asked[s], clock, [&](Neighbours those) { open[openings++] = those, opened += those.units; });
    }
    tally.merged += units - opened;
    if (units > 0) ready = std::max(ready, port.server.serve(now, bytes * units) + near_ns);
    if (opened == 0) continue;

    const double served = std::max(l2_server_.free_at, now), early = Merging::early(random_.uniform());
    auto until = static_cast<float>(now + (served - now + port.requests.ns[0]) * early);
    const auto more = static_cast<float>((port.requests.ns[1] - port.requests.ns[0]) * early),
               step = static_cast<float>(l2_ns * early);
    std::uint32_t place = 0;
    for (std::uint32_t s = 0; s < openings; ++s) {
      l2_.hold(open[s], port.side, [&](std::uint32_t i) {
        away[distant++] = {open[s].first + i, place + i};
        l2_.prefetch_distant(open[s].first + i);
      });
      until = port.requests.open(open[s], until, step, more, clock,
                                 &arrives_[open[s].first]);  // a line still on its way is a hit that waits
      place += open[s].units;
    }
    ready = std::max(ready, l2_server_.serve(now, bytes * opened) + near_ns);
    tally.near_hits += opened - distant;
    for (std::uint32_t i = 0; i < distant; ++i)
      ready =
          std::max(ready, fetch(away[i].unit, port, now, served + (away[i].place + 1) * l2_ns, bytes, early, tally));
  }
  busy_bytes_ += (tally.near_misses + tally.far_misses - missed) * bytes *
                 footprint_.first_reads[static_cast<std::size_t>(run.tensor)].fetched;
  if (l2_.has_written_back()) write_back();
  return std::max(ready, double(std::bit_cast<float>(latest)));
}

// Of `units` of a tile from the one numbered `from` on those that L1 does not hold, neighbours together; returns their
// number.
std::uint32_t Memory::not_in_l1(const Run& run, const Piece& piece, std::uint32_t from, std::uint32_t units, int sm,
                                Neighbours* asked, std::uint32_t& stretches, Tally& tally) {
  std::uint32_t left = 0;
  stretches = 0;
  for (std::uint32_t i = from; i < from + units; ++i) {
    const std::uint32_t unit = unit_of(piece, i);
    if (run.route == trace::Route::registers && l1_.read(static_cast<std::size_t>(sm), unit)) continue;
    ++left;
    if (stretches > 0 && asked[stretches - 1].first + asked[stretches - 1].units == unit) ++asked[stretches - 1].units;
    else asked[stretches++] = {unit, 1};
  }
  tally.l1_hits += units - left;
  return left;
}

void Memory::prefetch_scattered(const Piece& piece, int sm) const {
  const Port& port = ports_[static_cast<std::size_t>(sm)];
  for (std::uint32_t i = 0; i < piece.units; i += 8) {  // neighbours stand side by side
    const std::uint32_t unit = unit_of(piece, i);
    __builtin_prefetch(&arrives_[unit], 1), l2_.prefetch({unit, 1}, port.side), port.requests.prefetch({unit, 1});
  }
}

void Memory::store(const Run& run, const Piece& piece, int sm, double now) {
  totals_.written[static_cast<std::size_t>(run.tensor)] += double(run.bytes);
  totals_.unit_accesses += piece.units;
  if (run.additions > 0)
    adder_.free_at =
        std::max(adder_.free_at, now) + double(run.additions) * addition_ns_[static_cast<std::size_t>(run.tensor)];
  if (footprint_.in_quarters) store_lines(run, piece, sm, now);
  else {
    const auto t = static_cast<std::size_t>(run.tensor);
    const double bytes = double(run.sectors) / piece.units * static_cast<double>(device_.sector_bytes);
    for (std::uint32_t i = 0; i < piece.units; ++i) {
      const std::uint32_t unit = unit_of(piece, i);
      l2_server_.serve(now, bytes);
      const bool was_there = l2_.write(unit, ports_[static_cast<std::size_t>(sm)].side);
      if (run.kind == trace::AccessKind::atomic && !was_there)
        totals_.dram_read[t] += bytes, dram_server_.serve(now, bytes);
      dirty_bytes_[unit] = std::max(dirty_bytes_[unit], static_cast<float>(bytes * footprint_.stored_once[t]));
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
      filled = quarter *
               std::popcount(touched & ~whole &
                             ~unsigned{there_[unit]});  // a sector written in part is read before it is written back
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
  ++busy_windows_;
  if (!is_by_tma_) return;
  slower_ = 1 / (1 - device_.power_dram_share * busy_);
  for (Port& p : ports_) p.server.ns_a_byte = slower_ / sm_gb_per_s_;
}

Memory::Totals Memory::totals() const {
  Totals t = totals_;
  t.raw_lookups = t.fabric_sectors;
  for (const Sectors& s : t.reads) t.raw_lookups += s.tex(), t.raw_hits += s.near_hits + s.far_hits + s.promoted;
  for (const float bytes : dirty_bytes_) t.dirty_bytes_left += double(bytes);
  for (const std::uint8_t parts : written_)
    t.dirty_bytes_left += footprint_.unit_bytes / 4 * std::popcount(parts & 15u);
  return t;
}

}  // namespace tl::machine
