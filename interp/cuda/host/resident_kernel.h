// A kernel launched on tensors that lie on the GPU already, as another library has put them there.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "interp/cuda/host/known_facts.h"
#include "interp/cuda/host/loaded_kernel.h"

namespace tl::cuda {

class ResidentKernel {
 public:
  // A launch's tensors have their addresses on the GPU for their storage. Starts its programs on the caller's stream
  // and waits for nothing: whoever waits for the stream reports a failure. Compiled once for what the launch is
  // specialized on; `facts_of` is asked once for that, and where its answer is of one launch, once for each size.
  // Returns notes on how: a fallback and its reason. Throws Error: no GPU, an address that begins at no multiple of 16;
  // CompileError.
  const std::vector<std::string>& start(const Launch& launch, const FactsOf& facts_of, CUstream stream);

 private:
  std::mutex mutex_;
  KnownFacts facts_;
  std::map<std::string, LoadedKernel> loaded_;  // by the key of their facts
};

}  // namespace tl::cuda
