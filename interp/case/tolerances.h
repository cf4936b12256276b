// The default tolerances of a case's outputs.
#pragma once

#include <string>

#include "interp/case/signature.h"
#include "kernels/problems/problem.h"

namespace tl::cases {

// `expect`: what the case says the outputs are.
void set_usual_tolerances(problems::Instance& instance, const Functor& functor, const std::string& expect);

}  // namespace tl::cases
