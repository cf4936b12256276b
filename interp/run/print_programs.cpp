#include "interp/run/print_programs.h"

#include <fmt/format.h>

#include <deque>
#include <optional>
#include <utility>

#include "interp/debug/program_line.h"
#include "interp/lang/pid_condition.h"
#include "interp/lang/text.h"
#include "interp/sources/sources.h"
#include "interp/trace/recorder.h"

namespace tl::run {

namespace {

trace::RecorderOptions options_for(const PidCondition& condition) {
  trace::RecorderOptions recording;
  recording.values = condition;
  recording.others = trace::Keep::nothing;
  recording.load_source = [](const std::string& file) -> std::optional<std::string> {
    const std::string_view text = sources::source(file);
    return text.empty() ? std::nullopt : std::optional<std::string>(text);
  };
  return recording;
}

// Records one program at a time, and forgets it with its line.
class Printer : public trace::Recorder {
 public:
  Printer(const PidCondition& condition, std::size_t launches, const std::atomic<bool>* stop, std::FILE* to)
      : Recorder(options_for(condition)), condition_(condition), launches_(launches), stop_(stop), to_(to) {}

  std::int64_t printed() const { return printed_; }
  const std::string& note() const { return note_; }  // where a program did not fit in memory

  void launch_begins(const trace::LaunchInfo& info) override {
    info_ = info;
    for (trace::TensorInfo& t : info_.tensors) t.data = nullptr;  // lines tell of values, not of memory
    ++launch_;
    has_head_ = launches_ == 1;
  }
  trace::Keep program_begins(ProgramId id) override {
    if (!condition_.matches(id)) return trace::Keep::nothing;
    Recorder::launch_begins(info_);
    return Recorder::program_begins(id);
  }
  void program_ends(ProgramId id) override {
    if (!condition_.matches(id)) return;
    Recorder::program_ends(id);
    const trace::RecordedTrace trace = take();
    if (stop_ && *stop_) return;  // perhaps before the program's end
    if (!texts_ || trace.files != files_) texts_.emplace(trace);
    files_ = trace.files;
    if (!std::exchange(has_head_, true))
      fmt::print(to_, "launch {} of {}, {}:\n", launch_, launches_, short_name(info_.kernel));
    fmt::print(to_, "{}\n", debug::program_line(trace, 0, *texts_));
    std::fflush(to_);
    ++printed_;
    for (const std::string& note : trace.notes)
      if (note.find("budget") != std::string::npos) note_ = note;
  }
  void launch_ends() override {}

 private:
  const PidCondition condition_;
  const std::size_t launches_;
  const std::atomic<bool>* const stop_;
  std::FILE* const to_;
  trace::LaunchInfo info_;
  std::size_t launch_ = 0;
  bool has_head_ = false;  // of the launch, told before its first line
  std::int64_t printed_ = 0;
  std::string note_;
  std::deque<std::string> files_;
  std::optional<debug::Sources> texts_;  // of these files
};

}  // namespace

Execution run_and_print(const problems::Instance& instance, cpu::RunOptions options, const Arithmetic& arithmetic,
                        const std::string& condition, std::FILE* to) {
  Printer printer(PidCondition::parse(condition), instance.launches.size(), options.stop, to);
  options.observer = &printer;
  if (options.order == cpu::Order::parallel)
    options.order = cpu::Order::sequential;  // lines in the order of the programs
  Execution execution = run_on_cpu(instance, options, arithmetic);
  if (printer.printed() == 0) execution.notes.push_back(fmt::format("no program matches '{}'", condition));
  if (!printer.note().empty()) execution.notes.push_back(printer.note());
  return execution;
}

}  // namespace tl::run
