// Where a wrong kernel's run first differs from the solution's: a program, and of its variables the first.
#pragma once

#include <string>
#include <vector>

#include "lessons/runner/check.h"

namespace tl::lessons {

struct Reason {
  std::string shown;                   // markdown: the program's variables as they stood at its end
  std::vector<std::string> variables;  // in the order of their first assignment
  Answer answer;                       // the one that was first given another value than in the solution's run
};

// At the trial at which the check sends `kernel` back. Throws Error: it passes, or its variables do not show why not.
Reason reason_of(const Lesson& lesson, const std::string& kernel, CheckOptions options);

}  // namespace tl::lessons
