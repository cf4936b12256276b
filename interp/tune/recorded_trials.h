// Trials that were timed on a GPU, as a recorded run keeps them, and back: the model's times are made anew.
#pragma once

#include "interp/run/recorded.h"
#include "interp/tune/tune_case.h"

namespace tl::tune {

// A point for every trial that was measured.
std::vector<run::Point> points_of(const std::vector<Tuned>& tuned);
// The recorded trials, ranked, those of one key together; those whose settings the kernel has no more are left out.
std::vector<Tuned> tuned_of(const run::RecordedRun& run, const std::string& gpu);

}  // namespace tl::tune
