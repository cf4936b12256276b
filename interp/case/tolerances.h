// The default tolerances of a case's outputs; what sums of `expect` may err beside them is in expected.h.
#pragma once

#include "interp/case/signature.h"
#include "kernels/problems/problem.h"

namespace tl::cases {

void set_usual_tolerances(problems::Instance& instance, const Functor& functor);

}  // namespace tl::cases
