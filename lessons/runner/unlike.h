// A cast that the solution does not make.
#pragma once

#include <optional>

#include "lessons/runner/observed.h"

namespace tl::lessons {

// The first cast of the program that changed an element, of a kind that the solution does not make: from a dtype, to
// one, of so many elements.
std::optional<Observed::LossyCast> unlike_cast(const Observed& mine, const Observed& best, ProgramId program);

}  // namespace tl::lessons
