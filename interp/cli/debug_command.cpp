// tilescope debug KERNEL | FILE: record, then browse, forwards and backwards.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/debug/debugger.h"
#include "interp/lang/stop_scope.h"
#include "interp/report/line_input.h"
#include "interp/report/terminal.h"
#include "interp/run/interrupt.h"
#include "interp/run/record.h"
#include "interp/run/truth.h"
#include "interp/trace/file.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

struct DebugOptions {
  KernelOptions kernel;
  RecordingOptions recording;
  std::string start;
  Device device = Device::cpu;
  bool json = false;
};

// `known`: the case of a recording that is made here.
trace::RecordedTrace recording_of(const DebugOptions& options, std::optional<Case>& known) {
  if (is_recording(options.kernel.kernel)) {
    require_recording(options.kernel.kernel, options.kernel.settings);
    return trace::load(options.kernel.kernel);
  }
  RecordingOptions recording = options.recording;
  recording.values = options.start;
  recording.finds_wrong = true;
  known = make_case(options.kernel);
  return record_until_interrupt(*known, recording);
}

// One line of JSON for other programs: the command, the debugger's answer, and where the debugger stands then.
std::string answer_json(debug::Debugger& debugger, const std::string& command, const std::string& output) {
  debug::Session& session = debugger.session();
  const ProgramId id = session.program().id;
  nlohmann::ordered_json j{
      {"command", command}, {"output", output}, {"program", {id.x, id.y, id.z}}, {"step", session.now().step}};
  j["ok"] = !debugger.refused();
  if (const auto& error = debugger.refused()) j["error"] = {{"fact", error->what()}, {"fix", error->fix}};
  const debug::ProgramView& view = session.view();
  j["steps"] = view.steps();
  if (session.now().step < view.steps()) {
    const trace::Step& next = view.step(session.now().step);
    j["next"] = {{"op", trace::text_of(next.op)}, {"line", next.site.line}, {"column", next.site.column}};
  }
  return j.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int debug(const DebugOptions& options) {
  require_interpreter(options.device);
  std::optional<Case> known;
  trace::RecordedTrace recording = recording_of(options, known);
  debug::Debugger debugger(std::move(recording),
                           {.paint = {has_colours(stdout) && !options.json},
                            .start = options.start,
                            .why = known ? reasons_of(*known, options.recording.arithmetic) : nullptr});
  LineInput input([&](const std::string& line) { return debugger.completions(line); });
  const auto print_answer = [&](const std::string& command, const std::string& output) {
    fmt::print("{}", options.json ? answer_json(debugger, command, output) : output);
    std::fflush(stdout);  // a program at the other end of a pipe waits for the answer
  };
  print_answer("", debugger.greeting());
  // At a terminal Ctrl-C ends only the command that is running.
  std::optional<KeepOnInterrupt> keep;
  if (input.is_interactive()) keep.emplace(KeepOnInterrupt::Second::is_nothing_more);
  const StopScope scope(keep ? &stop_requested() : nullptr);
  while (!debugger.is_done()) {
    const auto line = input.read(options.json ? "" : debugger.prompt());
    if (!line) break;
    if (input.was_interrupted()) continue;
    forget_interrupt();
    print_answer(*line, debugger.execute(*line));
  }
  return 0;
}

}  // namespace

void add_debug_command(CLI::App& program, int& exit_code) {
  auto* command =
      program.add_subcommand("debug", "record a kernel's run, then step through it, forwards and backwards");
  auto options = std::make_shared<DebugOptions>();
  add_kernel_options(*command, options->kernel);
  command->get_option("kernel")->description("which kernel, or a recording (.tltrace)");
  command
      ->add_option("--break", options->start,
                   "begin at the first program that fits: '=0', ',>1', '>1,=0'; only such programs keep their values")
      ->type_name("COND");
  add_recording_options(*command, options->recording);
  add_device_option(*command, options->device, "cpu alone: a GPU keeps no record");
  command->add_flag("--json", options->json,
                    "a JSON object a command: what it says, program and step, the next op; for other programs");
  command->footer(
      "Examples:\n"
      "  tilescope debug copy_wrong_offsets n=6 block=2\n"
      "  tilescope debug lecture_matmul m=100 n=100 k=64 --break '=1,=1'\n"
      "  printf 'watch z[1]\\ngoto end\\nrc\\n' | tilescope debug copy_wrong_offsets n=6 block=2\n"
      "In the debugger, `help` lists the commands.");
  command->callback([options, &exit_code] { exit_code = debug(*options); });
}

}  // namespace tl::cli
