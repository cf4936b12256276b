// Records a case on the interpreter: every launch, with the checks a debugger wants, bounded in memory and in ops.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "interp/run/arithmetic.h"
#include "interp/run/kernel_case.h"
#include "interp/trace/recorder.h"

namespace tl::run {

struct RecordingOptions {
  std::string values;               // a condition: programs that keep their values
  std::int64_t programs = 1 << 20;  // at most so many of them
  std::int64_t budget_mb = 512;
  std::int64_t step_limit = 1'000'000;      // ops a program may take
  const std::atomic<bool>* stop = nullptr;  // ends the run, and what was recorded so far is kept; null: nobody asks
  Arithmetic arithmetic = Arithmetic();
  bool shows_progress = true;
  bool finds_wrong = false;         // by the case's reference: RecordedTrace::wrong
  bool keeps_on_interrupt = false;  // see KeepOnInterrupt: from the first program on
};

// The text of a file that a recording names: as it was built in, else from the disk.
std::optional<std::string> kernel_text(const std::string& file);
// Shows progress on a terminal.
trace::RecordedTrace record(const Case& c, const RecordingOptions& options);
// The first Ctrl-C ends the run and keeps what was recorded so far; throws Stopped if that is nothing.
trace::RecordedTrace record_until_interrupt(const Case& c, RecordingOptions options);

// A recording rather than a kernel or a kernel's file.
bool is_recording(const std::string& target);
// Throws Error for settings, which a recording has none of.
void require_recording(const std::string& target, const std::vector<std::string>& settings);

}  // namespace tl::run
