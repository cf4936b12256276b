// Launches that need no check at run time: where their programs read and write is known before they run, and shows that
// the checks would find nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "interp/cpu/run.h"

namespace tl::cpu {

struct Independence {
  // Programs that load lanes without an `other`: only running them tells whether such a lane reaches a store.
  std::vector<std::int64_t> with_undefined_lanes;
};

// Nothing: a check may find something, or data decides about addresses; then the checks are to watch every access.
std::optional<Independence> independence_of(const Launch&, const RunOptions&);

}  // namespace tl::cpu
