#include "interp/machine/schedule/turn.h"

#include <algorithm>

#include "interp/machine/dot_rate.h"

namespace tl::machine {

namespace {

double times_of(const trace::LaneWork& work, auto is_meant) {
  double times = 0;
  for (const trace::LaneOps& o : work)
    if (is_meant(o.op)) times += o.times;
  return times;
}

// What a turn asks for.
struct Asked {
  double requests = 0;  // of lanes
  double by_lane = 0;   // of them, those that warps copy through registers for others
  double bytes = 0;
};
Asked asked_of(const trace::AccessRecord& record, const trace::Segment& s, const DotFeed& dots,
               const std::vector<int>& elements) {
  Asked asked;
  for (std::uint32_t a = s.first; a < s.first + s.size; ++a) {
    const auto pattern = record.accesses[a].pattern;
    const trace::AccessPattern& p = record.patterns[pattern];
    if (p.kind != trace::AccessKind::load) continue;
    const auto lanes = static_cast<double>(p.active_lanes());
    const auto element_bytes = static_cast<std::int64_t>(size_in_bytes(record.tensors[p.tensor].dtype));
    asked.bytes += lanes * static_cast<double>(element_bytes);
    if (p.route == trace::Route::descriptor) continue;
    if (p.route == trace::Route::registers) {
      asked.requests += lanes / elements[pattern];
      if (p.shape.rank == 2) asked.by_lane += lanes / elements[pattern];
    } else {
      asked.requests += lanes * (static_cast<double>(element_bytes) /
                                     static_cast<double>(copied_at_once(p, element_bytes)) * (1 - dots.turned_share) +
                                 dots.turned_share);
    }
  }
  return asked;
}

double reductions_of(const trace::LaneWork& lanes) {
  return times_of(lanes, [](Op op) { return op != Op::dot && family_of(op) == OpFamily::reduction; });
}

// Multiply-adds and the reads of their operands share the issue: where the lanes take all of it, as an H200's 128 do, a
// read holds them up; a T4's 64 leave half of it free.
double multiply_add_ns(double peak_ns, double read_ns, const Device& d) {
  const double lanes = d.f32_tflops * 1e3 / (2 * static_cast<double>(d.sms) * d.sm_clock_ghz),
               issue_share = std::min(1.0, lanes / (32 * static_cast<double>(d.sub_partitions)));
  return std::max(peak_ns, read_ns) + issue_share * std::min(peak_ns, read_ns);
}

}  // namespace

trace::Route route_of(const trace::AccessRecord& record, const trace::Segment& s) {
  for (std::uint32_t a = s.first; a < s.first + s.size; ++a)
    if (const auto route = record.patterns[record.accesses[a].pattern].route; route != trace::Route::registers)
      return route;
  return trace::Route::registers;
}

std::optional<DotFeed> feed_of(const trace::AccessRecord& record, const trace::Segment& s,
                               const ScheduleOptions& options) {
  const trace::Route route = route_of(record, s);
  const bool has_wgmma_roles = route == trace::Route::staged && record.uses_wgmma;
  if (s.dot_flops <= 0 || (!options.dots && !has_wgmma_roles)) return std::nullopt;
  const DotFeed feed = options.dots.value_or(DotFeed{.has_roles = true});
  const bool has_several =
      std::ranges::any_of(record.lane_works[s.lane_work], [](const auto& o) { return o.op == Op::dot && o.times > 1; });
  if (route == trace::Route::descriptor && !feed.by_mma_sync && !has_several) return std::nullopt;
  return feed;
}

double alone_ns(const trace::LaneWork& lanes, double lanes_ns, int warps, double reduction_wait_ns, const Device& d) {
  return lanes_ns * std::max(1.0, d.enough_warps / warps) + reductions_of(lanes) * reduction_wait_ns;
}

Turn turn_of(const trace::AccessRecord& record, const trace::Segment& s, const Device& d, const DotFeed& feed,
             std::int64_t threads, const std::vector<int>& elements) {
  const trace::LaneWork& lanes = record.lane_works[s.lane_work];
  const Asked asked = asked_of(record, s, feed, elements);
  const DotRate best = dot_rate(record, d);
  const double sms = static_cast<double>(d.sms), peak_ns = s.dot_flops / best.flops_per_s * 1e9 * sms,
               read_ns = s.dot_flops * feed.shared_cycles / d.sm_clock_ghz;
  const int warps = record.num_warps;
  const bool by_boxes =
      std::any_of(record.accesses.begin() + s.first, record.accesses.begin() + s.first + s.size,
                  [&](const auto& a) { return record.patterns[a.pattern].route == trace::Route::descriptor; });
  Turn t{.requests = asked.requests};
  if (!best.on_tensor_cores) t.dot_ns = multiply_add_ns(peak_ns, read_ns, d);
  else if (feed.by_mma_sync) t.dot_ns = std::max(peak_ns / d.tensor_reachable_staged, read_ns);
  else t.dot_ns = peak_ns * d.roles_dot_share;
  // Rows of a warpgroup's result lie in four lanes each: a reduction of theirs waits for two shuffles.
  const bool in_quads = feed.has_roles && !feed.by_mma_sync;
  const double dots = times_of(lanes, [](Op op) { return op == Op::dot; }),
               lanes_ns = lane_ns(demand_of(lanes, warps), d),
               waits = (by_boxes ? d.boxes_turn_ns : d.roles_turn_ns) + std::max(0.0, dots - 1) * d.dot_wait_ns +
                       alone_ns(lanes, lanes_ns, warps, in_quads ? d.quad_wait_ns : d.reduction_wait_ns, d);
  if (feed.has_roles) {
    const double all_warps = threads > 0 ? static_cast<double>(threads) / 32 : warps + 4;
    t.alone_ns =
        waits +
        std::max(d.roles_request_ns * (asked.requests - asked.by_lane) + d.roles_lane_ns * asked.by_lane, t.dot_ns);
    t.issue_ns = d.turn_warp_ns * all_warps;
    t.busy_ns = t.issue_ns + d.request_ns * asked.requests + t.dot_ns + lanes_ns;
  } else {
    // Each warp loads, stores its part to shared memory, and multiplies; tiles pass L1 and shared memory.
    const double stored_ns = asked.bytes / d.shared_bytes_a_clock / d.sm_clock_ghz,
                 alone = best.on_tensor_cores ? std::max(t.dot_ns, d.fragment_waits * read_ns / warps)
                                              : t.dot_ns * std::max(1.0, d.enough_warps / warps);
    t.alone_ns = waits + d.request_wait_ns * asked.requests / warps + alone;
    t.issue_ns = d.turn_warp_ns * warps;
    t.busy_ns = t.issue_ns + d.request_ns * asked.requests + 2 * stored_ns + t.dot_ns + lanes_ns;
  }
  t.busy_ns = std::min(t.busy_ns, t.alone_ns);
  return t;
}

}  // namespace tl::machine
