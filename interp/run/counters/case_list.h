// Runs to be measured or predicted, kept as text: the words after `tilescope run`, one run a case.
#pragma once

#include <string>
#include <vector>

#include "interp/run/kernel_case.h"

namespace tl::run {

struct MeasuredCase {
  std::string run;       // matmul m=4096 n=4096 k=4096 bm=128 --generic
  std::string set;       // what the case is for; may be empty
  KernelOptions kernel;  // of `run`
  bool generic = false;
};

// Throws Error for words that are no run.
MeasuredCase measured_case(const std::string& run, std::string set = "");
// {"cases": [{"run": "...", "set": "..."}, ...]}; set may be missing.
std::vector<MeasuredCase> parse_cases(const std::string& text);
std::string cases_json(const std::vector<MeasuredCase>& cases);

}  // namespace tl::run
