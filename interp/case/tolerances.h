// How far outputs may be from what a case expects, where it does not say.
#pragma once

#include "interp/case/signature.h"
#include "kernels/problems/problem.h"

namespace tl::cases {

void set_usual_tolerances(problems::Instance& instance, const Functor& functor);

}  // namespace tl::cases
