#include "interp/tune/predict.h"

#include <fmt/ranges.h>
#include <omp.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "interp/cpu/addresses.h"
#include "interp/lang/error.h"
#include "interp/report/numbers.h"
#include "interp/report/terminal.h"
#include "interp/run/accesses.h"
#include "interp/run/schedule_case.h"

namespace tl::tune {

namespace {

// What decides which elements a launch touches: all but its warps, stages and registers.
std::string decided_by(const Launch& launch) {
  std::string text = fmt::format("{} {} {} {}", launch.kernel, launch.grid.x, launch.grid.y, launch.grid.z);
  for (const Argument& a : launch.arguments) {
    text += ' ' + text_of(a);
    if (const auto* d = std::get_if<DescriptorArgument>(&a)) text += fmt::format("{}", fmt::join(d->block_shape, "x"));
  }
  for (const Tensor& t : tensors_of(launch)) text += fmt::format(" {} {}", name_of(t.dtype), fmt::join(t.shape, "x"));
  return text;
}

// What launches touch, recorded once for those that touch the same.
class Records {
 public:
  trace::AccessRecord of(const Launch& launch, const std::atomic<bool>& stop) {
    const std::string decided = decided_by(launch);
    std::unique_lock lock(mutex_);
    if (const auto known = records_.find(decided); known != records_.end()) {
      trace::AccessRecord record = known->second;
      record.num_warps = launch.options.num_warps, record.num_stages = launch.options.num_stages;
      return record;
    }
    lock.unlock();
    trace::AccessRecord record = cpu::record_accesses(launch, {.stop = &stop});
    lock.lock();
    records_.emplace(decided, record);
    return record;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, trace::AccessRecord> records_;
};

struct Predictor {
  const Space& space;
  const machine::Device& device;
  const bool compiles;
  const std::atomic<bool>& stop;

  // Adds a launch to what those before it took.
  void add_launch(Prediction& sum, const Launch& launch, Records& records, const std::string& settings,
                  double& longest) const {
    run::refuse_huge_grids(launch);
    trace::AccessRecord record = records.of(launch, stop);
    const run::ModelledLaunch how =
        run::modelled(launch, record, device, 0,
                      {.settings = compiles ? settings : "",
                       .why_not = compiles ? "" : "a space is ranked without compiling each config",
                       .stop = &stop});
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

  void predict(Trial& trial, Records& records) const {
    if (stop || trial.is_refused()) return;
    const problems::LaidOutFor chip(run::chip_of(device));
    const std::string settings = run::settings_text(*space.problem, trial.settings);
    const auto told = [](const std::string& fact, const std::string& more) {
      return more.empty() ? fact : fact + ": " + more;
    };
    try {
      if (space.tuning.refuse)
        if (std::string why = space.tuning.refuse(trial.settings); !why.empty()) return trial.refuse(std::move(why));
      trial.model = cpu::without_data_if_possible([&] {
        const problems::Instance instance = space.problem->make(trial.settings, space.seed);
        trial.bytes = instance.bytes, trial.flops = instance.flops;
        Prediction sum{.ms = 0};
        double longest = -1;
        for (const Launch& launch : instance.launches) add_launch(sum, launch, records, settings, longest);
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
};

// Those that differ in warps, stages and registers alone, together.
std::vector<std::vector<Trial*>> alike(std::vector<Trial>& trials) {
  std::map<std::map<std::string, std::string>, std::vector<Trial*>> by_settings;
  for (Trial& t : trials) {
    auto others = t.settings.values;
    std::erase_if(others, [](const auto& value) { return is_of_launch(value.first); });
    by_settings[std::move(others)].push_back(&t);
  }
  std::vector<std::vector<Trial*>> groups;
  for (auto& [settings, group] : by_settings) groups.push_back(std::move(group));
  return groups;
}

}  // namespace

void predict(const Space& space, const machine::Device& device, std::vector<Trial>& trials, bool compiles,
             const std::atomic<bool>& stop) {
  const report::Progress progress(fmt::format("{} {}", compiles ? "compiling and modelling" : "modelling",
                                              report::plural(std::ssize(trials), "config")));
  const Predictor predictor{space, device, compiles, stop};
  const auto groups = alike(trials);
#pragma omp parallel
#pragma omp single
  for (const std::vector<Trial*>& group : groups)
#pragma omp task firstprivate(group)
  {
    const auto records = std::make_shared<Records>();
    predictor.predict(*group.front(), *records);  // which records for all of them
    for (std::size_t i = 1; i < group.size(); ++i) {
      Trial* const trial = group[i];
#pragma omp task firstprivate(trial, records)
      predictor.predict(*trial, *records);
    }
  }
}

}  // namespace tl::tune
