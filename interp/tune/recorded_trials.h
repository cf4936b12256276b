// Trials that were timed on a GPU as points of a recorded run, and back; the model's times are computed again.
#pragma once

#include "interp/run/recorded.h"
#include "interp/tune/tune_case.h"

namespace tl::tune {

// A point for every trial that was measured.
std::vector<run::Point> points_of(const std::vector<Tuned>& tuned);
// The recorded trials, ranked and grouped by key, without those whose settings the kernel no longer has.
std::vector<Tuned> tuned_of(const run::RecordedRun& run, const std::string& gpu);

}  // namespace tl::tune
