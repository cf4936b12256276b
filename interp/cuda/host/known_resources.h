// What compiled kernels take of a chip, kept on disk beside them: to ask needs neither NVRTC nor a cubin, so it takes a
// millisecond.
#pragma once

#include <optional>
#include <string>

#include "interp/cuda/host/compile.h"

namespace tl::cuda {

// The resources of this launch if this toolkit has compiled it before; without ptxas's warnings.
std::optional<Resources> known_resources(const Launch& launch, const Target& target);
void keep_resources(const Launch& launch, const Target& target, const Resources& resources);

}  // namespace tl::cuda
