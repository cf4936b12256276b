#include "interp/run/limits_case.h"

#include <fmt/format.h>

#include "interp/cpu/addresses.h"
#include "interp/lang/text.h"
#include "interp/machine/dot_rate.h"
#include "interp/report/numbers.h"
#include "interp/run/accesses.h"

namespace tl::run {

using namespace report;

namespace {

// The roofline takes every resource at its published rate, perfectly overlapped; the schedule follows the programs.
std::string why_schedule_differs(const trace::AccessRecord& record, const machine::Roofline& r,
                                 const machine::Schedule& s, const machine::Device& d) {
  const bool on_tensor_cores = machine::dot_rate(record, d).on_tensor_cores;
  bool multiplies = false, by_descriptor = false;
  for (const auto& p : record.programs) multiplies |= record.dot_flops(p) > 0;
  for (const auto& p : record.patterns)
    by_descriptor |= p.kind == trace::AccessKind::load && p.route == trace::Route::descriptor;
  std::string text = fmt::format(
      "`tilescope schedule` says {}, {} times as long. The roofline takes every resource at its published rate, all of "
      "them at once. The schedule follows each program: its loads wait for L2 and DRAM, the SMs' ports queue them",
      time_text(s.model_ms), rate_text(r.estimate_ms > 0 ? s.model_ms / r.estimate_ms : 0));
  if (multiplies && on_tensor_cores)
    text += fmt::format(", and its dots reach {:.0f} % of the published rate, as tiles that {} bring let them",
                        100 * (by_descriptor ? d.tensor_reachable : d.tensor_reachable_staged),
                        by_descriptor     ? "tensor maps"
                        : d.cc_major >= 8 ? "pointers (cp.async)"
                                          : "pointers");
  text += on_tensor_cores || !multiplies ? "; it leaves out shared memory's bandwidth. "
                                         : "; each warp waits for its operands, then multiplies. ";
  if (s.model_ms < r.estimate_ms && s.dirty_bytes_left > 0)
    return text +
           fmt::format("It ends while {} of the stored bytes are still in L2; the roofline counts their way to DRAM.",
                       bytes_text(s.dirty_bytes_left));
  return text + (s.model_ms > 10 * r.estimate_ms ? "So small a launch is nearly all latency, which no roofline shows."
                                                 : "Expect the longer of the two.");
}

}  // namespace

std::vector<LaunchOccupancy> occupancy_case(const KernelOptions& kernel, const machine::Device& device) {
  const problems::LaidOutFor chip(chip_of(device));
  return cpu::without_data_if_possible([&] {
    std::vector<LaunchOccupancy> found;
    for (const Launch& launch : make_case(kernel).instance.launches) {
      // Programs are all alike in what they take, so that one tells it of any grid.
      Model model =
          model_of(launch, cpu::record_accesses(launch, {.first_programs = 1}), device, {.may_not_fit = true});
      found.push_back({short_name(launch.kernel), std::move(model.resources), std::move(model.occupancy)});
    }
    return found;
  });
}

std::vector<LaunchRoofline> rooflines_of(const ScheduledCase& c) {
  std::vector<LaunchRoofline> entries;
  for (const ScheduledLaunch& l : c.launches) {
    entries.push_back({l.kernel, l.roofline, l.schedule, l.cause, l.shared_bytes, ""});
    entries.back().other_estimate = why_schedule_differs(l.record, l.roofline, l.schedule, c.device);
    if (l.resources.is_estimate)
      entries.back().other_estimate += " What a program takes of its SM: " + l.resources.how + ".";
  }
  return entries;
}

SharedTiles shared_tiles_of(const KernelOptions& kernel, const machine::Device& device) {
  const problems::LaidOutFor chip(chip_of(device));
  return cpu::without_data_if_possible([&] {
    SharedTiles found;
    for (const Launch& launch : make_case(kernel).instance.launches) {
      machine::OperandTiles observer;
      watch_apart(launch, observer, 1);
      found.tiles.insert(found.tiles.end(), observer.tiles().begin(), observer.tiles().end());
      found.warps = launch.options.num_warps;
    }
    return found;
  });
}

}  // namespace tl::run
