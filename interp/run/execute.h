// Runs a case on one of the executors.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "interp/report/terminal.h"
#include "interp/run/arithmetic.h"
#include "interp/run/kernel_case.h"

namespace tl::run {

struct Execution {
  std::vector<Fault> faults;
  std::int64_t programs = 0;
  double wall_ms = 0;
  std::clock_t processor_time = 0;      // cpu: of each of the threads that ran at once
  std::optional<Site> ordered_at = {};  // cpu::RunResult
  double gpu_ms = NAN;                  // the kernels alone
  std::vector<std::string> notes;       // a fallback and its reason
  problems::Tf32 tf32 = problems::Tf32::rounded;
  bool ok() const { return faults.empty(); }
  bool was_stopped() const;
};

// The interpreter runs the kernels that were built into the program. With other texts in --sources or TILESCOPE_SOURCES
// it would run code that the user does not see: throws Error then.
void require_built_in_text(const problems::Instance& instance);

// --sources: takes the kernels from `folder` and returns the paths whose text differs. Throws Error where `folder`
// holds neither kernels/NAME.h, as `wanted`, nor any other of the program's texts: else the built-in texts would run
// unnoticed.
std::vector<std::string> use_sources(const std::string& folder, const std::string& wanted);

// Runs all launches of the instance in order, up to the first fault. The caller resets the tensors before.
Execution run_on_cpu(const problems::Instance& instance, cpu::RunOptions options, const Arithmetic& = Arithmetic());
// Throws Error without a GPU.
Execution run_on_cuda(const problems::Instance& instance, bool generic = false);

// The checks named in a list: all, none, uninit, race, undef, hints, nan. Throws Error for others.
cpu::Checks parse_checks(const std::vector<std::string>& names);

// uninit, race, ..: those that are on.
std::vector<std::string> names_of(const cpu::Checks&);

}  // namespace tl::run
