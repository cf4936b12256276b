// What programs do in vain, though the numbers are right: rounds of a loop whose lanes are all masked off, dots too
// many. Every program is counted.
#pragma once

#include <optional>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

std::optional<Finding> work_in_vain(const Trial& trial, const Observed& observed);

}  // namespace tl::lessons
