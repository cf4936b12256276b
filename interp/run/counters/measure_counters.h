// Runs cases on the GPU under ncu and gathers what its counters say of each.
#pragma once

#include <vector>

#include "interp/run/counters/case_list.h"
#include "interp/run/counters/measured.h"

namespace tl::run {

// Every case once a round, a process a round; every second round runs them from the last to the first, so that neither
// what ran before nor where tensors lie in memory is the same. Throws Error: no ncu, no rights to read counters, no
// GPU.
Measurements measure_counters(const std::vector<MeasuredCase>& cases, int rounds, const std::string& command);

}  // namespace tl::run
