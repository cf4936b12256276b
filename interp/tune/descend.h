// Coordinate descent from a config: one value at a time to its neighbours, as long as that is faster, as PyTorch's
// coordinate_descent_tuner does.
#pragma once

#include <functional>
#include <vector>

#include "interp/tune/space.h"

namespace tl::tune {

struct DescentOptions {
  int radius = 1;               // steps to either side
  bool all_directions = false;  // where no single value helps, all of them at once
};

// Blocks and warps double or halve; stages go up and down by one, registers by 8. Values that are no number stay, and
// so do those that a neighbour's setting does not allow.
std::vector<std::string> neighbours(const problems::Setting& setting, const std::string& value, int radius);

// `time` of a config, infinite for one that cannot be taken; each config is asked for once. Returns the best.
problems::Config descend(const Space& space, const problems::Config& from, const DescentOptions& options,
                         const std::function<double(const problems::Config&)>& time);

}  // namespace tl::tune
