// tilescope trace KERNEL -o FILE: records a run for later.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/lang/output_file.h"
#include "interp/report/fault_text.h"
#include "interp/report/terminal.h"
#include "interp/run/interrupt.h"
#include "interp/run/record.h"
#include "interp/trace/file.h"

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
  trace::RecordedTrace recorded = record_until_interrupt(c, options.recording);
  const PidCondition kept = PidCondition::parse(options.recording.values);
  if (std::ranges::none_of(recorded.programs, [&](const trace::RecordedProgram& p) { return kept.matches(p.id); }))
    recorded.notes.push_back(fmt::format("no program matches '{}'", options.recording.values));
  const bool is_cut_short = stop_requested();
  {
    Progress progress;
    trace::save(recorded, options.out, [&](std::size_t done) {
      if (done % 256 == 0)
        progress.show(fmt::format("writing {}: program {} of {}", options.out, done, recorded.programs.size()));
    });
  }
  std::vector<const Fault*> faults;
  for (const trace::RecordedProgram& p : recorded.programs)
    for (const trace::RecordedFault& f : p.faults)
      if (f.fault.kind != FaultKind::stopped || !f.fault.fix.empty())
        faults.push_back(&f.fault);  // stopped by a limit, not by Ctrl-C
  std::error_code no_size;           // of a device or a pipe
  const auto size = std::filesystem::file_size(options.out, no_size);
  const std::int64_t bytes = no_size ? 0 : static_cast<std::int64_t>(size);
  const auto exit_code = [&] {
    return is_cut_short ? interrupted("the trace holds what ran before") : faults.empty() ? exit_ok : exit_failed;
  };
  if (options.json) {
    nlohmann::ordered_json json;
    json["kernel"] = c.problem->name;
    json["settings"] = settings_json(*c.problem, c.settings);
    json["file"] = options.out;
    json["bytes"] = bytes;
    json["launches"] = recorded.launches.size();
    json["programs"] = recorded.programs.size();
    json["ops"] = recorded.steps();
    json["faults"] = nlohmann::ordered_json::array();
    for (const Fault* f : faults) json["faults"].push_back(fault_json(*f));
    json["notes"] = recorded.notes;
    fmt::print("{}\n", json.dump(2));
    return exit_code();
  }
  fmt::print("{}: {} program{}, {} ops, {:.1f} kB in {}\n", c.problem->name, recorded.programs.size(),
             recorded.programs.size() == 1 ? "" : "s", recorded.steps(), static_cast<double>(bytes) / 1024,
             options.out);
  for (const std::string& note : recorded.notes) fmt::print("  {}\n", note);
  if (!faults.empty()) fmt::print("{}", fault_text(*faults.front(), paint_of(stdout)));
  if (faults.size() > 1) fmt::print("  and {} more\n", faults.size() - 1);
  fmt::print("`tilescope debug {}` steps through it.\n", options.out);
  return exit_code();
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
