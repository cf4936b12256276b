// Where a kernel's run parts from the solution's: the first line whose op does with the same values what the solution's
// run of the same program nowhere does, on the way to the first access that is another one. A right kernel may do so as
// well, so that it is a place to look at first, and no verdict.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

struct Parting {
  std::vector<Site> sites;  // one or two, in the order of time
  std::string what;         // a sentence that names their lines
  std::string numbers;      // [1 2 ...], of the first; "": it makes none
};

// An element of an output, counted in its storage.
struct Cell {
  std::string tensor;
  std::int64_t element = 0;
};

// `run`: of `mine`. `wrong`: the walk begins where that element was stored; else where a program first does what the
// solution's does not.
std::optional<Parting> first_parting(const Trial& mine, const Trial& best, const Observed& run,
                                     const std::optional<Cell>& wrong);

// The finding of a trial with that line, where it does not name it already.
Finding with_parting(Finding finding, const Trial& mine, const Trial& best, const Observed& run,
                     const std::optional<Cell>& wrong);

}  // namespace tl::lessons
