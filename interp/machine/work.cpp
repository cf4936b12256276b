#include "interp/machine/work.h"

namespace tl::machine {

namespace {

// The tensor cores' rate for what a segment loads, 1e12 a second; without tensor cores for it, the FP32 units'.
double dot_tflops(const trace::AccessRecord& record, const trace::Segment& s, const Device& d) {
  double rate = 0;
  for (std::uint32_t a = s.first; a < s.first + s.size && rate == 0; ++a) {
    const auto& pattern = record.patterns[record.accesses[a].pattern];
    if (pattern.kind != trace::AccessKind::load) continue;
    switch (size_in_bytes(record.tensors[static_cast<std::size_t>(pattern.tensor)].dtype)) {
      case 1: rate = d.fp8_tensor_tflops > 0 ? d.fp8_tensor_tflops : d.f16_tensor_tflops; break;
      case 2: rate = d.f16_tensor_tflops; break;
      case 4: rate = d.tf32_tensor_tflops; break;
      default: rate = d.f64_tensor_tflops > 0 ? d.f64_tensor_tflops : d.f64_tflops; break;
    }
    if (rate > 0) rate *= pattern.route == trace::Route::descriptor ? d.tensor_reachable : d.tensor_reachable_staged;
  }
  return rate > 0 ? rate : d.f32_tflops;
}

// How the tiles of a segment travel: the first route that is not by registers.
trace::Route route_of(const trace::AccessRecord& record, const trace::Segment& s) {
  for (std::uint32_t a = s.first; a < s.first + s.size; ++a)
    if (const auto route = record.patterns[record.accesses[a].pattern].route; route != trace::Route::registers) return route;
  return trace::Route::registers;
}

}  // namespace

Work::Work(const trace::AccessRecord& record, const Device& d, const ScheduleOptions& options) {
  const double sms = static_cast<double>(d.sms), lanes_a_ns = d.f32_tflops * 1e3 / 2 / sms;
  for (const trace::Segment& s : record.segments) {
    SegmentWork w;
    w.ns = s.lane_ops / lanes_a_ns;
    if (s.dot_flops > 0) w.ns += s.dot_flops / (dot_tflops(record, s, d) * 1e3 / sms);
    const trace::Route route = route_of(record, s);
    const bool is_pipelined = route != trace::Route::registers && s.iterations > 1;
    if (is_pipelined) w.ahead = static_cast<int>(options.stages) - 1;
    if (s.dot_flops > 0) w.group_share = route == trace::Route::descriptor ? 1 : d.staged_pace_share;
    if (route != trace::Route::descriptor) w.sm_share = 1;
    if (s.dot_flops > 0 && is_pipelined) w.age_step = d.cta_age_step;
    segments_.push_back(w);
  }
}

}  // namespace tl::machine
