// Whether a kernel's text makes pointers or descriptors of its own, or reaches a descriptor's tensor by other ways than
// tiles: then its descriptors go by pointers, and no warps load ahead of the others.
#pragma once

#include <optional>
#include <string>

#include "interp/cuda/host/sources.h"

namespace tl::cuda {

// The place of the first such op, and why.
std::optional<std::string> computed_tiles(const Sources& sources, const std::string& kernel);

}  // namespace tl::cuda
