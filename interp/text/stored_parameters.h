// The parameters that a kernel stores through, by its text: followed through names, assignments and helpers.
#pragma once

#include <set>

#include "interp/text/model.h"

namespace tl::text {

// `pointers` are the numbers of the functor's parameters that are pointers or descriptors; those among them that a
// store or an atomic may go through. Names are not told apart by scope: one may stand for more than it points into,
// never less.
std::set<int> stored_parameters(const Model& model, const Function& functor, const std::set<int>& pointers);

}  // namespace tl::text
