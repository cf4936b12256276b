// A problem in C++, in a file of its own beside a kernel's: relu.cpp defines tl::problems::relu() for the kernel of
// relu.h, as the files of kernels/problems do.
#pragma once

#include <filesystem>
#include <string>

#include "kernels/problems/problem.h"

namespace tl::cases {

// `name`: what the kernel goes by. Throws Error, and CompileError where the C++ does not compile.
problems::Problem problem_of_cpp(const std::filesystem::path& file, const std::string& name);

}  // namespace tl::cases
