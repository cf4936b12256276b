// Where the list of problems comes from.
#pragma once

#include "kernels/problems/problem.h"

namespace tl::problems {

// The problems of the files here, which CMake lists.
std::vector<Problem> registered();

// Whoever makes problems of the built-in kernels that have a case at their head and no C++ says so once, before the
// first is looked for. `others`: those that have.
void read_texts_by(std::vector<Problem> (*problems_of_texts)(const std::vector<Problem>& others));

// The same problem with a setting `inputs`: what its inputs hold instead.
Problem with_inputs(Problem problem);

}  // namespace tl::problems
