#include "interp/tune/measure_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>

#include "interp/cpu/facts.h"
#include "interp/cuda/host/bench.h"
#include "interp/lang/error.h"
#include "interp/lang/stop_scope.h"
#include "interp/lang/unavailable.h"
#include "interp/report/numbers.h"
#include "interp/report/terminal.h"
#include "interp/run/execute.h"
#include "interp/run/interrupt.h"
#include "kernels/problems/shared_inputs.h"

namespace tl::tune {

namespace {

constexpr int timings_a_round = 3;  // on the interpreter
constexpr double gpu_round_ms = 20;

// Each trial's tensors, made at its first timing; inputs are shared by all.
class Interpreter {
 public:
  Interpreter(const Space& space, const run::MeasureOptions& o) : space_(space) {
    options_.threads = o.threads;
    options_.checks.hints = false;
    options_.stop = &run::stop_requested();
  }

  std::vector<double> operator()(Trial& trial) {
    const auto [it, is_new] = instances_.try_emplace(&trial);
    if (is_new) {
      it->second = run::make_instance(*space_.problem, trial.settings, space_.seed);
      timing(trial, it->second);  // a warm-up
    }
    std::vector<double> ms;
    for (int i = 0; i < timings_a_round && !run::stop_requested() && !trial.is_refused(); ++i)
      if (const double t = timing(trial, it->second); !run::stop_requested()) ms.push_back(t);
    return ms;
  }

 private:
  double timing(Trial& trial, const problems::Instance& instance) {
    if (space_.tuning.resets_outputs) instance.reset();
    const auto begin = std::chrono::steady_clock::now();
    const run::Execution e = run::run_on_cpu(instance, options_, run::Arithmetic("fp32"));
    const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - begin;
    if (!e.ok() && !e.was_stopped()) trial.refuse(e.faults.front().headline);
    return ms.count();
  }

  const Space& space_;
  cpu::RunOptions options_;
  problems::SharedInputs inputs_;
  std::map<const Trial*, problems::Instance> instances_;
};

class Gpu {
 public:
  Gpu(const Space& space, const run::MeasureOptions& o) : space_(space) {
    options_ = {.warmup_ms = 5, .measure_ms = gpu_round_ms, .min_repetitions = 5, .generic = o.generic};
  }

  std::vector<double> operator()(Trial& trial) {
    const problems::Instance instance = run::make_instance(*space_.problem, trial.settings, space_.seed);
    if (space_.tuning.resets_outputs) options_.restored = instance.outputs;
    const StopScope scope(&run::stop_requested());
    const cuda::BenchResult result = cuda::bench(instance.launches, cpu::facts_of, {}, options_);
    options_.replays = result.replayed;  // as the first, or a warm L2 would win
    return result.samples_ms;
  }

 private:
  const Space& space_;
  cuda::BenchOptions options_;
  problems::SharedInputs inputs_;
};

double total(const std::vector<double>& samples) { return std::accumulate(samples.begin(), samples.end(), 0.0); }

const Trial* fastest(const std::vector<Trial*>& trials) {
  return *std::ranges::min_element(trials, [](const Trial* a, const Trial* b) { return is_before(*a, *b); });
}

}  // namespace

void measure_in_rounds(std::vector<Trial*> left, const Timings& measure, double most_ms,
                       const std::function<bool()>& is_stopped) {
  while (left.size() > 1) {
    for (Trial* trial : left) {
      if (is_stopped()) return;
      const std::vector<double> more = measure(*trial);
      trial->samples_ms.insert(trial->samples_ms.end(), more.begin(), more.end());
    }
    std::erase_if(left, [](const Trial* t) { return t->is_refused() || !t->is_measured(); });
    if (left.empty()) return;
    const Interval best = interval_of(fastest(left)->samples_ms);
    std::erase_if(left, [&](Trial* t) { return interval_of(t->samples_ms).low > best.high; });
    std::erase_if(left, [&](Trial* t) { return total(t->samples_ms) >= most_ms && t->samples_ms.size() >= 5; });
  }
}

void measure_trials(const Space& space, const std::vector<Trial*>& trials, const run::MeasureOptions& o) {
  report::Progress progress;
  std::size_t number = 0;
  const bool on_gpu = o.device == run::Device::cuda;
  const auto guarded = [&](auto& executor) {
    return [&](Trial& trial) -> std::vector<double> {
      progress.show(fmt::format("timing {} {}: {} (Ctrl-C ends with what there is)", space.problem->name,
                                problems::config_text(trial.config),
                                report::plural(static_cast<std::int64_t>(++number), "timing")));
      try {
        return executor(trial);
      } catch (const Unavailable&) {
        throw;
      } catch (const Stopped&) {
      } catch (const FaultError& e) {
        if (e.fault.kind == FaultKind::stopped) return {};
        trial.refuse(e.fault.headline);
        if (on_gpu)
          throw Unavailable(
              e.fault.headline,
              "the GPU takes no more work in this process: leave the config out by --refuse, and tune again");
      } catch (const Error& e) {
        if (trial.is_measured()) throw Unavailable(e);  // it ran before: the machine has changed, not the config
        trial.refuse(e.what());
      }
      return {};
    };
  };
  const auto is_stopped = [] { return run::stop_requested().load(); };
  if (on_gpu) {
    Gpu gpu(space, o);
    measure_in_rounds(trials, guarded(gpu), o.measure_ms, is_stopped);
  } else {
    Interpreter interpreter(space, o);
    measure_in_rounds(trials, guarded(interpreter), o.measure_ms, is_stopped);
  }
}

void rank(const std::vector<Trial*>& trials) {
  std::vector<Trial*> right;
  for (Trial* t : trials)
    if (!t->is_refused() && !std::isnan(time_of(*t))) right.push_back(t);
  if (right.empty()) return;
  const Trial* const best = fastest(right);
  const Interval won = interval_of(best->samples_ms);
  for (Trial* t : right) {
    const bool overlaps = best->is_measured() && interval_of(t->samples_ms).low <= won.high;
    t->standing = t == best ? Trial::Standing::winner : overlaps ? Trial::Standing::tied : Trial::Standing::behind;
  }
}

}  // namespace tl::tune
