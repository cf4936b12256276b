#include "interp/machine/limits/roofline.h"

#include <algorithm>
#include <cmath>

#include "interp/machine/access/request_width.h"
#include "interp/machine/dot_rate.h"
#include "interp/machine/schedule/lane_demand.h"
#include "interp/machine/schedule/turn.h"

namespace tl::machine {

namespace {

// Each lane work of a launch, and how often its programs do it.
std::vector<std::pair<const trace::LaneWork*, double>> repeats_of_lane_works(const trace::AccessRecord& record) {
  std::vector<std::pair<const trace::LaneWork*, double>> all;
  for (const trace::LaneWork& work : record.lane_works) all.emplace_back(&work, 0);
  for (const trace::Segment& s : record.segments) all[s.lane_work].second += static_cast<double>(s.iterations);
  return all;
}

// The instructions and requests of turns that multiply, beside their lanes. Programs repeat their segments: the latest
// that differed is kept.
LaneDemand demand_of_turns(const trace::AccessRecord& record, const Device& d, const ScheduleOptions& options,
                           const std::vector<int>& elements) {
  const double issue_a_ns = 32 * static_cast<double>(d.sub_partitions) * d.sm_clock_ghz;
  LaneDemand demand, of_turn;
  const trace::Segment* latest = nullptr;
  for (const trace::Segment& s : record.segments) {
    if (s.dot_flops <= 0) continue;
    const bool is_alike = latest && s.dot_flops == latest->dot_flops && s.lane_work == latest->lane_work &&
                          s.size == latest->size &&
                          (s.size == 0 || record.accesses[s.first].pattern == record.accesses[latest->first].pattern);
    if (!is_alike) {
      latest = &s, of_turn = {};
      if (const auto feed = feed_of(record, s, options)) {
        const Turn t = turn_of(record, s, d, *feed, options.threads_per_cta, elements);
        of_turn.issue = t.issue_ns * issue_a_ns;
        of_turn.requests = t.requests;
      }
    }
    demand += static_cast<double>(s.iterations) * of_turn;
  }
  return demand;
}

}  // namespace

Roofline roofline_of(const trace::AccessRecord& record, const Schedule& s, const Device& d, double shared_bytes,
                     const ScheduleOptions& options) {
  Roofline r;
  double dots = 0, lanes = 0;
  LaneDemand demand;
  for (const trace::ProgramAccesses& p : record.programs) dots += record.dot_flops(p);
  const LaneRequests requests = lane_requests(record);
  for (const trace::Segment& s : record.segments)
    if (dots == 0) demand += static_cast<double>(s.iterations) * access_demand(record, s, requests);
  for (const auto& [work, times] : repeats_of_lane_works(record)) {
    demand += times * demand_of(*work, record.num_warps);
    for (const trace::LaneOps& ops : *work)
      if (ops.op != Op::trans) lanes += times * ops.lanes;
  }
  const double an_sm = static_cast<double>(s.programs.size()) / static_cast<double>(d.sms);
  r.tail_factor = an_sm > 0 ? std::ceil(an_sm) / an_sm : 1;
  const auto add = [&](std::string name, double work, const char* unit, double rate, bool on_sms) {
    if (work > 0 && rate > 0)
      r.resources.push_back(
          {std::move(name), work, unit, rate, work / rate * 1e3 * (on_sms ? r.tail_factor : 1), on_sms});
  };
  demand += demand_of_turns(record, d, options, requests.elements);
  const DotRate dot = dot_rate(record, d);
  if (!dot.on_tensor_cores) demand.issue += dots / 2;  // a multiply-add each
  const double lane_rate = d.f32_tflops * 1e12 / 2;    // an op of a lane takes the place of a multiply-add
  add(dot.units + ": dots", dots, "flop", dot.flops_per_s, true);
  for (const PipeTime& pipe : pipe_times(demand, d))
    add(pipe.pipe, pipe.instructions, "instruction", pipe.a_second * static_cast<double>(d.sms), true);
  r.flops = dots + lanes;
  r.dram_bytes = s.dram_read_bytes + s.dram_write_bytes + s.dirty_bytes_left;
  add("DRAM", r.dram_bytes, "byte", d.dram_gb_per_s * d.dram_reachable * 1e9, false);
  double written = 0;
  for (const TensorTraffic& t : s.tensors) written += t.written_bytes;
  add("L2", s.reads.tex() * static_cast<double>(d.sector_bytes) + written, "byte", d.l2_gb_per_s * 1e9, false);
  add("shared memory", shared_bytes, "byte", static_cast<double>(d.sms) * d.shared_bytes_a_clock * d.sm_clock_ghz * 1e9,
      true);
  r.peak_flops = dots > 0 ? dot.flops_per_s : lane_rate;
  std::sort(r.resources.begin(), r.resources.end(), [](const auto& a, const auto& b) { return a.ms > b.ms; });
  if (!r.resources.empty()) {
    r.estimate_ms = r.resources.front().ms;
    r.limit = r.resources.front().resource;
  }
  return r;
}

Cause cause_of(const Roofline& r, double ms) {
  constexpr double busy = 0.6;
  Cause c;
  if (ms <= 0 || r.resources.empty()) return c;
  const auto share = [&](std::size_t i) { return std::min(1.0, r.resources[i].ms / ms); };
  c.busiest = r.resources[0].resource;
  c.share = share(0);
  if (c.share >= busy) c.limit = c.busiest;
  if (r.resources.size() > 1) {
    c.next = r.resources[1].resource;
    c.next_share = share(1);
  }
  for (const ResourceTime& t : r.resources)
    if (t.resource == issue_pipe) c.no_eligible = 1 - std::min(1.0, t.work / t.rate * 1e3 / ms);
  return c;
}

}  // namespace tl::machine
