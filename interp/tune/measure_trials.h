// Times configs against each other: in turn, in rounds, each of which drops the configs that are clearly slower.
#pragma once

#include <string>
#include <vector>

#include "interp/run/measure.h"
#include "interp/tune/space.h"
#include "interp/tune/trial.h"

namespace tl::tune {

// `measure` takes more timings of a trial, in milliseconds; it refuses a trial that fails.
using Timings = std::function<std::vector<double>(Trial&)>;

// The rounds: a trial's interval alone decides whether it is measured again. Ends when one trial is left, or after
// `most_ms` of timings of a trial, or when `is_stopped`.
void measure_in_rounds(std::vector<Trial*> trials, const Timings& measure, double most_ms,
                       const std::function<bool()>& is_stopped);

// On the interpreter or on the GPU, as run::measure does. Ends early after Ctrl-C, and keeps what was measured. Throws
// Unavailable where the GPU is lost: by a config that crashes, or by itself.
void measure_trials(const Space& space, const std::vector<Trial*>& trials, const run::MeasureOptions& options);

// The fastest is the winner; trials whose intervals overlap its own are tied; the others are behind.
void rank(const std::vector<Trial*>& trials);

}  // namespace tl::tune
