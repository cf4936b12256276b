// The schedule of programs: in parallel when nobody watches, else in the chosen order.
#include "interp/cpu/run.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

#include "interp/cpu/checks.h"
#include "interp/cpu/independence.h"
#include "interp/cpu/replay.h"
#include "interp/cpu/shares.h"
#include "interp/cpu/state.h"
#include "interp/cpu/turns.h"

namespace tl::cpu {

trace::LaunchInfo info_of(const Launch& launch, std::vector<Tensor>& tensors) {
  trace::LaunchInfo info;
  info.kernel = launch.kernel;
  info.source = launch.source;
  info.grid[0] = launch.grid.x;
  info.grid[1] = launch.grid.y;
  info.grid[2] = launch.grid.z;
  const auto add = [&](const Tensor& t) {
    tensors.push_back(t);
    info.tensors.push_back({t.name, t.dtype, t.shape, t.strides, t.storage_elems, t.holds_data ? t.data() : nullptr});
    info.arguments.push_back(t.name);
  };
  for (const Argument& a : launch.arguments) {
    if (const auto* t = std::get_if<TensorArgument>(&a)) add(t->tensor);
    else if (const auto* d = std::get_if<DescriptorArgument>(&a)) add(d->tensor);
    else info.arguments.push_back(text_of(a));
  }
  for (const Tensor& t : launch.reached) {
    add(t);
    info.arguments.pop_back();
  }
  return info;
}

bool RunOptions::is_over() const {
  if (stop && stop->load(std::memory_order_relaxed)) return true;
  if (!deadline) return false;
  thread_local unsigned calls = 0;
  thread_local std::clock_t now = 0;
  if (calls++ % 64 == 0) now = std::clock();  // it is slow
  return now > *deadline;
}

void check_launch(const Launch& launch) {
  const Grid& g = launch.grid;
  if (g.x <= 0 || g.y <= 0 || g.z <= 0)
    throw Error(fmt::format("the grid {} x {} x {} has no programs", g.x, g.y, g.z),
                "launch at least one program an axis");
  if (g.x > 2147483647 || g.y > 2147483647 || g.z > 2147483647 || g.programs() > 2147483647)
    throw Error("the grid has more than 2147483647 programs", "use larger blocks");
  if (g.y > 65535 || g.z > 65535)
    throw Error(fmt::format("the grid {} x {} x {} is larger than a GPU's, 2147483647 x 65535 x 65535", g.x, g.y, g.z),
                "put the axis with the most programs first, or use larger blocks");
  for (const Argument& a : launch.arguments) {
    const auto* d = std::get_if<DescriptorArgument>(&a);
    if (!d) continue;
    if (d->block_shape.size() != d->tensor.shape.size() || d->block_shape.empty() || d->block_shape.size() > 4)
      throw Error(fmt::format("the tiles of \"{}\" have {} axes, the tensor {}", d->tensor.name, d->block_shape.size(),
                              d->tensor.shape.size()),
                  "give one block size an axis, at most 4");
    for (const int n : d->block_shape)
      if (n <= 0 || (n & (n - 1)))
        throw Error(fmt::format("a tile of \"{}\" has {} lanes along an axis, no power of two", d->tensor.name, n),
                    "round the block size up");
  }
}

namespace {

std::int64_t number_of(const ProgramId& p, const Grid& g) { return p.x + g.x * (p.y + g.y * p.z); }

// Of the faults that many programs have at one place, the first.
std::vector<Fault> each_place_once(std::vector<Fault> faults) {
  std::vector<Fault> once;
  for (Fault& f : faults)
    if (std::ranges::none_of(once, [&](const Fault& g) { return is_same_place(f, g); })) once.push_back(std::move(f));
  return once;
}

// On which so many programs run where nothing orders them.
int threads_for(std::int64_t programs, const RunOptions& options) {
  const int wanted = options.threads > 0 ? options.threads : omp_get_max_threads();
  return static_cast<int>(std::min<std::int64_t>(wanted, programs));
}

// Threads that run at once share the processor time until the deadline.
RunOptions with_time_of_threads(RunOptions options, std::int64_t programs) {
  const bool remembers = options.checks.uninitialized || options.checks.race;
  if (options.deadline && options.order == Order::parallel && !remembers) {
    const std::clock_t now = std::clock();
    *options.deadline = now + (*options.deadline - now) * threads_for(programs, options);
  }
  return options;
}

class Runner {
 public:
  Runner(const Launch& launch, const RunOptions& asked)
      : options_(with_time_of_threads(asked, launch.grid.programs())),
        shared_{.launch = launch, .options = options_, .tensors = {}, .info = {}} {
    const RunOptions& options = options_;
    shared_.info = info_of(launch, shared_.tensors);
    if (options.checks.uninitialized || options.checks.race) {
      shadow_ = std::make_unique<Shadow>(shared_.tensors, options.checks);
      shared_.shadow = shadow_.get();
    }
  }

  // All programs, or those of the numbers alone.
  RunResult run(const std::vector<std::int64_t>* numbers = nullptr) {
    const RunOptions& options = shared_.options;
    trace::Observer* observer = options.observer;
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t clock = std::clock();
    if (observer) observer->launch_begins(shared_.info);
    const std::int64_t n = numbers ? std::ssize(*numbers) : shared_.launch.grid.programs();
    const bool in_order = options.order != Order::parallel || shadow_;
    if (in_order) one_by_one(n);
    else if (observer) watched_alone(n);
    else in_parallel(n, [numbers](std::int64_t i) { return numbers ? (*numbers)[static_cast<std::size_t>(i)] : i; });
    // Programs run in no fixed order in parallel: their faults are told by number.
    if (!in_order)
      std::stable_sort(result_.faults.begin(), result_.faults.end(),
                       [&](const Fault& a, const Fault& b) { return number_of(a.program) < number_of(b.program); });
    result_.faults = each_place_once(std::move(result_.faults));
    if (observer) observer->launch_ends();
    if (n > 1 && shadow_) result_.ordered_at = shadow_->ordered_at();
    result_.wall_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    result_.processor_time = (std::clock() - clock) / (in_order || observer ? 1 : threads_for(n, options));
    return std::move(result_);
  }

 private:
  ProgramId id_of(std::int64_t i) const {
    const Grid& g = shared_.launch.grid;
    if (i < g.x) return {i, 0, 0};  // a grid of one axis needs no division
    return {i % g.x, i / g.x % g.y, i / (g.x * g.y)};
  }
  std::int64_t number_of(const ProgramId& p) const { return cpu::number_of(p, shared_.launch.grid); }

  bool replays(Replay& replay, std::int64_t i) const {
    const Grid& g = shared_.launch.grid;
    return i < g.x ? replay.run(i, 0, 0) : replay.run(i % g.x, i / g.x % g.y, i / (g.x * g.y));
  }

  bool is_stopped() const { return shared_.options.is_over(); }

  // Runs one program to its end; false when it failed.
  bool program(State& s, std::int64_t i, trace::Keep keep) {
    s.begin_program(id_of(i), keep);
    if (is_stopped()) {  // programs of a few ops never look themselves
      Fault f;
      f.kind = FaultKind::stopped;
      f.program = s.program;
      f.headline = "stopped before program " + text_of(s.program, shared_.launch.grid);
      s.reported.push_back(std::move(f));
      return false;
    }
    try {
      shared_.launch.on_cpu(s.context);
    } catch (FaultError& e) {
      e.fault.program = s.program;
      s.stop_polling();
      s.reported.push_back(e.fault);
      if (shared_.options.observer && keep != trace::Keep::nothing) shared_.options.observer->fault(e.fault);
      return false;
    }
    s.stop_polling();
    last_op = {};
    return true;
  }

  void collect(State& s) {
    result_.faults.insert(result_.faults.end(), s.reported.begin(), s.reported.end());
    s.reported.clear();
  }

  void one_by_one(std::int64_t n) {
    const RunOptions& options = shared_.options;
    std::vector<std::int64_t> order;
    if (options.order == Order::shuffled) {
      order.resize(static_cast<std::size_t>(n));
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
      std::mt19937_64 random(options.seed);
      for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    }
    const auto number = [&](std::int64_t i) {
      return options.order == Order::shuffled   ? order[static_cast<std::size_t>(i)]
             : options.order == Order::reversed ? n - 1 - i
                                                : i;
    };
    shared_.running = 1;
    if (options.observer && !options.turns) watched_one_by_one(n, number);
    else in_turns(n, number);
    shared_.running = 0;
  }

  template <class F>
  void watched_one_by_one(std::int64_t n, F number) {
    trace::Observer* observer = shared_.options.observer;
    State s(shared_);
    bool ok = true;
    for (std::int64_t i = 0; i < n && ok; ++i) {
      const std::int64_t at = number(i);
      const trace::Keep keep = observer->program_begins(id_of(at));
      if (shared_.options.only_watched && keep == trace::Keep::nothing) continue;
      ok = program(s, at, keep);
      observer->program_ends(id_of(at));
      result_.programs += ok;
    }
    collect(s);
  }

  // One after the other, but that a program that waits for another one gives it its turn.
  template <class F>
  void in_turns(std::int64_t n, F number) {
    trace::Observer* observer = shared_.options.observer;
    std::map<std::thread::id, std::unique_ptr<State>> states;
    Turns turns(n, shared_.options.programs_at_once, [&](std::int64_t i) {
      std::unique_ptr<State>& s = states[std::this_thread::get_id()];
      if (!s) s = std::make_unique<State>(shared_);
      const ProgramId id = id_of(number(i));
      const trace::Keep keep = observer ? observer->program_begins(id) : trace::Keep::nothing;
      if (shared_.options.only_watched && keep == trace::Keep::nothing) return true;
      const bool ok = program(*s, number(i), keep);
      if (observer) observer->program_ends(id);
      result_.programs += ok;
      collect(*s);
      return ok;
    });
    shared_.turns = &turns;
    turns.run_all();
    shared_.turns = nullptr;
  }

  // Programs that the observer wants to see run alone; those between them in parallel.
  void watched_alone(std::int64_t n) {
    trace::Observer* observer = shared_.options.observer;
    State s(shared_);
    std::vector<std::int64_t> unwatched;
    bool ok = true;
    const auto flush = [&] {
      const std::size_t before = result_.faults.size();
      ok = in_parallel(static_cast<std::int64_t>(unwatched.size()),
                       [&](std::int64_t i) { return unwatched[static_cast<std::size_t>(i)]; });
      for (std::size_t i = before; i < result_.faults.size(); ++i) observer->fault(result_.faults[i]);
      unwatched.clear();
    };
    for (std::int64_t i = 0; i < n && ok; ++i) {
      const trace::Keep keep = observer->program_begins(id_of(i));
      if (keep == trace::Keep::nothing) {
        unwatched.push_back(i);
      } else {
        if (!unwatched.empty()) flush();
        if (ok) {
          shared_.running = 1;
          ok = program(s, i, keep);
          result_.programs += ok;
          shared_.running = 0;
        }
      }
      observer->program_ends(id_of(i));
    }
    if (ok && !unwatched.empty()) flush();
    collect(s);
  }

  // Where programs fault, those before the first of them still run, and it alone is told: the same one each time.
  template <class F>
  bool in_parallel(std::int64_t n, F number) {
    const int threads = threads_for(n, shared_.options);
    Shares shares(n, threads);
    alignas(64) std::atomic<std::int64_t> first_failed{n};
    alignas(64) std::atomic<std::int64_t> done{0};
    alignas(64) std::atomic<Replay::Verdict> verdict{Replay::at_first(n, threads, shared_.options)};
    std::exception_ptr broken;
    std::mutex mutex;
#pragma omp parallel num_threads(threads)
    {
      ++shared_.running;
      try {
        State s(shared_);
        Replay replay(s, verdict);
        std::int64_t ended = 0;
        const auto failed_at = [&](std::int64_t i) {
          for (std::int64_t first = first_failed; i < first && !first_failed.compare_exchange_weak(first, i);) {
          }
        };
        for (Shares::Range r; (r = shares.next(omp_get_thread_num(), first_failed)).size() > 0;)
          for (std::int64_t i = r.begin; i < r.end && i < first_failed; ++i) {
            const std::int64_t at = number(i);
            const bool may_replay = verdict.load(std::memory_order_relaxed) != Replay::Verdict::no;
            if (may_replay && !is_stopped() && replays(replay, at)) {
              ++ended;
              continue;
            }
            if (may_replay) replay.begin_program();
            const bool ok = program(s, at, trace::Keep::nothing);
            if (may_replay) replay.end_program(ok);
            if (ok) ++ended;
            else failed_at(is_stopped() ? -1 : i);
          }
        done += ended;
        if (!s.reported.empty()) {  // seldom: all threads end at once, and would wait for each other
          const std::lock_guard lock(mutex);
          collect(s);
        }
      } catch (...) {  // out of memory, or a kernel that throws
        const std::lock_guard lock(mutex);
        broken = std::current_exception();
        first_failed = -1;
      }
      --shared_.running;
    }
    if (broken) std::rethrow_exception(broken);
    result_.programs += done;
    const std::int64_t first = first_failed;
    if (first >= 0 && first < n)
      std::erase_if(result_.faults, [&](const Fault& f) { return number_of(f.program) > number(first); });
    return first == n;
  }

  const RunOptions options_;
  LaunchState shared_;
  std::unique_ptr<Shadow> shadow_;
  RunResult result_;
};

}  // namespace

namespace {

// Programs of which some are still to be watched for undefined lanes: as one run would have told, in the programs'
// order, each place once, and nothing behind the first program that failed.
RunResult run_apart(const Launch& launch, const RunOptions& options, const std::vector<std::int64_t>& watched) {
  RunOptions watching = options, unchecked = options;
  watching.checks.race = watching.checks.uninitialized = false;
  unchecked.checks = {.hints = options.checks.hints, .differences = options.checks.differences};
  if (watched.empty()) return Runner(launch, unchecked).run();
  std::vector<std::int64_t> others;
  for (std::int64_t i = 0, at = 0; i < launch.grid.programs(); ++i)
    if (at < std::ssize(watched) && watched[static_cast<std::size_t>(at)] == i) ++at;
    else others.push_back(i);
  RunResult all;
  std::int64_t first_failed = launch.grid.programs();
  const auto number = [&](const Fault& f) { return number_of(f.program, launch.grid); };
  const auto run_those = [&](const std::vector<std::int64_t>& numbers, const RunOptions& how) {
    if (numbers.empty()) return;
    const RunResult r = Runner(launch, how).run(&numbers);
    if (r.programs < std::ssize(numbers) && !r.faults.empty())
      first_failed = std::min(first_failed, number(r.faults.back()));
    all.faults.insert(all.faults.end(), r.faults.begin(), r.faults.end());
    all.programs += r.programs;
    all.wall_ms += r.wall_ms;
    all.processor_time += r.processor_time;
  };
  run_those(watched, watching);
  run_those(others, unchecked);
  std::erase_if(all.faults, [&](const Fault& f) { return number(f) > first_failed; });
  std::ranges::stable_sort(all.faults, {}, number);
  all.faults = each_place_once(std::move(all.faults));
  return all;
}

}  // namespace

RunResult run(const Launch& launch, const RunOptions& options) {
  check_launch(launch);
  if (const std::optional<Independence> known = independence_of(launch, options))
    return run_apart(launch, options, known->with_undefined_lanes);
  return Runner(launch, options).run();
}

}  // namespace tl::cpu
