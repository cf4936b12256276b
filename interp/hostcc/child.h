// Runs a command in a process of its own, with limits, so that somebody's kernel can do no harm and nothing that it
// starts outlives it.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "interp/hostcc/ending.h"

namespace tl::hostcc {

struct ChildLimits {
  double seconds = 20;            // on the clock; then the child and what it started are killed
  int cpu_seconds = 20;           // of processor time
  std::int64_t memory_bytes = 0;  // that it may write; 0: no limit, as a sanitizer's shadow memory wants
  std::int64_t file_bytes = std::int64_t{256} << 20;  // of any file it writes
  const std::atomic<bool>* stop = nullptr;            // when it is set, the child is killed
  std::vector<std::string> variables = {};            // NAME=value, beside the environment's own
  std::filesystem::path scratch = {};                 // its TMPDIR; "": a folder that goes with it
};

struct ChildResult : Ending {
  std::string out, err;  // at most 256 KiB each
  std::string result;    // what it wrote to file descriptor 3
};

// `argv[0]` is looked up in PATH. `folder` is where it runs, "": in its TMPDIR. `input` is its stdin; `on_line` gets
// each line of `result` as it comes. Throws Error where it cannot be started.
ChildResult run_child(const std::vector<std::string>& argv, const std::filesystem::path& folder,
                      const std::string& input, const ChildLimits& limits,
                      const std::function<void(const std::string& line)>& on_line = {});

// Runs `work` in a copy of this process, of which the thread that calls alone goes on. Its end of `work` is success.
ChildResult run_copy(const std::function<void()>& work, const ChildLimits& limits);

// In a child that is a program of ours: notes for its parent how it ends.
void keep_note_for_parent();

// The path of a command by PATH; "": PATH has no such command. A path to a program is returned as it is.
std::string in_path(const std::string& command);

}  // namespace tl::hostcc
