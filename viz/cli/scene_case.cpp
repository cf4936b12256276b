#include "viz/cli/scene_case.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/cli/execute.h"
#include "interp/cli/machine/schedule_case.h"
#include "interp/cli/recorded.h"
#include "interp/cpu/addresses.h"
#include "interp/machine/occupancy.h"

namespace tl::viz {

Outcomes outcomes_of(cli::Case& c) {
  Outcomes outcomes;
  if (c.instance.outputs.empty()) return outcomes;
  const Tensor& out = c.instance.outputs.back();
  outcomes.output = out.name;
  outcomes.shape = out.shape;
  const bool affordable = problems::affordable_samples(c.instance) == 0 && out.elems() <= std::int64_t{1} << 22;
  std::vector<std::int64_t> offsets(affordable ? static_cast<std::size_t>(out.elems()) : 0);
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::int64_t>(i);

  c.instance.reset();
  const cli::Execution run = cli::run_on_cpu(c.instance, {});
  Outcome interpreter;
  interpreter.name = "interpreter";
  interpreter.ms = run.wall_ms;
  interpreter.note = run.ok() ? fmt::format("{} threads of this machine", cli::thread_count(0)) : run.faults.front().headline;
  for (const std::int64_t i : offsets) interpreter.values.push_back(get(out, i));
  outcomes.all.push_back(std::move(interpreter));

  for (const cli::RecordedRun& recorded : cli::recorded_runs(c.problem->name))
    for (const cli::Point& point : recorded.points) {
      Outcome gpu;
      gpu.name = recorded.device;
      const auto mine = cli::settings_json(*c.problem, c.settings);
      bool is_same = true;
      std::string settings;
      for (const auto& [name, value] : point.settings.items()) {
        is_same &= mine.contains(name) && mine[name] == value;
        settings += fmt::format("{}{}={}", settings.empty() ? "" : " ", name, value.is_string() ? value.get<std::string>() : value.dump());
      }
      if (is_same) gpu.ms = point.own.median;
      gpu.note = fmt::format("recorded {}{}", recorded.date, is_same ? "" : fmt::format(" at {}: {:.3f} ms", settings, point.own.median));
      outcomes.all.push_back(std::move(gpu));
    }
  Outcome reference;
  reference.name = "reference";
  reference.note = affordable ? "in double precision" : "too much to compute here: `tilescope compare` checks samples";
  if (!c.instance.tolerances.empty()) reference.allowed_absolute = c.instance.tolerances.back().absolute, reference.allowed_relative = c.instance.tolerances.back().relative;
  if (affordable) reference.values = c.instance.reference_at(c.instance.outputs.size() - 1, offsets);
  outcomes.all.push_back(std::move(reference));
  return outcomes;
}

namespace {

// Of the first launch. `resident` is found by occupancy where it is 0, and kept for the other order: the group's size takes no registers.
machine::Schedule schedule_of(const cli::Case& c, const problems::Settings& settings, const machine::Device& device, std::int64_t& resident) {
  const ShapesOnly no_data;
  const problems::Instance instance = cli::make_instance(*c.problem, settings, 0);
  const Launch& launch = instance.launches.front();
  const trace::AccessRecord record = cpu::record_accesses(launch);
  machine::ScheduleOptions options;
  options.threads_per_cta = 32 * launch.options.num_warps;
  options.stages = launch.options.num_stages;
  if (resident == 0) resident = std::max<std::int64_t>(1, machine::occupancy_of(cli::resources_of(launch, record, device).cta, device).ctas);
  options.ctas_per_sm = resident;
  return machine::simulate(record, device, options);
}

}  // namespace

ModelRun model_of(const cli::Case& c, const std::string& gpu, std::int64_t resident) {
  const machine::Device device = machine::find_device(gpu);
  ModelRun run;
  run.own = schedule_of(c, c.settings, device, resident);
  if (const auto group = c.settings.values.find("group_size"); group != c.settings.values.end()) {
    problems::Settings rows = c.settings;
    rows.values["group_size"] = "1";  // groups of one row: row by row
    run.other_order = schedule_of(c, rows, device, resident);
  }
  return run;
}

}  // namespace tl::viz
