#include "interp/run/record.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "interp/cpu/run.h"
#include "interp/lang/error.h"
#include "interp/lang/free_memory.h"
#include "interp/lang/stop_scope.h"
#include "interp/report/terminal.h"
#include "interp/run/execute.h"
#include "interp/run/interrupt.h"
#include "interp/run/truth.h"
#include "interp/sources/sources.h"
#include "interp/trace/file.h"

namespace tl::run {

using namespace report;

namespace {

// The tensors as they were, and three words beside each element for the checks.
void require_memory(const Case& c) {
  double needed = 0;
  for (const auto* group : {&c.instance.inputs, &c.instance.outputs})
    for (const Tensor& t : *group)
      needed += static_cast<double>(t.storage_bytes()) + 12.125 * static_cast<double>(t.storage_elems);
  const double free = free_memory().value_or(needed);
  if (needed > free)
    throw Error(fmt::format("recording {} takes {:.1f} GB beside its tensors, and {:.1f} GB are free", c.problem->name,
                            needed / 1e9, free / 1e9),
                "choose smaller sizes");
}

// Before the first program begins there is nothing to keep, and copying the tensors may take long.
class KeepingRecorder : public trace::Recorder {
 public:
  KeepingRecorder(trace::RecorderOptions options, bool keeps) : Recorder(std::move(options)), keeps_(keeps) {}
  trace::Keep program_begins(ProgramId id) override {
    if (keeps_ && !keep_) keep_.emplace(KeepOnInterrupt::Second::comes_alone);
    return Recorder::program_begins(id);
  }

 private:
  const bool keeps_;
  std::optional<KeepOnInterrupt> keep_;
};

}  // namespace

trace::RecordedTrace record(const Case& c, const RecordingOptions& options) {
  require_built_in_text(c.instance);
  require_memory(c);
  const std::int64_t all = programs_of(c.instance);
  const auto is_stopped = [&] { return options.stop && *options.stop; };
  Progress progress("preparing the recording of " + c.problem->name);  // a copy of every tensor
  auto shown = std::chrono::steady_clock::now();
  trace::RecorderOptions recording;
  recording.values = PidCondition::parse(options.values);
  recording.values_programs = options.programs;
  recording.budget_bytes = static_cast<std::size_t>(options.budget_mb) << 20;
  recording.progress = [&](std::int64_t programs, std::int64_t steps) {
    const auto now = std::chrono::steady_clock::now();
    if (!options.shows_progress || now - shown < std::chrono::milliseconds(100)) return;
    shown = now;
    progress.show(fmt::format("recording: program {} of {}, {} ops{}", programs, all, steps,
                              options.stop ? " (Ctrl-C stops and keeps what there is)" : ""));
  };
  recording.load_source = kernel_text;
  KeepingRecorder recorder(recording, options.keeps_on_interrupt);
  cpu::RunOptions run;
  run.order = cpu::Order::sequential;
  run.observer = &recorder;
  run.stop = options.stop;
  run.op_limit = options.step_limit;
  run.checks.uninitialized = run.checks.race = run.checks.undefined_lane = true;
  bool has_failed = false;
  for (const Launch& launch : c.instance.launches) {
    has_failed = false;
    options.arithmetic.apply(run, launch);
    for (const Fault& f : cpu::run(launch, run).faults)
      has_failed |= f.kind != FaultKind::race;  // a race lets the run go on
    if (has_failed || is_stopped()) break;
  }
  trace::RecordedTrace recorded = recorder.take();
  if (is_stopped()) recorded.notes.push_back("stopped before the end: later programs did not run");
  else if (options.finds_wrong && !has_failed) recorded.wrong = wrong_elements(c.instance, options.arithmetic);
  return recorded;
}

std::optional<std::string> kernel_text(const std::string& file) {
  const std::string_view text = sources::source(file);
  return text.empty() ? trace::read_text(file) : std::optional<std::string>(text);
}

trace::RecordedTrace record_until_interrupt(const Case& c, RecordingOptions options) {
  options.keeps_on_interrupt = true;
  options.stop = &stop_requested();
  const StopScope scope(options.stop);  // of later launches' tensors
  trace::RecordedTrace recorded = record(c, options);
  if (*options.stop && recorded.steps() == 0) throw Stopped();
  return recorded;
}

void require_recording(const std::string& target, const std::vector<std::string>& settings) {
  if (!settings.empty())
    throw Error(fmt::format("\"{}\" is a recording: it has no settings", target),
                "give a kernel instead, or leave the settings out");
}

bool is_recording(const std::string& target) {
  std::error_code error;
  if (problems::names_file(target)) return false;
  return target.find_first_of("./") != std::string::npos ||
         (std::filesystem::is_regular_file(target, error) && trace::looks_like_trace(target));
}

}  // namespace tl::run
