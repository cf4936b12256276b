// Runs launches on the GPU: tensors in, kernels, tensors out.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "interp/cuda/host/compile.h"
#include "interp/lang/error.h"
#include "interp/lang/launch.h"

namespace tl::cuda {

struct RunOptions {
  bool generic = false;  // see Target
  bool fused_multiply_add = true;
};

struct RunResult {
  std::vector<Fault> faults;  // empty when all went well
  std::int64_t programs = 0;
  double gpu_ms = 0;                                     // the kernels alone, once, cold
  double wall_ms = 0;                                    // copies included, compilation not
  std::vector<std::shared_ptr<const Compiled>> kernels;  // one a launch
  std::vector<std::string> notes;                        // a fallback and its reason
  std::vector<std::string> prints;                       // lines
  bool truncates_tf32 = false;                           // f32 tiles went to the tensor cores as they were
};

// Copies every tensor of the launches to the GPU, runs the launches in order and copies every tensor back, into the
// same storage. Throws Error when there is no GPU, when a kernel does not compile, when memory runs out, when the chip
// cannot hold the launch.
RunResult run(std::span<const Launch> launches, const FactsOf& facts_of, const RunOptions& options = {});

// How many programs of this launch one SM holds at a time.
int programs_per_sm(const Launch& launch, const rules::KernelFacts& facts);

}  // namespace tl::cuda
