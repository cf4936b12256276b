// What a kernel loads and stores through its parameters, by its text: followed through names, assignments and helpers.
#pragma once

#include <set>
#include <vector>

#include "interp/text/model.h"

namespace tl::text {

struct PointerAccess {
  std::set<int> parameters;  // of the functor, any of which it may go through
  bool is_store = false;     // or an atomic
  int token = -1;            // its op in the functor's own text, if its place tells when it happens; -1: in a helper
};

// `functor` stands in `own`, one of `models`; `pointers` are the numbers of its parameters that are pointers or
// descriptors. Names are not told apart by scope: one may stand for more than it points into, never for less.
std::vector<PointerAccess> pointer_accesses(const std::vector<const Model*>& models, const Model& own,
                                            const Function& functor, const std::set<int>& pointers);

}  // namespace tl::text
