// Values drawn by chance: what a kernel computes must be what the solution computes, for any values, and must hold to
// the lesson's relations. A kernel that knows the chosen trials, by their sizes or by their values, fails here.
#pragma once

#include <cstdint>
#include <optional>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

inline constexpr int rounds_by_chance = 12;

// Whether its inputs may hold any numbers: no bits and no bytes of a picture.
bool takes_any_values(const problems::Instance& instance);
// `mine` and `best`: a trial of the learner's kernel, and the same one of the solution; both get other values, of a
// kind that `round` counts: near 0, of all magnitudes, around a height. How far an output may be from the solution's
// follows from arithmetic: from how far the solution's own outputs move where each input moves by its last digit.
std::optional<Finding> random_failure(const Lesson& lesson, const Trial& mine, const Trial& best, int round,
                                      Chance& chance);

}  // namespace tl::lessons
