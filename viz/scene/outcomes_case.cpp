// A case's results side by side: the interpreter's, a GPU's or a recorded one's, the reference's.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "interp/cuda/host/device.h"
#include "interp/run/execute.h"
#include "interp/run/recorded.h"
#include "viz/scene/scene_case.h"

namespace tl::viz {

namespace {

// Once, as `tilescope compare` does: the kernels alone are timed, cold.
Outcome on_gpu(run::Case& c, const std::vector<std::int64_t>& offsets) {
  Outcome gpu;
  gpu.name = "GPU";
  try {
    c.instance.reset();
    const run::Execution run = run::run_on_cuda(c.instance);
    const problems::Tolerance allowed =
        c.instance.tolerances_under(run.tf32).back();  // Hopper truncates f32 on its way into a product
    gpu.allowed_absolute = allowed.absolute;
    gpu.allowed_relative = allowed.relative;
    if (std::isfinite(run.gpu_ms)) gpu.ms = run.gpu_ms;
    gpu.note = run.ok() ? "just now; once, cold" : run.faults.front().headline;
    if (run.ok())
      for (const std::int64_t i : offsets) gpu.values.push_back(get(c.instance.outputs.back(), i));
  } catch (const Error& e) {
    gpu.note = e.what();
  }
  return gpu;
}

// Where there is no GPU: what was measured on one, at these settings or at others.
void add_recorded(Outcomes& outcomes, const run::Case& c, const std::string& no_gpu) {
  const auto mine = run::settings_json(*c.problem, c.settings);
  bool is_any = false;
  for (const run::RecordedRun& recorded : run::recorded_runs(c.problem->name))
    for (const run::Point& point : recorded.points) {
      Outcome gpu;
      gpu.name = recorded.device + ", recorded";
      bool is_same = true;
      std::string settings;
      for (const auto& [name, value] : point.settings.items()) {
        is_same &= mine.contains(name) && mine[name] == value;
        settings += fmt::format("{}{}={}", settings.empty() ? "" : " ", name,
                                value.is_string() ? value.get<std::string>() : value.dump());
      }
      if (!is_same && recorded.command.starts_with("tilescope tune")) continue;  // its many configs
      if (is_same) gpu.ms = point.own.median;
      gpu.note =
          fmt::format("{}{}", recorded.date,
                      is_same ? ", at these settings" : fmt::format(", at {}: {:.3f} ms", settings, point.own.median));
      outcomes.all.push_back(std::move(gpu));
      is_any = true;
    }
  outcomes.no_gpu = is_any ? "no GPU here (" + no_gpu + "): its rows are recorded runs"
                           : "no GPU here (" + no_gpu + "), and no run of this kernel was recorded on one";
}

}  // namespace

bool has_gpu() { return cuda::available(); }

Outcomes outcomes_of(run::Case& c, const std::atomic<bool>* stop) {
  Outcomes outcomes;
  if (c.instance.outputs.empty()) return outcomes;
  const Tensor& out = c.instance.outputs.back();
  outcomes.output = out.name;
  outcomes.shape = out.shape;
  const bool affordable = problems::affordable_samples(c.instance) == 0 && out.elems() <= std::int64_t{1} << 22;
  std::vector<std::int64_t> offsets(affordable ? static_cast<std::size_t>(out.elems()) : 0);
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::int64_t>(i);

  c.instance.reset();
  cpu::RunOptions options;
  options.stop = stop;
  const run::Execution run = run::run_on_cpu(c.instance, options);
  if (run.was_stopped()) return {};
  Outcome interpreter;
  interpreter.name = "interpreter";
  interpreter.ms = run.wall_ms;
  interpreter.note =
      run.ok() ? fmt::format("{} threads of this machine", run::thread_count(0)) : run.faults.front().headline;
  for (const std::int64_t i : offsets) interpreter.values.push_back(get(out, i));
  outcomes.all.push_back(std::move(interpreter));

  std::string no_gpu;
  if (cuda::available(&no_gpu)) outcomes.all.push_back(on_gpu(c, offsets));
  else add_recorded(outcomes, c, no_gpu);
  if (!c.instance.reference_at) return outcomes;
  Outcome reference;
  reference.name = "reference";
  reference.note = affordable ? "in double precision" : "too much to compute here: `tilescope compare` checks samples";
  if (const auto& tolerances = c.instance.tolerances_under(run.tf32); !tolerances.empty()) {
    reference.allowed_absolute = tolerances.back().absolute;
    reference.allowed_relative = tolerances.back().relative;
  }
  if (affordable) reference.values = c.instance.reference_at(c.instance.outputs.size() - 1, offsets);
  outcomes.all.push_back(std::move(reference));
  return outcomes;
}

}  // namespace tl::viz
