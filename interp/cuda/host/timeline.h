// When and where each program of a launch ran on the GPU, by a recorder in the kernel's entry (%smid, %globaltimer).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "interp/cuda/host/launch_once.h"

namespace tl::cuda {

struct MeasuredProgram {
  int sm = 0;
  double start_us = 0, end_us = 0;  // since the first program's start
};

// An innermost loop of a program whose warps have roles, as its first thread saw it. A persistent program has one a
// tile.
struct MeasuredStretch {
  std::int64_t program = 0;  // linear id
  double start_us = 0, end_us = 0;
};

struct MeasuredTimeline {
  LaunchFacts facts;                       // of the recording kernel: it may take a few registers more
  std::vector<MeasuredProgram> programs;   // by linear id, axis 0 fastest
  std::vector<MeasuredStretch> stretches;  // by start
  bool stretches_cut = false;              // there were more than are kept
  double tick_us = 0;                      // the smallest step of the GPU's clock that was seen
  double total_us = 0;                     // to the last program's end
};

// Runs the launch twice, the second time with a cold L2, and returns that one's times. Throws as `run` does, and Error
// for a grid of more programs than can be kept.
MeasuredTimeline measure_timeline(const Launch& launch, const rules::KernelFacts& facts);

}  // namespace tl::cuda
