#include "interp/machine/memory.h"

#include <algorithm>
#include <cmath>

namespace tl::machine {

namespace {

L2::Shape shape_of(const Device& d, const Footprint& f, std::uint64_t seed) {
  const double units = static_cast<double>(d.l2_bytes) * d.l2_usable / f.unit_bytes;
  return {static_cast<std::int64_t>(units), static_cast<int>(d.l2_partitions), static_cast<int>(d.l2_ways), d.l2_policy,
          static_cast<std::int64_t>(static_cast<double>(d.l2_dirty_bytes) / f.unit_bytes), seed};
}

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
  totals_.dram_read.assign(footprint.tensor_tiles.size(), 0);
  totals_.dram_write.assign(footprint.tensor_tiles.size(), 0);
}

double Memory::load(const Run& run, const Piece& piece, int sm, double now, Sectors& found) {
  const double sectors = piece.units == 1 ? double(run.sectors) : double(run.sectors) / piece.units, bytes = sectors * static_cast<double>(device_.sector_bytes);
  // A tensor map asks L2 for 256 bytes at a miss: a quarter of DRAM's sectors are there when they are looked up, and as many lookups come on
  // top of the requested ones (calibration/promotion.cu).
  const double promoted = run.route == trace::Route::descriptor ? device_.tma_promoted : 0;
  double ready = now;
  for (std::uint32_t i = 0; i < piece.units; ++i) {
    const std::uint32_t unit = unit_of(piece, i);
    found.requested += sectors;
    ++totals_.unit_accesses;
    if (run.route == trace::Route::registers && l1_.read(static_cast<std::size_t>(sm), unit)) {
      found.l1_hits += sectors;
      continue;
    }
    const double data = from_l2(unit, sm, now, sectors, promoted, found);
    ready = std::max(ready, std::max(data, ports_[static_cast<std::size_t>(sm)].serve(now, bytes) + device_.l2_latency_ns));
  }
  if (l2_.has_written_back()) write_back();
  return ready;
}

double Memory::from_l2(std::uint32_t unit, int sm, double now, double sectors, double promoted, Sectors& found) {
  const int group = map_.group[static_cast<std::size_t>(sm)];
  const double joined = merging_.join(group, unit, now, random_.uniform());
  if (joined >= 0) {
    found.merged += sectors;
    return joined;
  }
  const double bytes = sectors * static_cast<double>(device_.sector_bytes);
  bool crossed = false;
  const Found where = l2_.read(unit, map_.partition[static_cast<std::size_t>(sm)], crossed);
  totals_.raw_lookups += sectors * (crossed ? 2 : 1);
  if (crossed) totals_.fabric_sectors += sectors;
  const double served = l2_server_.serve(now, bytes);
  double ready = served + (crossed ? device_.l2_remote_latency_ns : device_.l2_latency_ns);
  if (where == Found::miss) {
    found.misses += sectors * (1 - promoted), (crossed ? found.far_hits : found.near_hits) += sectors * promoted;
    found.promoted += sectors * promoted;
    totals_.raw_lookups += sectors * promoted, totals_.raw_hits += 2 * sectors * promoted;
    totals_.dram_read[static_cast<std::size_t>(footprint_.unit_tensor[unit])] += bytes;
    ready = std::max(ready, dram_server_.serve(served, bytes) + device_.dram_latency_ns);
    arrives_[unit] = static_cast<float>(ready);
  } else {
    (where == Found::near ? found.near_hits : found.far_hits) += sectors;
    totals_.raw_hits += sectors;
    ready = std::max(ready, double(arrives_[unit]));  // a line still on its way is a hit that waits
  }
  merging_.open(group, unit, now, served - now, ready, where == Found::miss || double(arrives_[unit]) > now);
  return ready;
}

void Memory::store(const Run& run, const Piece& piece, int sm, double now) {
  const double bytes = double(run.sectors) / piece.units * static_cast<double>(device_.sector_bytes);
  for (std::uint32_t i = 0; i < piece.units; ++i) {
    ++totals_.unit_accesses;
    l2_server_.serve(now, bytes);
    l2_.write(unit_of(piece, i), map_.partition[static_cast<std::size_t>(sm)]);
  }
  if (l2_.has_written_back()) write_back();
}

void Memory::write_back() {
  l2_.take_written_back([&](std::uint32_t unit) {
    totals_.dram_write[static_cast<std::size_t>(footprint_.unit_tensor[unit])] += footprint_.unit_bytes;
    dram_server_.free_at += footprint_.unit_bytes * dram_server_.ns_a_byte;
  });
}

Memory::Totals Memory::totals() const {
  Totals t = totals_;
  t.dirty_bytes_left = static_cast<double>(l2_.dirty_units()) * footprint_.unit_bytes;
  return t;
}

}  // namespace tl::machine
