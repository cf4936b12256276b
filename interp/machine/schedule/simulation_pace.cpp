// How fast the programs of an SM go: by what they share, by their GPC's clock, by the load of L2 and DRAM.
#include <algorithm>
#include <cmath>

#include "interp/machine/schedule/simulation.h"

namespace tl::machine {

namespace {

double part_of(double x, double from, double full) { return (x - from) / (full - from); }

}  // namespace

void Simulation::update_pace(Slot& s) const {
  if (s.pace_window == 0) find_sm_pace(s);
  s.pace_window = memory_.load_windows();
  const SegmentWork& w = work_.of(s.segment);
  const double shown = std::clamp(
      w.takes_all_power ? part_of(memory_.dram_load(), device_.tma_busy_from, device_.tma_busy_full) : shown_by_load(w),
      0.0, 1.0);
  s.pace = s.own_pace * (1 + s.group_pace * (w.idle_share + (w.busy_share - w.idle_share) * shown)) * clock_slowdown(w);
}

// All clocks together.
double Simulation::clock_slowdown(const SegmentWork& w) const {
  if (w.takes_all_power) return memory_.clock_slowdown();
  return w.l2_load > 0 ? 1 + device_.pace_load_slower * std::max(0.0, load_of(w) - device_.pace_load_from) : 1;
}

double Simulation::load_of(const SegmentWork& w) const {
  return w.l2_load + device_.pace_load_dram * memory_.dram_load();
}

double Simulation::shown_by_load(const SegmentWork& w) const {
  const double load = load_of(w),
               early = device_.pace_settle_ns > 0 ? 1 - memory_.window_end_ns() / device_.pace_settle_ns : 0;
  return std::max(part_of(load, device_.pace_load_from, device_.pace_load_full), early);
}

void Simulation::find_sm_pace(Slot& s) const {
  const auto sm = static_cast<std::size_t>(s.sm);
  const auto& programs = running_[sm].programs;
  const SegmentWork& w = work_.of(s.segment);
  s.own_pace = (1 + w.sm_share * sm_pace_[sm]) * std::max(w.least_pace, static_cast<double>(programs.size()));
  s.group_pace =
      device_.group_pace_ppm.empty() ? 0 : 1e-6 * static_cast<double>(device_.group_pace_ppm[map_.group[sm]]);
  s.late_ns = w.late_ns;
  s.jitter = w.age_step != 0 && programs.size() < 2 ? 0 : w.jitter;
  if (w.age_step != 0 && programs.size() > 1) {
    const auto older = std::count_if(programs.begin(), programs.end(), [&](std::uint32_t p) { return p < s.program; });
    s.own_pace /= 1 - w.age_step * (static_cast<double>(older) / static_cast<double>(programs.size() - 1) - 0.5);
  }
}

bool Simulation::drift_is_chance(const Schedule& done) const {
  if (options_.ctas_per_sm != 1 || device_.group_pace_ppm.empty() ||
      done.dram_read_bytes < device_.rereads_from * done.distinct_read_bytes)
    return false;
  const double in_step =
      done.wave_count_read_bytes / (done.model_ms * 1e6) / (device_.dram_gb_per_s * device_.dram_reachable);
  return std::ranges::any_of(record_.segments, [&](const trace::Segment& s) {
    const SegmentWork& w = work_.of(static_cast<std::uint32_t>(&s - record_.segments.data()));
    return w.ahead > 0 && !w.takes_all_power &&
           std::abs(w.l2_load + device_.pace_load_dram * in_step - device_.pace_load_from) <
               device_.pace_load_uncertain;
  });
}

}  // namespace tl::machine
