#include "interp/tune/predict.h"

#include <fmt/format.h>
#include <omp.h>

#include <atomic>

#include "interp/cpu/addresses.h"
#include "interp/lang/error.h"
#include "interp/report/numbers.h"
#include "interp/report/terminal.h"
#include "interp/run/accesses.h"
#include "interp/run/interrupt.h"
#include "interp/run/schedule_case.h"

namespace tl::tune {

namespace {

// Adds a launch to what those before it took.
void add_launch(Prediction& sum, const Launch& launch, const machine::Device& device, const std::string& settings,
                bool compiles, double& longest) {
  run::refuse_huge_grids(launch);
  trace::AccessRecord record = cpu::record_accesses(launch, {.stop = &run::stop_requested()});
  const run::ModelledLaunch how =
      run::modelled(launch, record, device, 0,
                    {.settings = compiles ? settings : "",
                     .why_not = compiles ? "" : "a space is ranked without compiling each config",
                     .stop = &run::stop_requested()});
  const machine::Schedule schedule = machine::simulate(record, device, how.options);
  sum.ms += schedule.model_ms;
  sum.dram_bytes += schedule.dram_read_bytes + schedule.dram_write_bytes;
  const machine::Roofline roofline = machine::roofline_of(record, schedule, device, 0);
  sum.ops += roofline.flops;
  sum.is_estimate |= how.resources.is_estimate;
  if (schedule.model_ms <= longest) return;
  longest = schedule.model_ms;
  sum.waves = schedule.waves;
  sum.hit_rate = schedule.reads.logical_hit_rate();
  sum.occupancy = how.occupancy.fraction();
  sum.ctas_per_sm = how.occupancy.ctas;
  sum.registers = how.resources.cta.registers_per_thread;
  sum.shared_bytes = how.resources.cta.shared_bytes;
  sum.cause = machine::cause_of(roofline, schedule.model_ms);
  sum.spills = how.resources.spills;
}

std::string told(const std::string& fact, const std::string& more) { return more.empty() ? fact : fact + ": " + more; }

void predict(const Space& space, const machine::Device& device, Trial& trial, bool compiles) {
  const problems::LaidOutFor chip(run::chip_of(device));
  const std::string settings = run::settings_text(*space.problem, trial.settings);
  try {
    if (space.tuning.refuse)
      if (std::string why = space.tuning.refuse(trial.settings); !why.empty()) return trial.refuse(std::move(why));
    trial.model = cpu::without_data_if_possible([&] {
      const problems::Instance instance = space.problem->make(trial.settings, space.seed);
      trial.bytes = instance.bytes, trial.flops = instance.flops;
      Prediction sum{.ms = 0};
      double longest = -1;
      for (const Launch& launch : instance.launches) add_launch(sum, launch, device, settings, compiles, longest);
      return sum;
    });
    if (!space.tuning.model_ms) return;
    if (const double ms = space.tuning.model_ms(trial.settings); !std::isnan(ms)) trial.model.ms = ms;
  } catch (const FaultError& e) {
    if (e.fault.kind != FaultKind::stopped) trial.refuse(told(e.fault.headline, e.fault.detail));
  } catch (const Error& e) {
    trial.refuse(told(e.what(), e.fix));
  }
}

}  // namespace

void predict(const Space& space, const machine::Device& device, std::vector<Trial>& trials, bool compiles) {
  const report::Progress progress(fmt::format("{} {}", compiles ? "compiling and modelling" : "modelling",
                                              report::plural(std::ssize(trials), "config")));
  const auto count = std::ssize(trials);
#pragma omp parallel for schedule(dynamic, 1)
  for (std::ptrdiff_t i = 0; i < count; ++i)
    if (Trial& trial = trials[static_cast<std::size_t>(i)]; !run::stop_requested() && !trial.is_refused())
      predict(space, device, trial, compiles);
}

}  // namespace tl::tune
