// Records a case on the interpreter: every launch, with the checks a debugger wants, bounded in memory and in ops.
#pragma once

#include <atomic>
#include <string>

#include "interp/cli/kernel_case.h"
#include "interp/trace/recorder.h"

namespace CLI { class App; }

namespace tl::cli {

struct RecordingOptions {
  std::string values;               // a condition: programs that keep their values
  std::int64_t programs = 1 << 20;  // at most so many of them
  std::int64_t budget_mb = 512;
  std::int64_t step_limit = 1'000'000;  // ops a program may take
  const std::atomic<bool>* stop = nullptr;  // null: Ctrl-C
  bool shows_progress = true;
};

// --programs, --budget and --step-limit.
void add_recording_options(CLI::App& command, RecordingOptions& options);
// Shows progress on a terminal. Ctrl-C ends the run, and what was recorded so far is kept.
trace::RecordedTrace record(const Case& c, const RecordingOptions& options);

}  // namespace tl::cli
