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

// How long L2 takes for one addition to a sector, where all programs add to these `lines`. Additions to one line wait
// for each other, a few lines hardly run side by side, and floats wait longer than integers (calibration/atomics.cu).
double addition_ns(const Device& d, double lines, bool is_float) {
  if (lines <= 0) return 0;
  const double side_by_side = std::max(1.0, d.atomic_side_by_side * std::pow(lines, d.atomic_line_power));
  return std::max(
      d.atomic_ns,
      d.atomic_line_ns * (is_float ? 1 + d.atomic_float_longer / std::max(1.0, 4 * lines) : 1) / side_by_side);
}

double later(double a, double b) { return a > b ? a : b; }

// The rest of the SM's memory is shared memory, or held by lines on their way.
std::size_t l1_units(const Device& d, const Footprint& f) {
  return static_cast<std::size_t>(static_cast<double>(d.l1_bytes) * d.l1_share / f.unit_bytes);
}

bool is_by_tma(const Footprint& f) {
  return std::ranges::any_of(f.runs, [](const TileRun& r) { return r.route == trace::Route::descriptor; });
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
      l1_(static_cast<std::size_t>(device.sms), l1_units(device, footprint), static_cast<std::size_t>(device.l1_ways)) {
  l2_server_.ns_a_byte = 1 / device.l2_gb_per_s;
  dram_server_.ns_a_byte = 1 / (device.dram_gb_per_s * device.dram_reachable);
  for (std::size_t t = 0; t < footprint.added_lines.size(); ++t)
    addition_ns_.push_back(addition_ns(device, footprint.added_lines[t], footprint.adds_floats[t]));
  arrives_.assign(footprint.unit_count, 0);
  if (footprint.in_quarters) valid_.assign(footprint.unit_count, 0), written_.assign(footprint.unit_count, 0);
  else dirty_bytes_.assign(footprint.unit_count, 0);
  for (std::size_t sm = 0; sm < static_cast<std::size_t>(device.sms); ++sm) {
    const double half = !is_by_tma_ || device.l2_partitions < 2 ? 0
                        : map.partition[sm] == map.slow_half    ? device.dram_half_spread
                                                                : -device.dram_half_spread;
    ports_.push_back({{1 / sm_gb_per_s_, 0},
                      static_cast<float>(map.queue_share[sm] * (1 + half)),
                      std::min(map.partition[sm], static_cast<int>(device.l2_partitions) - 1),
                      merging_.of(map.group[sm])});
  }
  window_end_ = device.dram_load_window_ns;
  totals_.reads.resize(footprint.tensor_tiles.size());
  totals_.written.assign(footprint.tensor_tiles.size(), 0);
  totals_.dram_read.assign(footprint.tensor_tiles.size(), 0);
  totals_.dram_write.assign(footprint.tensor_tiles.size(), 0);
  if (options.l2_before == L2Before::warm) warm_up();
  if (options.l2_before != L2Before::dirty) return;
  others_bytes_ = static_cast<double>(device.l2_bytes) * device.l2_usable;
  dirty_bytes_limit_ = device.l2_dirty_bytes > 0 ? static_cast<double>(device.l2_dirty_bytes) : others_bytes_;
  others_dirty_ = std::min(static_cast<double>(device.flushed_dirty_bytes), others_bytes_);
}

// As the same launch leaves it: each side's copy, the later tensors last.
void Memory::warm_up() {
  bool crossed = false;
  for (std::uint32_t unit = 0; unit < footprint_.unit_count; ++unit)
    for (int side = 0; side < static_cast<int>(device_.l2_partitions); ++side) l2_.read(unit, side, crossed);
  std::ranges::fill(valid_, 15);
}

// Of what L2 held before, the lines that new ones replace are as often dirty as all of it.
void Memory::displace_others(double bytes) {
  if (others_bytes_ <= 0) return;
  const double dirty = others_dirty_ * std::min(1.0, bytes / others_bytes_);
  others_bytes_ -= bytes, others_dirty_ -= dirty, totals_.others_written += dirty;
  dram_server_.free_at += dirty * dram_server_.ns_a_byte;
}
// They are older than what the launch writes: where more is dirty than L2 keeps they go first.
void Memory::clean_others() {
  if (others_dirty_ <= 0) return;
  const double more =
                   static_cast<double>(l2_.dirty_units()) * footprint_.unit_bytes + others_dirty_ - dirty_bytes_limit_,
               dirty = std::clamp(more, 0.0, others_dirty_);
  others_dirty_ -= dirty, totals_.others_written += dirty;
  dram_server_.free_at += dirty * dram_server_.ns_a_byte;
}

void Memory::count(const TileRun& run, Tally& tally, Sectors& found) {
  const auto t = static_cast<std::size_t>(run.tensor);
  const std::uint64_t units = std::uint64_t{tally.l1_hits} + tally.merged + tally.near_hits + tally.far_hits +
                              tally.near_misses + tally.far_misses;
  const double sectors = double(run.sectors) / footprint_.pieces[run.first_piece].units,
               near_misses = sectors * tally.near_misses, far_misses = sectors * tally.far_misses;
  // A tensor map asks L2 for 256 bytes at a miss, so that some of DRAM's sectors are there when they are looked up; as
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
inline double Memory::fetch(std::uint32_t unit, const Port& port, double now, double found, double bytes, double share,
                            Tally& tally) {
  bool crossed = false;
  const Found where = l2_.fetch(unit, port.side, crossed);
  double data = found + (crossed ? device_.l2_remote_latency_ns : device_.l2_latency_ns);
  bool is_on_its_way = true;
  if (where == Found::miss) {
    (crossed ? tally.far_misses : tally.near_misses) += 1;
    const double taken = dram_server_.serve(found, bytes);
    data = std::max(data, found + (taken - found) * double(port.queue_share) + device_.dram_latency_ns);
    arrives_[unit] = static_cast<float>(data);
    displace_others(crossed ? 2 * footprint_.unit_bytes : footprint_.unit_bytes);
  } else {
    tally.far_hits += 1;
    data = std::max(data, double(arrives_[unit]));
    is_on_its_way = double(arrives_[unit]) > now;
  }
  port.requests.open(unit, now, found - now, is_on_its_way, share);
  return data;
}

// Of a tile that is one unit and not in L1. Most of the simulation's time is spent here where tiles coincide or are
// disjoint: no branch that a processor cannot predict, and the only call at the end, so that all stays in registers.
double Memory::load_one(const TileRun& run, std::uint32_t unit, int sm, double now, Tally& tally) {
  Port& port = ports_[sm];
  const double bytes = double(run.sectors) * sector_bytes_, near_ns = near_ns_, arrival = double(arrives_[unit]);
  const double ready = port.server.serve(now, bytes) + near_ns, arrived = later(ready, arrival);
  const Merging::Group::Pending request = port.requests.pending(unit);
  if (!run.is_unaligned && request.joins(static_cast<float>(now), port.requests.limit)) {
    ++tally.merged;
    return arrived;
  }
  const double served = l2_server_.serve(now, double(run.served_bytes)),
               share = merging_.window_share(random_.uniform());
  if (!l2_.holds_unchecked(unit, port.side)) return load_distant(run, unit, port, now, ready, served, share, tally);
  ++tally.near_hits;
  request.open(port.requests.deadline(now, served - now, arrival > now, share));
  return later(arrived, served + near_ns);  // a line still on its way is a hit that waits
}

double Memory::load_distant(const TileRun& run, std::uint32_t unit, Port& port, double now, double ready, double served,
                            double share, Tally& tally) {
  const double bytes = double(run.sectors) * sector_bytes_;
  const std::uint32_t hits = tally.far_hits;
  ready = later(ready, fetch(unit, port, now, served, bytes, share, tally));
  if (tally.far_hits == hits) window_bytes_ += bytes * footprint_.first_reads[run.tensor].fetched;
  if (l2_.has_written_back()) write_back();
  return ready;
}

// Most of the simulation's time is spent here where L2 is followed line by line. All units of a tile pass one station
// after the other (L1, the request coalescer, L2, DRAM), neighbours together, and those found there leave the list: a
// branch for each unit could not be predicted and would cost more than all the rest.
double Memory::load_several(const TileRun& run, const Piece& piece, int sm, double now, Tally& tally) {
  constexpr std::uint32_t stretch = Merging::most_neighbours;
  Neighbours asked[stretch], open[stretch];
  struct Absent {
    std::uint32_t unit, place;
  } absent[stretch];  // place: in the queue of L2
  Port& port = ports_[sm];
  const double bytes = double(run.sectors) / piece.units * sector_bytes_, near_ns = near_ns_,
               l2_bytes = double(run.served_bytes) / piece.units, l2_ns = l2_bytes * l2_server_.ns_a_byte;
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
      const auto found_open = [&](Neighbours those) { open[openings++] = those, opened += those.units; };
      if (run.is_unaligned) found_open(asked[s]);
      else port.requests.join(asked[s], clock, found_open);
    }
    tally.merged += units - opened;
    if (units > 0) ready = std::max(ready, port.server.serve(now, bytes * units) + near_ns);
    if (opened == 0) continue;

    const double served = std::max(l2_server_.free_at, now), share = merging_.window_share(random_.uniform());
    auto until = static_cast<float>(now + (served - now + port.requests.ns[0]) * share);
    const auto more = static_cast<float>((port.requests.ns[1] - port.requests.ns[0]) * share),
               step = static_cast<float>(l2_ns * share);
    std::uint32_t place = 0;
    for (std::uint32_t s = 0; s < openings; ++s) {
      l2_.find_missing(open[s], port.side, [&](std::uint32_t i) {
        absent[distant++] = {open[s].first + i, place + i};
        l2_.prefetch_distant(open[s].first + i);
      });
      until = port.requests.open(open[s], until, step, more, clock,
                                 &arrives_[open[s].first]);  // a line still on its way is a hit that waits
      place += open[s].units;
    }
    ready = std::max(ready, l2_server_.serve(now, l2_bytes * opened) + near_ns);
    tally.near_hits += opened - distant;
    for (std::uint32_t i = 0; i < distant; ++i)
      ready = std::max(ready,
                       fetch(absent[i].unit, port, now, served + (absent[i].place + 1) * l2_ns, bytes, share, tally));
  }
  window_bytes_ += (tally.near_misses + tally.far_misses - missed) * bytes * footprint_.first_reads[run.tensor].fetched;
  if (l2_.has_written_back()) write_back();
  return std::max(ready, double(std::bit_cast<float>(latest)));
}

// Lists those of a tile's units [from, from + units) that L1 does not hold, neighbours together; returns their number.
std::uint32_t Memory::not_in_l1(const TileRun& run, const Piece& piece, std::uint32_t from, std::uint32_t units, int sm,
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
  const Port& port = ports_[sm];
  for (std::uint32_t i = 0; i < piece.units; i += 8) {  // neighbours stand side by side
    const std::uint32_t unit = unit_of(piece, i);
    __builtin_prefetch(&arrives_[unit], 1), l2_.prefetch({unit, 1}, port.side), port.requests.prefetch({unit, 1});
  }
}

void Memory::store(const TileRun& run, const Piece& piece, int sm, double now) {
  totals_.written[run.tensor] += double(run.bytes);
  totals_.unit_accesses += piece.units;
  if (run.additions > 0)
    adder_.free_at = std::max(adder_.free_at, now) + double(run.additions) * addition_ns_[run.tensor];
  if (footprint_.in_quarters) store_lines(run, piece, sm, now);
  else {
    const auto t = static_cast<std::size_t>(run.tensor);
    const double bytes = double(run.sectors) / piece.units * static_cast<double>(device_.sector_bytes);
    for (std::uint32_t i = 0; i < piece.units; ++i) {
      const std::uint32_t unit = unit_of(piece, i);
      l2_server_.serve(now, bytes);
      const bool was_there = l2_.write(unit, ports_[sm].side);
      if (run.kind == trace::AccessKind::atomic && !was_there)
        totals_.dram_read[t] += bytes, dram_server_.serve(now, bytes);
      dirty_bytes_[unit] = std::max(dirty_bytes_[unit], static_cast<float>(bytes * footprint_.stored_once[t]));
    }
  }
  if (others_bytes_ > 0) displace_others(static_cast<double>(piece.units) * footprint_.unit_bytes), clean_others();
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
                             ~unsigned{valid_[unit]});  // a sector written in part is read before it is written back
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
void Memory::update_dram_load(double now) {
  const double window_ns = device_.dram_load_window_ns, weight = device_.dram_load_weight,
               windows = std::floor((now - window_end_) / window_ns) + 1;
  dram_load_ = (1 - weight) * dram_load_ +
               weight * std::min(1.0, window_bytes_ * dram_server_.ns_a_byte / (windows * window_ns));
  window_bytes_ = 0, window_end_ += windows * window_ns;
  ++load_windows_;
  if (!is_by_tma_) return;
  slowdown_ = 1 / (1 - device_.power_dram_share * dram_load_);
  for (Port& p : ports_) p.server.ns_a_byte = slowdown_ / sm_gb_per_s_;
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
