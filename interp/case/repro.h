// One file that fails as a run did: a kernel's text with the user's files that it includes, its case, small inputs.
#pragma once

#include <string>
#include <vector>

#include "kernels/problems/problem.h"

namespace tl::cases {

struct Repro {
  std::string text;
  std::vector<std::string> beside;  // files that it still needs: large inputs, and expected values
};

// `told`: a line on how to run it. Throws Error for a kernel whose problem is C++ of its own.
Repro repro_of(const problems::Problem& problem, const problems::Settings& settings, std::uint64_t seed,
               const std::string& told);

}  // namespace tl::cases
