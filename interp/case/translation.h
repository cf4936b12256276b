// A kernel in Triton's Python as a kernel's file in C++, with its case.
#pragma once

#include <string>

#include "kernels/problems/problem.h"

namespace tl::cases {

// Throws Error: the kernel is C++ already; CompileError: what C++ cannot say.
std::string translation_of(const problems::Problem& problem, const problems::Settings& settings, std::uint64_t seed);

}  // namespace tl::cases
