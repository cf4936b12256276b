// Checks every lesson's solution as a learner's kernel is checked: for authors of lessons, and for a machine with a
// GPU.
#pragma once

#include <string>

namespace tl::lessons {

// One lesson, or all with "". A line each; returns the exit code.
int check_solutions(const std::string& lesson, bool gpu);

}  // namespace tl::lessons
