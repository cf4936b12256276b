// An address run: the programs of a launch one after the other, recorded; again with values where data decides.
#include "interp/cpu/addresses.h"

#include <algorithm>

#include "interp/cpu/absent.h"
#include "interp/cpu/recording.h"

namespace tl::cpu {

namespace {

class AddressRun {
 public:
  AddressRun(const Launch& launch, const AddressOptions& options, trace::Observer* observer)
      : launch_(launch),
        run_(run_options(options, observer)),
        programs_(std::min(launch.grid.programs(), options.first_programs)),
        shared_{.launch = launch_, .options = run_, .tensors = {}, .info = {}},
        state_(shared_) {
    shared_.info = info_of(launch, shared_.tensors);
    shared_.running = 1;
    state_.recording = &recording_;
    state_.has_data = options.with_values;
  }

  // Runs the programs that the observer wants to see.
  void watch() {
    trace::Observer& observer = *run_.observer;
    trace::AccessBuilder unread(shared_.info, launch_.options.num_warps, launch_.options.num_stages);
    observer.launch_begins(shared_.info);
    for (std::int64_t i = 0; i < programs_; ++i) {
      const trace::Keep keep = observer.program_begins(id_of(i));
      if (keep == trace::Keep::nothing) continue;
      program(i, unread, false, keep);
      unread.drop_program();
      observer.program_ends(id_of(i));
    }
    observer.launch_ends();
  }

  trace::AccessRecord record(bool compresses, bool confirms) {
    trace::AccessBuilder out(shared_.info, launch_.options.num_warps, launch_.options.num_stages), full = out;
    for (std::int64_t i = 0; i < programs_; ++i) {
      if (!compresses || !compressed(i, out)) program(i, out, false);
      else if (confirms && is_sample(i, programs_) && !is_confirmed(i, out, full)) return record(false, false);
    }
    return out.take();
  }

 private:
  static RunOptions run_options(const AddressOptions& options, trace::Observer* observer) {
    RunOptions run;
    run.order = Order::sequential;
    run.observer = observer;
    run.stop = options.stop;
    run.op_limit = options.op_limit;
    run.poll_limit = 10'000;  // nobody else runs: who waits, waits for ever
    return run;
  }

  ProgramId id_of(std::int64_t i) const {
    const Grid& g = launch_.grid;
    return {i % g.x, i / g.x % g.y, i / (g.x * g.y)};
  }

  void program(std::int64_t i, trace::AccessBuilder& out, bool compresses, trace::Keep keep = trace::Keep::nothing) {
    const ProgramId id = id_of(i);
    state_.begin_program(id, keep);
    recording_.begin_program(out, compresses);
    out.begin_program(id);
    try {
      launch_.on_cpu(state_.context);
    } catch (FaultError& e) {
      e.fault.program = id;
      throw;
    }
    out.end_program();
  }

  // False where the program must be run in full: it left a loop whose iterations ran out of order, or failed, perhaps
  // in an iteration that it never comes to.
  bool compressed(std::int64_t i, trace::AccessBuilder& out) {
    try {
      program(i, out, true);
      if (!recording_.was_misled()) return true;
    } catch (const FaultError& e) {
      if (e.fault.kind == FaultKind::stopped) throw;
    } catch (const NeedsValues&) {
    }
    out.drop_program();
    return false;
  }

  // A few programs are run in full as well: what a C++ variable of the kernel does in a loop, nobody hears of.
  static bool is_sample(std::int64_t i, std::int64_t programs) {
    return i == programs - 1 || i % (programs / 6 + 1) == 0;
  }

  bool is_confirmed(std::int64_t i, const trace::AccessBuilder& out, trace::AccessBuilder& full) {
    const trace::AccessRecord& r = out.record();
    if (trace::access_count(r, r.programs.back()) > most_confirmed) return true;
    program(i, full, false);
    const bool same = trace::same_accesses(r, r.programs.back(), full.record(), full.record().programs.back());
    full.drop_program();
    return same;
  }

  static constexpr std::int64_t most_confirmed =
      100'000;  // accesses: a program of more would cost more than all others
  const Launch& launch_;
  RunOptions run_;
  std::int64_t programs_;
  LaunchState shared_;
  State state_;
  Recording recording_{state_};
};

void refuse_empty_tensors(const Launch& launch, const std::string& why) {
  for (const Argument& a : launch.arguments) {
    const auto* t = std::get_if<TensorArgument>(&a);
    const auto* d = std::get_if<DescriptorArgument>(&a);
    if (const Tensor* tensor = t ? &t->tensor : d ? &d->tensor : nullptr; tensor && !tensor->holds_data)
      throw NeedsTensorData(
          "the kernel decides by data what it touches, and \"" + tensor->name + "\" holds none: " + why,
          "make the problem with its tensors filled");
  }
}

// f(options), once more with values where it turns out that data decides; then `why` says so.
template <class F>
auto with_values_if_needed(const Launch& launch, AddressOptions options, std::string& why, F f) {
  check_launch(launch);
  if (options.with_values) return f(options);
  try {
    return f(options);
  } catch (const NeedsValues& e) {
    refuse_empty_tensors(launch, e.what());
    options.with_values = true;
    why = e.what();
    return f(options);
  }
}

}  // namespace

trace::AccessRecord record_accesses(const Launch& launch, const AddressOptions& options) {
  std::string why;
  trace::AccessRecord r = with_values_if_needed(launch, options, why, [&](const AddressOptions& o) {
    return AddressRun(launch, o, nullptr).record(o.compress_loops && !o.with_values, o.confirms);
  });
  r.needed_values = std::move(why);
  return r;
}

void watch_addresses(const Launch& launch, trace::Observer& observer, const AddressOptions& options) {
  std::string why;
  with_values_if_needed(launch, options, why,
                        [&](const AddressOptions& o) { AddressRun(launch, o, &observer).watch(); });
}

}  // namespace tl::cpu
