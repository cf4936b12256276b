#include "interp/machine/limits/occupancy.h"

#include <algorithm>

namespace tl::machine {

namespace {

constexpr std::int64_t warp_lanes = 32;
constexpr const char *fewer_warps = "fewer warps", *smaller_tiles = "smaller blocks";

std::int64_t round_up(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

std::string exceeds(const std::string& what, std::int64_t used, std::int64_t allowed) {
  return "a CTA takes " + std::to_string(used) + " " + what + ", the device allows " + std::to_string(allowed);
}

}  // namespace

Occupancy occupancy_of(const CtaResources& cta, const Device& d) {
  Occupancy o;
  o.max_warps = d.threads_per_sm / warp_lanes;
  const std::int64_t warps = (cta.threads + warp_lanes - 1) / warp_lanes;
  const std::int64_t registers_of_warp = round_up(cta.registers_per_thread * warp_lanes, d.register_unit);
  const std::int64_t shared = round_up(cta.shared_bytes + d.shared_reserved_bytes, d.shared_unit_bytes);

  const std::int64_t sub_partitions = d.sub_partitions;

  const auto none = [&](std::string why, const char* fix) {
    o.why_none = std::move(why);
    o.fix = fix;
  };
  if (cta.threads < 1 || cta.threads > d.threads_per_cta)
    none(exceeds("threads", cta.threads, d.threads_per_cta), fewer_warps);
  else if (cta.registers_per_thread > d.registers_per_thread)
    none(exceeds("registers a thread", cta.registers_per_thread, d.registers_per_thread),
         "smaller blocks, or more warps to share them");
  // The hardware checks as if every sub-partition took the same number of warps.
  else if (registers_of_warp * round_up(warps, sub_partitions) > d.registers_per_sm)
    none(exceeds("registers", registers_of_warp * round_up(warps, sub_partitions), d.registers_per_sm) +
             (warps % sub_partitions
                  ? "; its " + std::to_string(warps) + " warps count as " +
                        std::to_string(round_up(warps, sub_partitions)) + ", as many on each quarter of the SM"
                  : ""),
         "smaller blocks, or fewer warps");
  else if (cta.shared_bytes > d.shared_bytes_per_cta)
    none(exceeds("bytes of shared memory", cta.shared_bytes, d.shared_bytes_per_cta), smaller_tiles);

  const auto limit = [&](const char* resource, std::int64_t ctas, std::int64_t used, std::int64_t available,
                         const char* unit) { o.limits.push_back({resource, ctas, used, available, unit}); };
  const std::int64_t warps_by_registers =
      registers_of_warp ? sub_partitions * (d.registers_per_sm / sub_partitions / registers_of_warp) : unlimited_ctas;
  const auto share = [&](std::int64_t available, std::int64_t used) {
    return used > 0 ? available / used : unlimited_ctas;
  };
  limit("registers", registers_of_warp ? share(warps_by_registers, warps) : unlimited_ctas, registers_of_warp * warps,
        d.registers_per_sm, "registers");
  limit("shared memory", share(d.shared_bytes_per_sm, shared), shared, d.shared_bytes_per_sm, "bytes");
  limit("threads", share(o.max_warps, warps), warps * warp_lanes, d.threads_per_sm, "threads");
  limit("CTA slots", d.ctas_per_sm, 1, d.ctas_per_sm, "CTAs");
  limit("barriers", d.barriers_per_sm ? share(d.barriers_per_sm, cta.barriers) : unlimited_ctas, cta.barriers,
        d.barriers_per_sm, "barriers");

  const auto least = std::min_element(o.limits.begin(), o.limits.end(),
                                      [](const OccupancyLimit& a, const OccupancyLimit& b) { return a.ctas < b.ctas; });
  for (const OccupancyLimit& l : o.limits)
    if (l.ctas == least->ctas) o.limited_by += (o.limited_by.empty() ? "" : " and ") + l.resource;
  if (o.why_none.empty() && least->ctas == 0)
    none("a CTA takes " + std::to_string(least->used) + " " + least->unit +
             (least->unit == least->resource ? "" : " (" + least->resource + ")") + ", the SM has " +
             std::to_string(least->available),
         least->resource == "shared memory" ? smaller_tiles : fewer_warps);
  o.ctas = o.why_none.empty() ? least->ctas : 0;
  o.warps = o.ctas * warps;
  return o;
}

}  // namespace tl::machine
