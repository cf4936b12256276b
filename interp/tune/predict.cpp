#include "interp/tune/predict.h"

#include <fmt/ranges.h>
#include <omp.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "interp/cpu/addresses.h"
#include "interp/lang/error.h"
#include "interp/machine/limits/least_time.h"
#include "interp/report/numbers.h"
#include "interp/report/terminal.h"
#include "interp/run/accesses.h"
#include "interp/run/model.h"

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
  std::shared_ptr<const trace::AccessRecord> of(const Launch& launch, const std::atomic<bool>& stop) {
    const std::string decided = decided_by(launch);
    std::unique_lock lock(mutex_);
    if (const auto known = records_.find(decided); known != records_.end()) return known->second;
    lock.unlock();
    auto record = std::make_shared<const trace::AccessRecord>(cpu::record_accesses(launch, {.stop = &stop}));
    lock.lock();
    return records_.emplace(decided, std::move(record)).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const trace::AccessRecord>> records_;
};

// What a launch of a config is simulated from.
struct Prepared {
  std::shared_ptr<const trace::AccessRecord> record;  // of all configs that touch the same
  std::vector<trace::AccessPattern> patterns;         // as this one's are routed
  bool uses_wgmma = false;
  int num_warps = 0, num_stages = 0;
  run::Model how;  // without its record

  trace::AccessRecord routed() const {
    trace::AccessRecord r = *record;
    r.patterns = patterns;
    r.uses_wgmma = uses_wgmma;
    r.num_warps = num_warps;
    r.num_stages = num_stages;
    return r;
  }
  // Whether the model takes both for one.
  bool is_as(const Prepared& o) const {
    const machine::ScheduleOptions &a = how.options, &b = o.how.options;
    return record == o.record && uses_wgmma == o.uses_wgmma && num_warps == o.num_warps &&
           a.ctas_per_sm == b.ctas_per_sm && a.threads_per_cta == b.threads_per_cta && a.stages == b.stages &&
           a.dots == b.dots && a.spilled_bytes == b.spilled_bytes && a.spills_fit == b.spills_fit &&
           patterns == o.patterns;
  }
};

// A trial, and what is known of it before it is simulated.
struct Candidate {
  Trial* trial;
  std::int64_t programs = 0;            // of its largest launch
  std::int64_t tiles = 0;               // of all launches
  machine::LeastTime least = {};        // one of its launches alone takes so long
  std::vector<Prepared> launches = {};  // until it is simulated

  bool is_as(const Candidate& o) const {
    return std::ranges::equal(launches, o.launches, [](const Prepared& a, const Prepared& b) { return a.is_as(b); });
  }
};

// The time beyond which no more needs to be known: that of the last config that needs its own, or twice the fastest's.
// It only falls as configs get their times, so that whoever is cut off by an earlier value is by the last.
class Limit {
 public:
  explicit Limit(std::size_t exact) : exact_(exact) {}
  void add(const Trial& t) {
    if (exact_ == 0 || t.is_refused() || t.spills() || t.model.is_least || std::isnan(t.model.ms)) return;
    const std::scoped_lock lock(mutex_);
    times_.insert(t.model.ms);
    if (times_.size() >= exact_)
      ms_ = std::max(2 * *times_.begin(), *std::next(times_.begin(), static_cast<std::ptrdiff_t>(exact_) - 1));
  }
  double ms() const { return ms_; }

 private:
  const std::size_t exact_;
  std::mutex mutex_;
  std::multiset<double> times_;
  std::atomic<double> ms_ = INFINITY;
};

// What CUDA's compiler refuses: interp/cuda/device/values/block.h has the number.
void require_registers(const trace::AccessRecord& record, const Launch& launch) {
  constexpr std::int64_t most = 512;
  const std::int64_t threads = std::int64_t{32} * launch.options.num_warps;
  for (const trace::AccessPattern& p : record.patterns)
    if (p.route == trace::Route::registers && p.lanes() > most * threads)
      throw Error(fmt::format("a block of {} lanes is {} for each of {} threads, and a thread holds {}",
                              report::count_text(p.lanes()), p.lanes() / threads, threads, most));
}

class Predictor {
 public:
  Predictor(const Space& space, const machine::Device& device, const PredictOptions& options,
            const std::atomic<bool>& stop)
      : space_(space),
        device_(device),
        options_(options),
        stop_(stop),
        limit_(space.tuning.model_ms ? 0 : options.exact) {}

  void predict(std::vector<Trial>& trials) {
    for (Trial& t : trials) candidates_.push_back({.trial = &t});
    each(candidates_, [&](Candidate& c) { count_programs(c); });
    prepare([](const Candidate& c) { return c.programs < worth_a_limit; });
    follow([](const Candidate& c) { return c.tiles < worth_a_limit; });
    // From here on who takes too long is cut off. Those of very many programs are not even recorded.
    const double known = limit_.ms();
    for (Candidate& c : candidates_)
      if (c.programs >= worth_a_limit && !is_over(*c.trial))
        if (c.tiles = c.programs, c.least = machine::least_time_of_starts(c.programs, device_); c.least.ms > known)
          cut_off(c, known);
    prepare([](const Candidate& c) { return c.programs >= worth_a_limit; });
    follow([](const Candidate& c) { return c.tiles >= worth_a_limit; });
    if (!stop_) tell_by_last_limit();
  }

 private:
  static constexpr std::int64_t worth_a_limit = 1 << 17;  // tiles: some milliseconds of simulation

  template <class F>
  void each(std::vector<Candidate>& candidates, F f) const {
#pragma omp parallel for schedule(dynamic, 1)
    for (std::size_t i = 0; i < candidates.size(); ++i) f(candidates[i]);
  }

  bool is_over(const Trial& t) const { return stop_ || t.is_refused() || !std::isnan(t.model.ms); }

  // Refuses the trial where `f` throws, with the error's words.
  template <class F>
  void refusing(Trial& trial, F f) const {
    const problems::LaidOutFor chip(run::chip_of(device_));
    const auto reason = [](const std::string& fact, const std::string& more) {
      return more.empty() ? fact : fact + ": " + more;
    };
    try {
      f();
    } catch (const FaultError& e) {
      if (e.fault.kind != FaultKind::stopped) trial.refuse(reason(e.fault.headline, e.fault.detail));
    } catch (const Error& e) {
      trial.refuse(reason(e.what(), e.fix));
    }
  }

  void count_programs(Candidate& c) const {
    Trial& trial = *c.trial;
    if (is_over(trial)) return;
    refusing(trial, [&] {
      if (space_.tuning.refuse)
        if (std::string why = space_.tuning.refuse(trial.settings); !why.empty()) return trial.refuse(std::move(why));
      const ShapesOnly no_data;
      for (const Launch& launch : space_.problem->make(trial.settings, space_.seed).launches) {
        run::refuse_huge_grids(launch);
        c.programs = std::max(c.programs, launch.grid.programs());
      }
    });
  }

  template <class Which>
  void prepare(Which which) {
    const auto groups = alike(which);
#pragma omp parallel
#pragma omp single
    for (const std::vector<Candidate*>& group : groups)
#pragma omp task firstprivate(group)
    {
      const auto records = std::make_shared<Records>();
      prepare_one(*group.front(), *records);  // which records for all of them
      for (std::size_t i = 1; i < group.size(); ++i) {
        Candidate* const c = group[i];
#pragma omp task firstprivate(c, records)
        prepare_one(*c, *records);
      }
    }
  }

  // Those that differ in warps, stages and registers alone, together.
  template <class Which>
  std::vector<std::vector<Candidate*>> alike(Which which) {
    std::map<std::map<std::string, std::string>, std::vector<Candidate*>> by_settings;
    for (Candidate& c : candidates_) {
      if (is_over(*c.trial) || !which(c)) continue;
      auto others = c.trial->settings.values;
      std::erase_if(others, [](const auto& value) { return is_of_launch(value.first); });
      by_settings[std::move(others)].push_back(&c);
    }
    std::vector<std::vector<Candidate*>> groups;
    for (auto& [settings, group] : by_settings) groups.push_back(std::move(group));
    return groups;
  }

  void prepare_one(Candidate& c, Records& records) const {
    if (is_over(*c.trial)) return;
    refusing(*c.trial, [&] {
      c.launches = cpu::without_data_if_possible([&] {
        const problems::Instance instance = space_.problem->make(c.trial->settings, space_.seed);
        c.trial->bytes = instance.bytes;
        c.trial->flops = instance.flops;
        c.tiles = 0;
        std::vector<Prepared> launches;
        for (const Launch& launch : instance.launches) launches.push_back(prepared(c, launch, records));
        return launches;
      });
    });
  }

  Prepared prepared(Candidate& c, const Launch& launch, Records& records) const {
    Prepared p;
    p.record = records.of(launch, stop_);
    require_registers(*p.record, launch);
    p.num_warps = launch.options.num_warps;
    p.num_stages = launch.options.num_stages;
    p.patterns = p.record->patterns;
    p.how = run::model_of(launch, p.routed(), device_,
                          {.why_not = options_.compiles ? "" : "a space is ranked without compiling each config",
                           .placement = options_.placement,
                           .stop = &stop_});
    trace::AccessRecord routed = std::exchange(p.how.record, {});
    p.uses_wgmma = routed.uses_wgmma;
    const machine::LeastTime least = machine::least_time_of(routed, device_, p.how.options);
    if (least.ms > c.least.ms) c.least = least;
    c.tiles += machine::tiles_to_follow(routed);
    p.patterns = std::move(routed.patterns);
    return p;
  }

  // Those that are soon followed come first, so that the limit is known to the others; what the model takes for one is
  // followed once.
  template <class Which>
  void follow(Which which) {
    std::vector<std::vector<Candidate*>> same;
    for (Candidate& c : candidates_) {
      if (is_over(*c.trial) || c.launches.empty() || !which(c)) continue;
      const auto as = std::ranges::find_if(same, [&](const auto& those) { return those.front()->is_as(c); });
      as == same.end() ? same.push_back({&c}) : as->push_back(&c);
    }
    std::ranges::stable_sort(same, {}, [](const auto& those) { return those.front()->tiles; });
#pragma omp parallel for schedule(dynamic, 1)
    for (std::size_t i = 0; i < same.size(); ++i) {
      const Followed f = followed(*same[i].front());
      for (Candidate* c : same[i]) {
        take(*c, f);
        limit_.add(*c->trial);
        c->launches = {};
      }
    }
  }

  struct Followed {
    Prediction sum;
    std::size_t longest = 0;  // of the launches
  };
  Followed followed(const Candidate& c) const {
    Followed f;
    if (stop_) return f;
    const double enough_ms = c.tiles >= worth_a_limit ? limit_.ms() : INFINITY;
    f.sum.ms = 0;
    f.sum.is_least = c.least.ms > enough_ms;
    double longest_ms = -1;
    for (const Prepared& p : c.launches) {
      if (f.sum.is_least) break;
      if (const double ms = add_launch(f.sum, p, enough_ms, longest_ms); ms > longest_ms) {
        longest_ms = ms;
        f.longest = static_cast<std::size_t>(&p - c.launches.data());
      }
    }
    return f;
  }

  // Adds a launch to what those before it took; returns what it takes.
  double add_launch(Prediction& sum, const Prepared& p, double enough_ms, double longest_ms) const {
    run::Model model = p.how;
    model.record = p.routed();
    model.options.enough_ms = enough_ms - sum.ms;
    const auto [schedule, roofline, cause] = run::figures_of(model, device_);
    sum.ms += schedule.model_ms;
    sum.is_least = schedule.is_beginning;
    sum.dram_bytes += schedule.dram_read_bytes + schedule.dram_write_bytes;
    sum.ops += roofline.flops;
    if (schedule.model_ms > longest_ms) {
      sum.waves = schedule.waves;
      sum.hit_rate = schedule.reads.logical_hit_rate();
      sum.cause = cause;
    }
    return schedule.model_ms;
  }

  void take(Candidate& c, const Followed& f) const {
    Prediction& model = c.trial->model;
    model = f.sum;
    const run::Model& how = c.launches[f.longest].how;
    model.occupancy = how.occupancy.fraction();
    model.ctas_per_sm = how.occupancy.ctas;
    model.registers = how.resources.cta.registers_per_thread;
    model.shared_bytes = how.resources.cta.shared_bytes;
    model.spills = how.resources.spills;
    for (const Prepared& p : c.launches) model.is_estimate |= p.how.resources.is_estimate;
    if (!space_.tuning.model_ms || stop_) return;
    refusing(*c.trial, [&] {
      if (const double ms = space_.tuning.model_ms(c.trial->settings); !std::isnan(ms)) model.ms = ms;
    });
  }

  // Limits fall while configs are followed, in an order that differs from run to run: what is said is what the last one
  // makes of each.
  void tell_by_last_limit() {
    for (Candidate& c : candidates_)
      if (const Trial& t = *c.trial;
          !t.is_refused() && c.tiles >= worth_a_limit && (t.model.is_least || t.model.ms > limit_.ms()))
        cut_off(c, limit_.ms());
  }

  static void cut_off(Candidate& c, double limit_ms) {
    Prediction& model = c.trial->model;
    model.is_least = true;
    model.ms = std::max(c.least.ms, limit_ms);
    model.why_least = c.least.ms > limit_ms ? c.least.why : "";
    model.waves = model.dram_bytes = model.hit_rate = model.ops = 0;
    model.cause = {};
  }

  const Space& space_;
  const machine::Device& device_;
  const PredictOptions& options_;
  const std::atomic<bool>& stop_;
  Limit limit_;
  std::vector<Candidate> candidates_;
};

}  // namespace

void predict(const Space& space, const machine::Device& device, std::vector<Trial>& trials,
             const PredictOptions& options, const std::atomic<bool>& stop) {
  const report::Progress progress(fmt::format("{} {}", options.compiles ? "compiling and modelling" : "modelling",
                                              report::plural(std::ssize(trials), "config")));
  Predictor(space, device, options, stop).predict(trials);
}

}  // namespace tl::tune
