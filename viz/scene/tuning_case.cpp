#include "viz/scene/tuning_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "interp/lang/error.h"
#include "interp/machine/device.h"
#include "interp/run/recorded.h"
#include "interp/run/schedule_case.h"
#include "interp/tune/predict.h"
#include "interp/tune/recorded_trials.h"
#include "interp/tune/tuned.h"
#include "kernels/problems/chip.h"

namespace tl::viz {

namespace {

std::string text_in(const nlohmann::ordered_json& settings, const std::string& name) {
  if (!settings.contains(name)) return "";
  return settings[name].is_string() ? settings[name].get<std::string>() : settings[name].dump();
}

// What was recorded at these sizes on such a GPU: NVIDIA H200 of NVIDIA H200 SXM.
void add_measured(TuningRun& run, const tune::Space& space, const std::vector<std::string>& names,
                  const machine::Device& device) {
  for (const run::RecordedRun& recorded : run::recorded_tunings(space.problem->name)) {
    if (!device.title.starts_with(recorded.device)) continue;
    for (const run::Point& point : recorded.points) {
      const auto differs = [&](const problems::Setting& s) {
        return !std::ranges::count(names, s.name) && text_in(point.settings, s.name) != space.sizes.text(s.name);
      };
      const auto is_of = [&](const TuningDot& d) {
        return std::ranges::all_of(
            d.config, [&](const problems::NamedValue& v) { return text_in(point.settings, v.first) == v.second; });
      };
      if (std::ranges::any_of(space.problem->settings, differs)) continue;
      if (const auto it = std::ranges::find_if(run.dots, is_of); it != run.dots.end()) {
        it->measured_ms = point.own.median;
        run.measured_on = recorded.device + ", " + recorded.date;
      }
    }
  }
}

}  // namespace

TuningRun TuningRanks::of(const run::KernelOptions& kernel, const std::string& gpu, const std::atomic<bool>& stop) {
  const machine::Device device = machine::find_device(gpu);
  const problems::LaidOutFor chip(run::chip_of(device));
  const problems::Problem& problem = problems::find(kernel.kernel);
  const std::vector<std::string> names = tune::names_of_configs(problem);
  tune::SpaceRequest request{.kernel = kernel, .configs = "", .refuse = "", .key = {}};
  std::erase_if(request.kernel.settings,
                [&](const std::string& word) { return std::ranges::count(names, word.substr(0, word.find('='))) > 0; });
  const tune::Space space = tune::space_of(request);
  if (const Request asked{&problem, space.given, space.seed, gpu}; !(asked == request_)) {
    request_ = {};
    trials_.clear();
    for (const problems::Config& config : space.configs)
      trials_.push_back({.config = config, .settings = tune::settings_of(space, config)});
    tune::predict(space, device, trials_, {.exact = tune::usual_top_k}, stop);
    if (!stop) request_ = asked;
  }

  TuningRun run;
  run.key = tune::key_text(space);
  const auto winner = tune::kept_winner(space, tune::Device::model, tune::machine_text(tune::Device::model, gpu, 0));
  for (const tune::Trial& t : trials_) {
    if (t.is_refused()) {
      run.refused.push_back(problems::config_text(t.config) + ": " + t.why);
      continue;
    }
    TuningDot d{.config = t.config,
                .model_ms = t.model.ms,
                .is_least = t.model.is_least,
                .waves = t.model.waves,
                .ctas_per_sm = t.model.ctas_per_sm,
                .limited_by = t.model.is_least && t.model.why_least.empty() ? "" : tune::limit_text(t.model)};
    d.is_winner = winner && winner->config == t.config;
    run.dots.push_back(std::move(d));
  }
  run.open(problems::parse(problem, kernel.settings).values);
  add_measured(run, space, names, device);
  return run;
}

}  // namespace tl::viz
