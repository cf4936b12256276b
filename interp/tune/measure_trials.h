// Times configs against each other: taken in turn, in rounds, each of which drops who is clearly behind.
#pragma once

#include <string>
#include <vector>

#include "interp/run/measure.h"
#include "interp/tune/space.h"
#include "interp/tune/trial.h"

namespace tl::tune {

// `measure` takes some timings more of a trial, in milliseconds; it refuses one that fails.
using Timings = std::function<std::vector<double>(Trial&)>;

// The rounds themselves: which trials are measured on is up to their intervals alone. Ends when one is left, or after
// `most_ms` of timings of a trial, or when `is_stopped`.
void measure_in_rounds(std::vector<Trial*> trials, const Timings& measure, double most_ms,
                       const std::function<bool()>& is_stopped);

// On the interpreter or on the GPU, as run::measure does. Ends early after Ctrl-C, and keeps what was measured. Throws
// Unavailable where the GPU is lost: by a config that crashes, or by itself.
void measure_trials(const Space& space, const std::vector<Trial*>& trials, const run::MeasureOptions& options);

// The fastest is the winner, and whose interval overlaps its own tied; the others of them are behind.
void rank(const std::vector<Trial*>& trials);

}  // namespace tl::tune
