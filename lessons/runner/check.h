// The checker that terminal, window and tests share: compiles the learner's kernel, runs it in a child process, and
// says what is wrong.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "lessons/runner/report.h"

namespace tl::lessons {

struct CheckOptions {
  std::filesystem::path file = {};  // the kernel's text; "": the learner's own
  std::string program = {};         // the tilescope program, whose `learn --worker` runs the kernel; "": this one
  double seconds = 10;              // the run may take, and 20 more where it goes to a GPU as well
  std::optional<std::uint64_t> seed = {};                     // of the values by chance; none: another one each time
  bool gpu = true;                                            // there as well, where there is one
  std::function<void(const std::string& sizes)> begins = {};  // called before each trial
  const std::atomic<bool>* stop = nullptr;                    // set by another thread: the check ends with an Error
};

// Throws Error: no compiler, a full disk, no such file, stopped.
Report check(const Lesson& lesson, const CheckOptions& options = {});

// Records the kernel at one of the lesson's trials, in a child as well, into the file `out` for `tilescope debug`;
// beside it, with .plans added to its name, how CUDA would make requests of its lines (line_plans.h), where its run
// came to an end. Throws Error, CompileError.
void record_kernel(const Lesson& lesson, const CheckOptions& options, int trial, const std::filesystem::path& out);

// The child's part: loads the compiled kernel from standard input and writes the report to file descriptor 3. Returns
// the exit code.
int work(const Lesson& lesson, const std::filesystem::path& file, bool gpu, std::uint64_t seed);
int work_recording(const Lesson& lesson, const std::filesystem::path& file, int trial,
                   const std::filesystem::path& out);

// Where a kernel was as it ended, from the place of its last op.
std::string last_op_text(std::string_view file, int line);

// All trials of a lesson on a kernel, up to the first that fails. `begins` is called before each trial.
// `seed`: of the values by chance, on which a kernel that passes them runs as well.
Report run_trials(const Lesson& lesson, const Kernel& kernel, const std::function<void(const std::string&)>& begins,
                  std::uint64_t seed);

}  // namespace tl::lessons
