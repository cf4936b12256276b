// Runs a launch for addresses alone, one program by the kernel's text and the others, where they can, by replaying its
// addresses.
#include "interp/cpu/independence.h"

#include <algorithm>

#include "interp/cpu/absent.h"
#include "interp/cpu/addresses.h"
#include "interp/cpu/footprints.h"
#include "interp/cpu/recording.h"
#include "interp/cpu/replay.h"

namespace tl::cpu {

namespace {

using Verdict = Footprints::Verdict;

class Survey : trace::Observer {
 public:
  Survey(const Launch& launch, const RunOptions& options)
      : launch_(launch),
        checks_(options.checks),
        run_(run_options(options)),
        shared_{.launch = launch, .options = run_, .tensors = {}, .info = {}},
        state_(shared_) {
    shared_.info = info_of(launch, shared_.tensors);
    shared_.running = 1;
    state_.recording = &recording_;
    state_.has_data = false;
  }

  std::optional<Independence> run() {
    footprints_.emplace(shared_.tensors, std::int64_t{32} * launch_.options.num_warps);
    const std::size_t most = shared_.tensors.size();
    for (std::size_t i = 0; i <= most; ++i)
      if (const Verdict v = run_once(); v != Verdict::again)
        return v == Verdict::independent ? std::optional(result_) : std::nullopt;
    return {};
  }

 private:
  struct NotIndependent {
    Verdict verdict;
  };

  RunOptions run_options(const RunOptions& asked) {
    RunOptions run;
    run.order = Order::sequential;
    run.observer = this;
    run.stop = asked.stop;
    run.deadline = asked.deadline;
    run.op_limit = asked.op_limit;
    run.dots = asked.dots;
    run.checks = {.undefined_lane = asked.checks.undefined_lane, .hints = asked.checks.hints};
    return run;
  }

  Verdict run_once() {
    result_ = {};
    footprints_->begin();
    std::atomic<Replay::Verdict> may{launch_.grid.programs() > 2 ? Replay::Verdict::untried : Replay::Verdict::no};
    Replay replay(state_, may);
    trace::AccessBuilder unread(shared_.info, launch_.options.num_warps, launch_.options.num_stages);
    try {
      const Grid& g = launch_.grid;
      std::int64_t i = 0;
      for (ProgramId p; p.z < g.z; ++p.z)
        for (p.y = 0; p.y < g.y; ++p.y)
          for (p.x = 0; p.x < g.x; ++p.x, ++i) {
            footprints_->begin_program();
            has_undefined_lanes_ = false;
            if (!follow(replay, p)) walk(replay, p, unread);
            footprints_->end_program();
            if (has_undefined_lanes_) result_.with_undefined_lanes.push_back(i);
            if (i % 4096 == 4095 && run_.stop && run_.stop->load(std::memory_order_relaxed)) return Verdict::unknown;
          }
    } catch (const NotIndependent& e) {
      return e.verdict;
    } catch (const FaultError&) {  // as the run itself will find
      return Verdict::unknown;
    } catch (const NeedsValues&) {
      return Verdict::unknown;
    }
    return footprints_->verdict();
  }

  bool follow(Replay& replay, ProgramId p) {
    return replay.follow(p.x, p.y, p.z, [&](const trace::Access& a, bool is_undefined) {
      has_undefined_lanes_ |= is_undefined;
      add(a);
    });
  }

  void walk(Replay& replay, ProgramId p, trace::AccessBuilder& unread) {
    replay.begin_program();
    state_.begin_program(p, trace::Keep::accesses);
    recording_.begin_program(unread, false);
    unread.begin_program(p);
    launch_.on_cpu(state_.context);
    replay.end_program(true);
    unread.end_program();
    unread.drop_program();
    if (state_.asks_values) throw NotIndependent{Verdict::unknown};
    if (recording_.has_printed()) throw NotIndependent{Verdict::unknown};  // its lines come in the programs' order
  }

  void op(const trace::OpEvent& e) override {
    if (!e.access) return;
    for (const trace::Value& v : e.results)
      has_undefined_lanes_ |= static_cast<const Value*>(v.object)->undefined != nullptr;
    add(*e.access);
  }

  void add(const trace::Access& a) {
    if (checks_.uninitialized && !a.writes() && !holds_no_poison(a.tensor)) throw NotIndependent{Verdict::unknown};
    if (const Verdict v = footprints_->access(a); v != Verdict::independent) throw NotIndependent{v};
  }

  bool holds_no_poison(int tensor) {
    const auto at = static_cast<std::size_t>(tensor);
    if (poison_free_.size() <= at) poison_free_.resize(at + 1);
    if (!poison_free_[at]) {
      const std::vector<bool> written = written_elements(shared_.tensors[at]);
      poison_free_[at] = std::find(written.begin(), written.end(), false) == written.end();
    }
    return *poison_free_[at];
  }

  const Launch& launch_;
  Checks checks_;
  RunOptions run_;
  LaunchState shared_;
  State state_;
  Recording recording_{state_};
  std::optional<Footprints> footprints_;
  std::vector<std::optional<bool>> poison_free_;  // of the tensors, where it was asked
  bool has_undefined_lanes_ = false;
  Independence result_;
};

}  // namespace

std::optional<Independence> independence_of(const Launch& launch, const RunOptions& o) {
  const bool remembers = o.checks.race || o.checks.uninitialized;
  if (!remembers || o.checks.nan || o.observer || o.order != Order::parallel) return {};
  return Survey(launch, o).run();
}

}  // namespace tl::cpu
