// Whether a kernel may load what it has stored, by its text: then no warps load ahead of those that store.
#pragma once

#include <optional>
#include <string>

#include "interp/cuda/host/sources.h"
#include "interp/lang/launch.h"

namespace tl::cuda {

// A load that may follow a store to the same tensor.
struct LoadAfterStore {
  int line = 0;         // of the load, in the launch's source; 0: in a helper
  std::string pointer;  // the parameter loaded from
  std::string stored;   // the parameter stored to, which may be the same
};

// Looks at loads and stores through the functor's parameters and what is computed from them by name. Two parameters of
// one tensor are one. A load that stands before every store, with no loop around both, is none; in helpers the order is
// taken to be unknown.
std::optional<LoadAfterStore> load_after_store(const Sources& sources, const Launch& launch);

}  // namespace tl::cuda
