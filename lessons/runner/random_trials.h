// Trials on values drawn by chance: what a kernel computes must be what the solution computes, for any values. A kernel
// that knows the chosen trials, by their sizes or by the range of their values, fails here.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

// `mine` and `best`: the lesson's trials with the learner's kernel and with the solution, of which some are run on
// other values. How far an output may be from the solution's follows from arithmetic: from how far the solution's own
// outputs move where each input moves by its last digit; `exponentiates`: of a Lesson. The same seed draws the same
// values.
std::optional<Finding> random_failure(const std::vector<Trial>& mine, const std::vector<Trial>& best,
                                      bool exponentiates, std::uint64_t seed);

}  // namespace tl::lessons
