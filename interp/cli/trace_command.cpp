// tilescope trace KERNEL -o FILE: records a run for later.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/lang/output_file.h"
#include "interp/run/interrupt.h"
#include "interp/run/record_text.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

struct TraceOptions {
  KernelOptions kernel;
  RecordingOptions recording;
  std::string out;
  Device device = Device::cpu;
  bool json = false;
};

int trace_kernel(const TraceOptions& options) {
  require_interpreter(options.device);
  require_writable(options.out);
  const Case c = make_case(options.kernel);
  RecordingOptions recording = options.recording;
  recording.finds_wrong = true;
  trace::RecordedTrace recorded = record_until_interrupt(c, recording);
  const PidCondition kept = PidCondition::parse(options.recording.values);
  if (std::ranges::none_of(recorded.programs, [&](const trace::RecordedProgram& p) { return kept.matches(p.id); }))
    recorded.notes.push_back(fmt::format("no program matches '{}'", options.recording.values));
  const bool is_cut_short = stop_requested();
  save_recording(recorded, options.out);
  if (options.json) fmt::print("{}\n", recording_json(c, recorded, options.out).dump(2));
  else fmt::print("{}", recording_text(c, recorded, options.out, paint_of(stdout)));
  return is_cut_short                         ? interrupted("the trace holds what ran before")
         : recording_faults(recorded).empty() ? exit_ok
                                              : exit_failed;
}

}  // namespace

void add_trace_command(CLI::App& program, int& exit_code) {
  auto* command = program.add_subcommand("trace", "record a kernel's run into a file");
  auto options = std::make_shared<TraceOptions>();
  add_kernel_options(*command, options->kernel);
  command->add_option("-o,--out", options->out, "the file, by custom .tltrace")->required()->type_name("FILE");
  command
      ->add_option("--values", options->recording.values,
                   "programs that keep their values: '=0', ',>1', '>1,=0'; default: all")
      ->type_name("COND");
  add_recording_options(*command, options->recording);
  add_device_option(*command, options->device, "cpu alone: a GPU keeps no record");
  command->add_flag("--json", options->json, "a summary for other programs to read");
  command->footer(
      "Exit code: 0 the run went well, 1 it failed (the trace is kept, and shows where), 2 wrong use.\n\n"
      "Example:\n  tilescope trace softmax rows=64 cols=100 -o softmax.tltrace\n  tilescope debug softmax.tltrace");
  command->callback([options, &exit_code] { exit_code = trace_kernel(*options); });
}

}  // namespace tl::cli
