#include "interp/tune/tune_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "interp/cuda/host/device.h"
#include "interp/lang/error.h"
#include "interp/lang/unavailable.h"
#include "interp/report/numbers.h"
#include "interp/report/terminal.h"
#include "interp/run/execute.h"
#include "interp/run/interrupt.h"
#include "interp/run/schedule_case.h"
#include "interp/tune/crashes.h"
#include "interp/tune/measure_trials.h"
#include "interp/tune/predict.h"
#include "interp/tune/right.h"

namespace tl::tune {

namespace {

std::size_t wanted_of(double top_k, std::size_t configs) {
  if (top_k == 0) top_k = usual_top_k;
  const double count = top_k < 1 ? std::ceil(top_k * static_cast<double>(configs)) : top_k;
  return static_cast<std::size_t>(std::clamp(count, 1., static_cast<double>(configs)));
}

std::vector<Trial> trials_of(const Space& space) {
  std::vector<Trial> trials;
  for (const problems::Config& config : space.configs)
    trials.push_back({.config = config, .settings = settings_of(space, config)});
  return trials;
}

// One session: what its steps share.
class Session {
 public:
  Session(Tuned& tuned, const TuneOptions& o) : tuned_(tuned), o_(o), device_(machine::find_device(o.gpu)) {
    measure_ = o.measure;
    measure_.device = o.device == Device::cuda ? run::Device::cuda : run::Device::cpu;
  }

  void run() {
    std::vector<Trial>& trials = tuned_.trials;
    refuse_crashing(tuned_.space, device_, trials);
    predict(tuned_.space, device_, trials, {.compiles = o_.compiles, .placement = o_.placement, .exact = wanted()});
    sort_by_standing();
    choose(trials);
    if (o_.descends) descend_from_best();
    rank(candidates());
    while (!winner_is_right_as_asked()) {
      if (candidates().empty()) choose(trials);
      rank(candidates());
    }
    sort_by_standing();
  }

 private:
  // The best by the model that are right; then timed, unless there is only one.
  void choose(std::vector<Trial>& trials) {
    if (o_.checks && o_.device == Device::cuda) right_configs().compile_ahead(std::span(trials).first(wanted()));
    std::vector<Trial*> right;
    for (auto t = trials.begin(); t != trials.end() && right.size() < wanted(); ++t) {
      if (is_as_before(*t, right)) continue;
      if (t->model.is_least) follow_to_their_end(t, trials.end());
      if (!is_as_before(*t, right) && is_right(*t)) right.push_back(&*t);
    }
    if (o_.device == Device::cuda) compile(right);
    time(right);
  }

  std::size_t wanted() const {
    return wanted_of(o_.top_k > 0 ? o_.top_k : tuned_.space.tuning.top_k, tuned_.trials.size());
  }

  // Those that were cut off, where so many before them are wrong that they may be next.
  void follow_to_their_end(std::vector<Trial>::iterator first, std::vector<Trial>::iterator last) {
    std::vector<Trial> again;
    for (auto t = first; t != last; ++t)
      if (t->model.is_least) again.push_back(*t), again.back().model = {};
    predict(tuned_.space, device_, again, {.compiles = o_.compiles, .placement = o_.placement});
    for (auto t = first, a = again.begin(); t != last; ++t)
      if (t->model.is_least) *t = std::move(*a++);
    sort_by_standing(first, last);
  }

  // All at once, which warms the compiler's cache and makes registers and spills known.
  void compile(const std::vector<Trial*>& trials) {
    std::vector<Trial> again;
    for (const Trial* t : trials) again.push_back({.config = t->config, .settings = t->settings});
    predict(tuned_.space, device_, again, {.compiles = true, .placement = o_.placement});
    for (std::size_t i = 0; i < again.size(); ++i)
      if (!again[i].is_refused()) trials[i]->model = again[i].model;
  }

  // On the interpreter.
  bool is_as_before(const Trial& t, const std::vector<Trial*>& before) const {
    const auto is_alike = [&](const Trial* other) {
      return std::ranges::all_of(t.settings.values, [&](const auto& s) {
        return is_of_launch(s.first) || other->settings.values.at(s.first) == s.second;
      });
    };
    if (o_.device != Device::cpu || std::ranges::none_of(before, is_alike)) return false;
    tuned_.notes.insert(
        "warps, stages and registers are a GPU's: of configs that differ in these alone the model's best "
        "is timed");
    return true;
  }

  bool is_right(Trial& t) {
    if (t.is_refused() || std::isnan(t.model.ms) || run::stop_requested()) return false;
    if (!o_.checks) return true;
    const report::Progress progress("checking " + problems::config_text(t.config));
    RightConfigs& right = right_configs();
    right.check(t);
    tuned_.checked_at = right.sizes();
    if (!right.note().empty()) tuned_.notes.insert(right.note());
    return !t.is_refused();
  }

  // True without one, too.
  bool winner_is_right_as_asked() {
    const auto best = std::ranges::find(tuned_.trials, Trial::Standing::winner, &Trial::standing);
    if (best == tuned_.trials.end() || !o_.checks || run::stop_requested()) return true;
    const report::Progress progress("checking " + problems::config_text(best->config));
    right_configs().check_as_asked(*best);
    return !best->is_refused();
  }

  RightConfigs& right_configs() {
    if (!right_) right_.emplace(tuned_.space, o_.device == Device::cuda, o_.measure.generic);
    return *right_;
  }

  void time(const std::vector<Trial*>& trials) {
    if (o_.device == Device::model) return;
    try {
      measure_trials(tuned_.space, trials, measure_);
    } catch (const Unavailable&) {
      tuned_.failure = std::current_exception();
    }
  }

  // By the model where nothing is measured; else each step is timed beside the best.
  void descend_from_best() {
    rank(candidates());
    const Trial* const best = tuned_.winner();
    if (!best) return;
    tuned_.descended_from = best->config;
    tuned_.descended_from_ms = time_of(*best);
    const problems::Config from = best->config;
    descend(tuned_.space, from, o_.descent, [&](const problems::Config& config) { return time_of_config(config); });
  }

  double time_of_config(const problems::Config& config) {
    constexpr double never = std::numeric_limits<double>::infinity();
    if (run::stop_requested()) return never;
    const auto known = std::ranges::find(tuned_.trials, config, &Trial::config);
    if (known != tuned_.trials.end()) return usable(*known) ? time_of(*known) : never;
    std::vector<Trial> one(1);
    one[0].config = config;
    try {
      one[0].settings = settings_of(tuned_.space, config);
    } catch (const Error& e) {
      return never;  // no value of that setting
    }
    predict(tuned_.space, device_, one, {.compiles = o_.compiles, .placement = o_.placement});
    if (is_right(one[0]) && o_.device != Device::model) {
      Trial best = *fastest();
      best.samples_ms.clear();  // timed anew, in turn with the one that would replace it
      time({&one[0], &best});
    }
    tuned_.trials.push_back(one[0]);
    return usable(one[0]) && (one[0].is_measured() || !one[0].spills()) ? time_of(one[0]) : never;
  }

  bool usable(const Trial& t) const {
    return !t.is_refused() && (t.is_checked || !o_.checks) && !std::isnan(time_of(t)) &&
           (o_.device == Device::model || t.is_measured());
  }

  // A single config is not timed: it wins by being right.
  std::vector<Trial*> candidates() {
    std::vector<Trial*> found;
    for (Trial& t : tuned_.trials)
      if (!t.is_refused() && (t.is_checked || !o_.checks) && !std::isnan(t.model.ms)) found.push_back(&t);
    const bool any_measured = std::ranges::any_of(found, [](const Trial* t) { return t->is_measured(); });
    if (any_measured) std::erase_if(found, [](const Trial* t) { return !t->is_measured(); });
    return found;
  }

  const Trial* fastest() {
    const auto all = candidates();
    return *std::ranges::min_element(all, [](const Trial* a, const Trial* b) { return is_before(*a, *b); });
  }

  // What has a time before what has none, and what was refused last.
  void sort_by_standing() { sort_by_standing(tuned_.trials.begin(), tuned_.trials.end()); }
  static void sort_by_standing(std::vector<Trial>::iterator first, std::vector<Trial>::iterator last) {
    const auto group = [](const Trial& t) {
      return std::pair(t.is_refused() || std::isnan(time_of(t)), t.standing == Trial::Standing::ranked);
    };
    std::stable_sort(first, last, [&](const Trial& a, const Trial& b) {
      return group(a) != group(b) ? group(a) < group(b) : !group(a).first && is_before(a, b);
    });
  }

  Tuned& tuned_;
  const TuneOptions& o_;
  machine::Device device_;
  run::MeasureOptions measure_;
  std::optional<RightConfigs> right_;
};

void require_sense(const TuneOptions& o) {
  std::string why_not;
  if (o.device == Device::cuda && !cuda::available(&why_not))
    throw Unavailable(why_not, "leave out --device cuda: the model ranks the configs");
}

}  // namespace

const Trial* Tuned::winner() const {
  const auto it = std::ranges::find(trials, Trial::Standing::winner, &Trial::standing);
  return it == trials.end() ? nullptr : &*it;
}

problems::Config Tuned::config() const {
  if (kept) return kept->config;
  const Trial* const best = winner();
  return best ? best->config : problems::Config{};
}

Tuned tune(const SpaceRequest& request, const TuneOptions& o) {
  require_sense(o);
  Tuned tuned;
  tuned.space = space_of(request);
  tuned.device = o.device;
  tuned.machine = machine_text(o.device, o.gpu, o.measure.threads);
  tuned.model = machine_text(Device::model, o.gpu, 0);
  if (o.device != Device::cuda) {
    const ShapesOnly no_data;
    run::require_built_in_text(tuned.space.problem->make(tuned.space.sizes, tuned.space.seed));
  }
  if (o.placement != machine::Placement::xored)
    tuned.why_not_kept = "our CUDA path places operands by xor, whatever the model takes";
  if (o.reads_cache && tuned.why_not_kept.empty()) tuned.kept = kept_winner(tuned.space, o.device, tuned.machine);
  if (tuned.kept && o.descends && !tuned.kept->is_descended) tuned.kept.reset();
  if (tuned.kept) return tuned;
  tuned.trials = trials_of(tuned.space);
  const run::KeepOnInterrupt keep;
  Session(tuned, o).run();
  tuned.is_stopped = run::stop_requested();
  const Trial* const best = tuned.winner();
  if (!best || !o.checks || !tuned.why_not_kept.empty() || tuned.is_stopped || tuned.failure) return tuned;
  keep_winner(tuned.space, {.kernel = tuned.space.problem->name,
                            .key = key_text(tuned.space),
                            .machine = tuned.machine,
                            .date = "",
                            .device = o.device,
                            .config = best->config,
                            .ms = o.device == Device::model || best->is_measured() ? time_of(*best) : 0,
                            .configs = std::ssize(tuned.trials),
                            .measured = std::ranges::count_if(tuned.trials, &Trial::is_measured),
                            .is_descended = o.descends});
  return tuned;
}

std::vector<Trial> measured(const Space& space, const std::vector<problems::Config>& configs, const TuneOptions& o) {
  Space few = space;
  few.configs = configs;
  std::vector<Trial> trials = trials_of(few);
  if (o.device == Device::model) {
    predict(few, machine::find_device(o.gpu), trials, {.compiles = o.compiles, .placement = o.placement});
    return trials;
  }
  run::MeasureOptions measure = o.measure;
  measure.device = o.device == Device::cuda ? run::Device::cuda : run::Device::cpu;
  std::vector<Trial*> all;
  for (Trial& t : trials) all.push_back(&t);
  measure_trials(few, all, measure);
  return trials;
}

}  // namespace tl::tune
