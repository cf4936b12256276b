// A lesson's solution as a kernel that needs no compiler: what a learner's kernel is measured by.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

// Null where the lesson has no solution with a single kernel.
std::unique_ptr<Kernel> solution_of(const Lesson& lesson);

// In the generated file: a launch without `on_cpu` if there is no such solution.
Launch launch_of_solution(const std::string& folder, Grid grid, const std::vector<Argument>& arguments,
                          LaunchOptions options);

}  // namespace tl::lessons
