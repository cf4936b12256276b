#include "interp/tune/recorded_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "interp/lang/error.h"
#include "interp/report/numbers.h"
#include "interp/tune/measure_trials.h"
#include "interp/tune/predict.h"

namespace tl::tune {

namespace {

std::vector<std::string> words_in(const nlohmann::ordered_json& settings) {
  std::vector<std::string> words;
  for (const auto& [name, value] : settings.items())
    if (const std::string text = value.is_string() ? value.get<std::string>() : value.dump(); !text.empty())
      words.push_back(name + "=" + text);
  return words;
}

Trial trial_of(const run::Point& point, const problems::Problem& problem, const std::vector<std::string>& names) {
  Trial trial{.config = {}, .settings = problems::parse(problem, words_in(point.settings))};
  for (const std::string& name : names)
    if (const std::string& value = trial.settings.text(name); !value.empty()) trial.config.emplace_back(name, value);
  trial.samples_ms = {point.own.p20, point.own.median, point.own.p80};
  trial.bytes = point.bytes;
  trial.flops = point.flops;
  trial.is_checked = point.is_right;
  return trial;
}

// The session that a trial belongs to: all that no config sets is as there.
Tuned& session_of(std::vector<Tuned>& all, const problems::Problem& problem, const Trial& trial,
                  const std::vector<std::string>& names) {
  std::vector<std::string> key;
  for (const problems::Setting& s : problem.settings)
    if (!std::ranges::count(names, s.name)) key.push_back(s.name);
  const auto is_same = [&](const Tuned& t) {
    return std::ranges::all_of(
        key, [&](const std::string& name) { return t.space.sizes.text(name) == trial.settings.text(name); });
  };
  const auto it = std::ranges::find_if(all, is_same);
  if (it != all.end()) return *it;
  all.emplace_back().space = {
      .problem = &problem, .given = {}, .seed = 0, .sizes = trial.settings, .configs = {}, .key = key, .tuning = {}};
  return all.back();
}

}  // namespace

std::vector<run::Point> points_of(const std::vector<Tuned>& tuned) {
  std::vector<run::Point> points;
  for (const Tuned& t : tuned)
    for (const Trial& trial : t.trials) {
      if (!trial.is_measured()) continue;
      run::Point p{.kernel = t.space.problem->name,
                   .settings = run::settings_json(*t.space.problem, trial.settings),
                   .bytes = trial.bytes,
                   .flops = trial.flops};
      p.own = report::statistics_of(trial.samples_ms);
      p.is_right = trial.is_checked;
      p.method = "configs timed in turn, in rounds that drop those clearly behind";
      points.push_back(std::move(p));
    }
  return points;
}

std::vector<Tuned> tuned_of(const run::RecordedRun& run, const std::string& gpu) {
  std::vector<Tuned> all;
  for (const run::Point& point : run.points) {
    const problems::Problem& problem = problems::find(point.kernel);
    const std::vector<std::string> names = names_of_configs(problem);
    try {
      const Trial trial = trial_of(point, problem, names);
      session_of(all, problem, trial, names).trials.push_back(trial);
    } catch (const Error&) {  // recorded with settings that it had then
    }
  }
  const machine::Device device = machine::find_device(gpu);
  for (Tuned& t : all) {
    t.device = Device::cuda;
    t.is_recorded = true;
    t.machine = fmt::format("{}, driver {}, {}", run.device, run.driver, run.date);
    predict(t.space, device, t.trials);
    std::vector<Trial*> trials;
    for (Trial& trial : t.trials) trials.push_back(&trial);
    rank(trials);
    std::ranges::stable_sort(t.trials, {}, [](const Trial& trial) { return time_of(trial); });
  }
  return all;
}

}  // namespace tl::tune
