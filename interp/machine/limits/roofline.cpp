#include "interp/machine/limits/roofline.h"

#include <algorithm>
#include <cmath>

#include "interp/machine/access/banks.h"
#include "interp/machine/dot_rate.h"

namespace tl::machine {

Roofline roofline_of(const trace::AccessRecord& record, const Schedule& s, const Device& d, double shared_bytes) {
  Roofline r;
  double dots = 0, lanes = 0;
  for (const trace::ProgramAccesses& p : record.programs) dots += record.dot_flops(p), lanes += record.lane_ops(p);
  const double an_sm = static_cast<double>(s.programs.size()) / static_cast<double>(d.sms);
  r.tail_factor = an_sm > 0 ? std::ceil(an_sm) / an_sm : 1;
  const auto add = [&](std::string name, double work, const char* unit, double rate, bool on_sms) {
    if (work > 0 && rate > 0)
      r.resources.push_back(
          {std::move(name), work, unit, rate, work / rate * 1e3 * (on_sms ? r.tail_factor : 1), on_sms});
  };
  const DotRate dot = dot_rate(record, d);
  const double lane_rate = d.f32_tflops * 1e12 / 2;  // an op of a lane takes the place of a multiply-add
  add(dot.units + ": dots", dots, "flop", dot.flops_per_s, true);
  add("FP32 units: other lanes", lanes, "flop", lane_rate, true);
  r.flops = dots + lanes;
  r.dram_bytes = s.dram_read_bytes + s.dram_write_bytes + s.dirty_bytes_left;
  add("DRAM", r.dram_bytes, "byte", d.dram_gb_per_s * d.dram_reachable * 1e9, false);
  double written = 0;
  for (const TensorTraffic& t : s.tensors) written += t.written_bytes;
  add("L2", s.reads.tex() * static_cast<double>(d.sector_bytes) + written, "byte", d.l2_gb_per_s * 1e9, false);
  add("shared memory", shared_bytes, "byte",
      static_cast<double>(d.sms * bank_count * bank_bytes) * d.sm_clock_ghz * 1e9, true);
  r.peak_flops = dots > 0 ? dot.flops_per_s : lane_rate;
  std::sort(r.resources.begin(), r.resources.end(), [](const auto& a, const auto& b) { return a.ms > b.ms; });
  if (!r.resources.empty()) r.estimate_ms = r.resources.front().ms, r.limit = r.resources.front().resource;
  return r;
}

}  // namespace tl::machine
