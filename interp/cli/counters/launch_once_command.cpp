// tilescope launch-once: the hidden command that `tilescope counters` runs under ncu.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "interp/cli/commands.h"
#include "interp/cpu/facts.h"
#include "interp/cuda/host/device.h"
#include "interp/cuda/host/launch_once.h"
#include "interp/lang/error.h"
#include "interp/lang/input_file.h"
#include "interp/run/counters/case_list.h"
#include "interp/run/counters/measured_timeline.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

nlohmann::ordered_json facts_json(const cuda::LaunchFacts& f) {
  const cuda::Resources& r = f.resources;
  return {{"kernel", f.kernel},
          {"grid", {f.grid.x, f.grid.y, f.grid.z}},
          {"threads", r.threads},
          {"registers", r.registers},
          {"static_shared_bytes", r.static_shared_bytes},
          {"dynamic_shared_bytes", r.dynamic_shared_bytes},
          {"programs_per_sm", f.programs_per_sm},
          {"unprofiled_ms", f.gpu_ms},
          {"notes", f.notes}};
}

nlohmann::ordered_json run_case(const MeasuredCase& c, bool timeline) {
  const Case made = make_case(c.kernel);
  if (const Launch& first = made.instance.launches.front(); timeline)
    return timeline_json(cuda::measure_timeline(first, cpu::facts_of(first)), cuda::device_info().name);
  auto launches = nlohmann::ordered_json::array();
  for (const auto& f : cuda::launch_once(made.instance.launches, cpu::facts_of, c.generic))
    launches.push_back(facts_json(f));
  return {{"launches", std::move(launches)}};
}

int launch_all(const std::string& path, bool timeline) {
  for (const MeasuredCase& c : parse_cases(read_regular_file(path, most_text_bytes, "give a list of cases"))) {
    nlohmann::ordered_json line;
    try {
      line = run_case(c, timeline);
    } catch (const Error& e) {  // the others can run all the same
      line = {{"error", e.what()}, {"fix", e.fix}};
    }
    fmt::print("{}\n", line.dump());
    std::fflush(stdout);
  }
  return exit_ok;
}

}  // namespace

void add_launch_once_command(CLI::App& program, int& exit_code) {
  auto path = std::make_shared<std::string>();
  auto timeline = std::make_shared<bool>(false);
  CLI::App* command =
      program.add_subcommand("launch-once", "each case of a list once on the GPU, for a profiler")->group("");
  command->add_option("cases", *path, "a list as of `tilescope counters --cases`")->required()->type_name("FILE");
  command->add_flag("--timeline", *timeline, "when and where each program of the first launch ran, instead");
  command->callback([path, timeline, &exit_code] { exit_code = launch_all(*path, *timeline); });
}

}  // namespace tl::cli
