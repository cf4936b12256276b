#include "interp/cli/debug_command.h"

#include <fmt/format.h>

#include <filesystem>

#include "interp/cli/line_input.h"
#include "interp/cli/record.h"
#include "interp/cli/terminal.h"
#include "interp/debug/debugger.h"
#include "interp/trace/file.h"

namespace tl::cli {

namespace {

struct DebugOptions {
  KernelOptions kernel;
  RecordingOptions recording;
  std::string start;
};

trace::RecordedTrace recording_of(const DebugOptions& options) {
  if (is_trace_file(options.kernel.kernel)) {
    if (!options.kernel.settings.empty()) throw Error(fmt::format("\"{}\" is a recording: it has no settings", options.kernel.kernel), "give a kernel instead, or leave the settings out");
    return trace::load(options.kernel.kernel);
  }
  RecordingOptions recording = options.recording;
  recording.values = options.start;
  return record(make_case(options.kernel), recording);
}

int debug(const DebugOptions& options) {
  debug::Debugger debugger(recording_of(options), {.paint = {has_colours(stdout)}, .start = options.start});
  LineInput input([&](const std::string& line) { return debugger.completions(line); });
  fmt::print("{}", debugger.greeting());
  while (!debugger.is_done()) {
    const auto line = input.read(debugger.prompt());
    if (!line) break;
    if (input.was_interrupted()) continue;
    fmt::print("{}", debugger.execute(*line));
  }
  return 0;
}

}  // namespace

bool is_trace_file(const std::string& target) {
  std::error_code error;
  return target.find_first_of("./") != std::string::npos || (std::filesystem::is_regular_file(target, error) && trace::looks_like_trace(target));
}

void add_debug_command(CLI::App& program, int& exit_code) {
  auto* command = program.add_subcommand("debug", "record a kernel's run, then step through it, forwards and backwards");
  auto options = std::make_shared<DebugOptions>();
  add_kernel_options(*command, options->kernel);
  command->get_option("kernel")->description("which kernel, or a recording (.tltrace)");
  command->add_option("--break", options->start, "begin at the first program that fits: '=0', ',>1', '>1,=0'; only such programs keep their values")->type_name("COND");
  add_recording_options(*command, options->recording);
  command->footer(
      "Examples:\n"
      "  tilescope debug copy_wrong_offsets n=6 block=2\n"
      "  tilescope debug lecture_matmul m=100 n=100 k=64 --break '=1,=1'\n"
      "  printf 'watch z[1]\\ngoto end\\nrc\\n' | tilescope debug copy_wrong_offsets n=6 block=2\n"
      "In the debugger, `help` lists the commands.");
  command->callback([options, &exit_code] { exit_code = debug(*options); });
}

}  // namespace tl::cli
