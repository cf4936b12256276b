// The result of a check, for terminal, window and tests. The child process sends it as JSON.
#pragma once

#include <string>
#include <vector>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

struct GpuReport {
  enum class State { absent, agrees, differs };
  State state = State::absent;
  std::string device, text;  // NVIDIA H200; why no GPU ran it, or what differs
  int trials = 0;
};

// What CUDA's compiler says of the text, where there is one; it needs no GPU.
struct CudaReport {
  enum class State { absent, accepts, refuses };
  State state = State::absent;
  std::string version;  // 13.0
};

// What the kernel's run of one trial took, beside the solution's.
struct Score {
  struct Figure {
    std::string name;  // loads, sectors
    std::int64_t mine = 0, best = 0;
  };
  std::string sizes;  // of the trial
  std::vector<Figure> figures;
  int busiest_line = 0;  // whose requests take the most sectors; 0: unknown
};

struct Report {
  std::vector<std::string> passed;  // sizes of the trials that went well
  int trials = 0;                   // there are
  std::string during;               // the trial that did not
  std::optional<Finding> finding;   // what is wrong; none: all is well
  bool has_right_numbers = false;   // the finding is about work
  int compiler_errors = 0;          // it is the first of them
  std::string printed;              // what the kernel printed
  GpuReport gpu;
  CudaReport cuda;
  Score score;                     // of a kernel that passed; no figures: nothing to measure by
  std::vector<std::string> notes;  // of a kernel that passed: right, and not as everybody would write it
  bool is_starter = false;         // the kernel is as the lesson gave it
  bool ran = false;  // it ran to its end or to a fault, so that it can be recorded; else it did not compile, crashed or
                     // was killed
  double compile_ms = 0, run_ms = 0;
  bool ok() const { return !finding && static_cast<int>(passed.size()) == trials && trials > 0; }
};

// For a compiler's words, "kernel.py:17: the fact" and lines below it. No line: the text does not begin with one.
Finding finding_in(const std::string& words, const std::string& fix);

std::string to_json(const Report& report);
Report report_from_json(const std::string& text);  // throws Error for any other text

}  // namespace tl::lessons
