// Where a program's numbers leave those of the solution: the first that its run of the same program has nowhere. A
// right kernel may have others on its way, so that it is a place to look at first, and no verdict.
#pragma once

#include <optional>
#include <string>

#include "lessons/runner/observed.h"

namespace tl::lessons {

struct Unlike {
  Site site;
  std::string numbers;  // [1 2 ... 8]
};

std::optional<Unlike> first_unlike(const Observed& mine, const Observed& best, ProgramId program);

// The first cast of the program that changed an element, of a kind that the solution does not make: from a dtype, to
// one, of so many elements.
std::optional<Observed::LossyCast> unlike_cast(const Observed& mine, const Observed& best, ProgramId program);

}  // namespace tl::lessons
