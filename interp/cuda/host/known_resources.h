// What compiled kernels take of a chip, kept on disk beside them: to ask needs neither NVRTC nor a cubin, so it takes a
// millisecond.
#pragma once

#include <optional>
#include <string>

#include "interp/cuda/host/compile.h"

namespace tl::cuda {

// Of this launch, compiled before with the toolkit that is there now; without ptxas's warnings.
std::optional<Resources> known_resources(const Launch& launch, const Target& target);
void keep_resources(const Launch& launch, const Target& target, const Resources& resources);

// An integer constant that shapes no tile (group_size) hardly changes what a kernel takes. So one launch of each
// kernel, its types, flags, warps, stages and `tiles` (what it loads and stores, as text) stands for those that differ
// in such constants alone.
struct Example {
  Resources resources;
  std::string settings;  // with which it was compiled, in the caller's words
};
std::optional<Example> example_of(const Launch& launch, const Target& target, const std::string& tiles);
void keep_example(const Launch& launch, const Target& target, const std::string& tiles, const Example& example);

}  // namespace tl::cuda
