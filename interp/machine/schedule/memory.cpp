// What memory is when a launch begins, and what it counts. Loads and stores have files of their own.
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
// for each other, a few lines hardly run side by side, and floats wait longer than integers (probes/atomics.cu).
double addition_ns(const Device& d, double lines, bool is_float) {
  if (lines <= 0) return 0;
  const double side_by_side = std::max(1.0, d.atomic_side_by_side * std::pow(lines, d.atomic_line_power));
  return std::max(
      d.atomic_ns,
      d.atomic_line_ns * (is_float ? 1 + d.atomic_float_longer / std::max(1.0, 4 * lines) : 1) / side_by_side);
}

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
  if (footprint.in_quarters) {
    valid_.assign(footprint.unit_count, 0);
    written_.assign(footprint.unit_count, 0);
  } else dirty_bytes_.assign(footprint.unit_count, 0);
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

void Memory::count(const TileRun& run, Tally& tally, Sectors& found) {
  const auto t = static_cast<std::size_t>(run.tensor);
  const std::uint64_t units = std::uint64_t{tally.l1_hits} + tally.merged + tally.near_hits + tally.far_hits +
                              tally.near_misses + tally.far_misses;
  const double sectors = double(run.sectors) / footprint_.pieces[run.first_piece].units,
               near_misses = sectors * tally.near_misses, far_misses = sectors * tally.far_misses;
  // A tensor map asks L2 for 256 bytes at a miss, so that some of DRAM's sectors are there when they are looked up; as
  // many lookups come on top of the requested ones (probes/promotion.cu).
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
  found += s;
  totals_.reads[t] += s;
  totals_.fabric_sectors += sectors * tally.far_hits + far_misses;
  totals_.dram_read[t] += (near_misses + far_misses) * first.fetched * sector_bytes_;
  totals_.unit_accesses += static_cast<std::int64_t>(units);
  tally = {};
}

// DRAM's load, window by window.
void Memory::update_dram_load(double now) {
  const double window_ns = device_.dram_load_window_ns, weight = device_.dram_load_weight,
               windows = std::floor((now - window_end_) / window_ns) + 1;
  dram_load_ = (1 - weight) * dram_load_ +
               weight * std::min(1.0, window_bytes_ * dram_server_.ns_a_byte / (windows * window_ns));
  window_bytes_ = 0;
  window_end_ += windows * window_ns;
  ++load_windows_;
  if (!is_by_tma_) return;
  slowdown_ = 1 / (1 - device_.power_dram_share * dram_load_);
  for (Port& p : ports_) p.server.ns_a_byte = slowdown_ / sm_gb_per_s_;
}

Memory::Totals Memory::totals() const {
  Totals t = totals_;
  t.raw_lookups = t.fabric_sectors;
  for (const Sectors& s : t.reads) {
    t.raw_lookups += s.tex();
    t.raw_hits += s.near_hits + s.far_hits + s.promoted;
  }
  for (const float bytes : dirty_bytes_) t.dirty_bytes_left += double(bytes);
  for (const std::uint8_t parts : written_)
    t.dirty_bytes_left += footprint_.unit_bytes / 4 * std::popcount(parts & 15u);
  return t;
}

}  // namespace tl::machine
