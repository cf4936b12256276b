#include "interp/run/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "interp/cpu/facts.h"
#include "interp/cuda/host/run.h"
#include "interp/lang/text.h"
#include "interp/sources/sources.h"

namespace tl::run {

using namespace report;

bool Execution::was_stopped() const {
  return std::any_of(faults.begin(), faults.end(), [](const Fault& f) { return f.kind == FaultKind::stopped; });
}

Execution run_on_cpu(const problems::Instance& instance, cpu::RunOptions options, const Arithmetic& arithmetic) {
  Execution all;
  for (const Launch& launch : instance.launches) {
    arithmetic.apply(options, launch);
    if (options.dots.matrix == rules::Matrix::wgmma) all.tf32 = problems::Tf32::truncated;
    cpu::RunResult r = cpu::run(launch, options);
    all.programs += r.programs;
    all.wall_ms += r.wall_ms;
    all.processor_time += r.processor_time;
    if (r.ordered_at) all.ordered_at = r.ordered_at;
    all.faults = std::move(r.faults);
    if (!all.faults.empty()) break;  // what follows would only repeat it
  }
  return all;
}

void require_built_in_text(const problems::Instance& instance) {
  for (const Launch& launch : instance.launches)
    if (sources::differs_from_built_in(launch.source))
      throw Error(
          fmt::format(
              "{} is another in --sources or TILESCOPE_SOURCES, and the interpreter runs the one it was built with",
              launch.source),
          "add --device cuda, leave the folder out, or build tilescope from those sources");
}

std::vector<std::string> use_sources(const std::string& folder, const std::string& wanted) {
  auto changed = sources::use_sources_from(folder);
  // A user's file stands where it stands; what it includes is the folder's.
  const std::string asked = wanted.starts_with("kernels") ? wanted : "interp/tl.h";
  if (changed.empty() && !std::filesystem::exists(std::filesystem::path(folder) / asked))
    throw Error(fmt::format("the folder \"{}\" holds no {}", folder, asked),
                "give a folder that holds kernels/NAME.h, or interp/ as in tilescope's sources");
  return changed;
}

Execution run_on_cuda(const problems::Instance& instance, bool generic) {
  cuda::RunOptions options;
  options.generic = generic;
  cuda::RunResult r = cuda::run(instance.launches, cpu::facts_of, options);
  for (const std::string& line : r.prints) fmt::print("{}\n", line);
  return {.faults = std::move(r.faults),
          .programs = r.programs,
          .wall_ms = r.wall_ms,
          .gpu_ms = r.gpu_ms,
          .notes = std::move(r.notes),
          .tf32 = r.truncates_tf32 ? problems::Tf32::truncated : problems::Tf32::rounded};
}

cpu::Checks parse_checks(const std::vector<std::string>& names) {
  cpu::Checks checks{.hints = false};
  for (const std::string& given : names) {
    const std::string name = trimmed(given);
    if (name == "all") checks = {true, true, true, true, true, true};
    else if (name == "none") checks = {.hints = false};
    else if (name == "uninit") checks.uninitialized = true;
    else if (name == "race") checks.race = true;
    else if (name == "undef") checks.undefined_lane = true;
    else if (name == "hints") checks.hints = true;
    else if (name == "nan") checks.nan = checks.differences = true;
    else if (name != "triton")  // triton_check.h
      throw Error("there is no check \"" + name + "\"",
                  "choose from all, none, uninit, race, undef, hints, nan, triton, with commas between them");
  }
  return checks;
}

std::vector<std::string> names_of(const cpu::Checks& checks) {
  std::vector<std::string> names;
  for (const auto& [name, is_on] :
       {std::pair("uninit", checks.uninitialized), std::pair("race", checks.race),
        std::pair("undef", checks.undefined_lane), std::pair("hints", checks.hints), std::pair("nan", checks.nan)})
    if (is_on) names.emplace_back(name);
  return names;
}

}  // namespace tl::run
