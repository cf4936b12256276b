// Kernels of kinds that the machine model was not made for, as problems that can be measured and replayed.
#pragma once

#include <vector>

#include "kernels/problems/problem.h"

namespace tl::test {

const std::vector<problems::Problem>& guests();

}  // namespace tl::test
