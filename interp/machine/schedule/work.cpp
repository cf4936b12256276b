#include "interp/machine/schedule/work.h"

#include <algorithm>

#include "interp/machine/access/request_width.h"
#include "interp/machine/dot_rate.h"
#include "interp/machine/schedule/lane_demand.h"
#include "interp/machine/schedule/turn.h"

namespace tl::machine {

namespace {

double loaded_bytes(const trace::AccessRecord& record, const trace::Segment& s) {
  double bytes = 0;
  for (std::uint32_t a = s.first; a < s.first + s.size; ++a) {
    const auto& p = record.patterns[record.accesses[a].pattern];
    if (p.kind == trace::AccessKind::load)
      bytes += static_cast<double>(p.active_lanes() * size_in_bytes(record.tensors[p.tensor].dtype));
  }
  return bytes;
}

// How much an iteration's time varies where no shared data keeps the SMs in step: CTAs of an SM compete, warps load to
// registers each at its own time, other lanes compute beside the dots.
double jitter_of(const Device& d, trace::Route route, double ns, double lane_ns) {
  if (route == trace::Route::staged) return d.cta_jitter;
  if (route == trace::Route::registers) return d.register_jitter;
  return d.cta_jitter * std::min(1.0, lane_ns > d.lane_jitter_from * ns ? d.lane_jitter_slope * lane_ns / ns : 0);
}

// Whether whole warpgroups do nothing but multiply what others bring.
bool is_overlapped(const trace::AccessRecord& record, trace::Route route) {
  return route == trace::Route::descriptor || (route == trace::Route::staged && record.uses_wgmma);
}

// The flops of an SM in a ns: a part of its peak, since tensor cores wait for tiles, longer where cp.async brings them.
double dot_flops_a_ns(const trace::AccessRecord& record, const Device& d, trace::Route route) {
  const DotRate best = dot_rate(record, d);
  const double reached = !best.on_tensor_cores          ? 1
                         : is_overlapped(record, route) ? d.tensor_reachable
                                                        : d.tensor_reachable_staged;
  return best.flops_per_s * 1e-9 * reached / static_cast<double>(d.sms);
}

// Whether two segments take the same time: they differ in places alone.
bool are_alike(const trace::AccessRecord& record, const trace::Segment& a, const trace::Segment& b) {
  const auto accesses = record.accesses.begin();
  return a.size == b.size && a.iterations == b.iterations && a.dot_flops == b.dot_flops && a.lane_work == b.lane_work &&
         std::equal(accesses + a.first, accesses + a.first + a.size, accesses + b.first,
                    [](const auto& x, const auto& y) { return x.pattern == y.pattern; });
}

}  // namespace

Work::Work(const trace::AccessRecord& record, const Device& d, const ScheduleOptions& options) {
  const double sms = static_cast<double>(d.sms);
  const std::int64_t most = (static_cast<std::int64_t>(record.programs.size()) + d.sms - 1) / d.sms,
                     held = std::min(options.ctas_per_sm, most);  // by an SM
  const std::int64_t warps = record.num_warps * held;
  std::vector<const trace::Segment*> alike;  // a segment of each work
  const LaneRequests requests = lane_requests(record);
  const bool multiplies = std::ranges::any_of(record.segments, [](const auto& s) { return s.dot_flops > 0; }),
             loops = std::ranges::any_of(record.segments, [](const auto& s) { return s.iterations > 1; });
  // L1 takes what shared memory does, in as wide pieces; what it does not hold goes to L2 as loads do.
  const double spilled_ns =
      options.spilled_bytes / (options.spills_fit ? d.shared_bytes_a_clock * d.sm_clock_ghz : d.sm_gb_per_s);
  for (const trace::Segment& s : record.segments) {
    const std::size_t oldest =
        alike.size() - std::min<std::size_t>(alike.size(), 8);  // the last few suffice: programs repeat theirs
    const auto found = std::find_if(alike.begin() + static_cast<std::ptrdiff_t>(oldest), alike.end(),
                                    [&](const trace::Segment* a) { return are_alike(record, *a, s); });
    work_of_.push_back(static_cast<std::uint32_t>(found - alike.begin()));
    if (found != alike.end()) continue;
    alike.push_back(&s);
    SegmentWork w;
    const trace::LaneWork& lanes = record.lane_works[s.lane_work];
    LaneDemand demand = demand_of(lanes, record.num_warps);
    if (!multiplies) demand += access_demand(record, s, requests);  // else a turn's or a step's own time has it
    const double lanes_ns = lane_ns(demand, d);
    const trace::Route route = route_of(record, s);
    const std::optional<DotFeed> feed = feed_of(record, s, options);
    const bool is_turn = feed.has_value();
    const double at_full_rate_ns =
        s.dot_flops > 0 ? lanes_ns + s.dot_flops / dot_flops_a_ns(record, d, route) : lanes_ns;
    w.ns = at_full_rate_ns;
    w.dot_ns = at_full_rate_ns - lanes_ns;
    double alone = alone_ns(lanes, lanes_ns, record.num_warps, d.reduction_wait_ns, d) + w.dot_ns;
    if (is_turn) {
      const Turn turn = turn_of(record, s, d, *feed, options.threads_per_cta, requests.elements);
      w.ns = turn.busy_ns;
      w.dot_ns = turn.dot_ns;
      alone = turn.alone_ns;
    }
    const bool is_staged = route == trace::Route::staged && !record.uses_wgmma && !is_turn,
               copies_ahead = route != trace::Route::registers || (is_turn && feed->has_roles),
               is_pipelined = copies_ahead && s.iterations > 1;
    if (s.iterations > 1 || !loops) {
      w.ns += spilled_ns;
      alone += spilled_ns;
    }
    if (is_staged && s.dot_flops > 0)
      w.ns += d.staged_step_ns * (warps >= d.staged_enough_warps ? 1 : d.staged_few_warps);
    w.least_pace = w.ns > 0 ? std::max(1.0, alone / w.ns) : 1;
    if (is_pipelined) w.ahead = static_cast<int>(options.stages) - 1;
    if (route != trace::Route::descriptor) w.sm_share = 1;
    if (s.dot_flops > 0) {
      w.takes_all_power = is_overlapped(record, route);
      w.idle_share = w.takes_all_power ? d.tma_pace_share : d.staged_pace_share;
      w.busy_share = w.takes_all_power ? d.tma_busy_pace_share : d.busy_pace_share;
      if (w.takes_all_power && !(is_turn && feed->by_mma_sync))
        w.late_ns = d.tma_sm_gb_per_s > 0 && loaded_bytes(record, s) / at_full_rate_ns > d.tma_sm_gb_per_s
                        ? d.tma_full_late_ns
                        : d.tma_late_ns;
      w.l2_load = loaded_bytes(record, s) / w.ns * sms / d.l2_gb_per_s;
      if (is_staged && held > 1 && is_pipelined)
        w.age_step = d.cta_age_step * std::min(1.0, s.dot_flops / d.age_step_flops);
      w.jitter = route != trace::Route::descriptor && held < 2 ? 0 : jitter_of(d, route, w.ns, lanes_ns);
      w.in_step = route == trace::Route::descriptor && w.jitter == 0;
    }
    works_.push_back(w);
  }
}

}  // namespace tl::machine
