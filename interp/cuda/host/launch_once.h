// Runs launches once each with nothing beside them on the GPU, for a profiler to look at, and says how each took the
// chip.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "interp/cuda/host/compile.h"
#include "interp/lang/launch.h"

namespace tl::cuda {

// What CUDA made of a launch.
struct LaunchFacts {
  std::string kernel;
  Grid grid;
  Resources resources;
  int programs_per_sm = 0;  // as CUDA's occupancy calculator says
  double gpu_ms = 0;        // cold; under a profiler it means nothing
  std::vector<std::string> notes;
};

// No warm-up, no guards, no kernel but the launches' own; the host's tensors are read, never written. Throws as `run`
// does.
std::vector<LaunchFacts> launch_once(std::span<const Launch> launches, const FactsOf& facts_of, bool generic = false);

}  // namespace tl::cuda
