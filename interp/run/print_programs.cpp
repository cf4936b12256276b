#include "interp/run/print_programs.h"

#include <fmt/format.h>

#include "interp/debug/program_line.h"
#include "interp/lang/pid_condition.h"
#include "interp/sources/sources.h"
#include "interp/trace/recorder.h"

namespace tl::run {

Execution run_and_print(const problems::Instance& instance, cpu::RunOptions options, const std::string& condition,
                        std::FILE* to) {
  trace::RecorderOptions recording;
  recording.values = PidCondition::parse(condition);
  recording.others = trace::Keep::nothing;
  recording.load_source = [](const std::string& file) -> std::optional<std::string> {
    const std::string_view text = sources::source(file);
    return text.empty() ? std::nullopt : std::optional<std::string>(text);
  };
  trace::Recorder recorder(recording);
  options.observer = &recorder;
  if (options.order == cpu::Order::parallel)
    options.order = cpu::Order::sequential;  // lines in the order of the programs
  Execution execution = run_on_cpu(instance, options);

  const trace::RecordedTrace trace = recorder.take();
  const debug::Sources texts(trace);
  std::int64_t printed = 0;
  int shown = -1;  // the launch whose lines follow
  for (std::size_t i = 0; i < trace.programs.size(); ++i) {
    if (trace.programs[i].keep != trace::Keep::values) continue;
    if (const int launch = trace.programs[i].launch; launch != shown && trace.launches.size() > 1) {
      const std::string& kernel = trace.launches[static_cast<std::size_t>(launch)].kernel;
      fmt::print(to, "launch {} of {}, {}:\n", launch + 1, instance.launches.size(),
                 kernel.substr(kernel.rfind(':') + 1));
      shown = launch;
    }
    fmt::print(to, "{}\n", debug::program_line(trace, i, texts));
    ++printed;
  }
  if (printed == 0) execution.notes.push_back(fmt::format("no program matches '{}'", condition));
  // That the others were not recorded is what was asked for; that memory ran out is not.
  for (const std::string& note : trace.notes)
    if (note.find("budget") != std::string::npos) execution.notes.push_back(note);
  return execution;
}

}  // namespace tl::run
