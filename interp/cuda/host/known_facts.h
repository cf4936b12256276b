// The facts of a kernel's launches, asked no more often than they hold.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "interp/cuda/host/compile.h"

namespace tl::cuda {

const Tensor* tensor_of(const Argument&);  // of a ptr, of a descriptor; null: a number

// What a launch is compiled for: dtypes, constants, what is known of ints, which tensors share memory, what TMA takes.
std::string specialization_of(const Launch& launch);
// What addresses and branches depend on beside that, data aside: sizes, numbers, the grid.
std::string sizes_of(const Launch& launch);

class KnownFacts {
 public:
  // A kernel that is compiled for one launch of a key runs every launch of that key: the key is what launches are
  // specialized on, and also their sizes where the facts are of one launch.
  using Entry = std::pair<const std::string, rules::KernelFacts>;
  const Entry& of(const Launch& launch, const FactsOf& facts_of);
  std::size_t size() const { return known_.size(); }

 private:
  std::map<std::string, rules::KernelFacts> known_;
};

}  // namespace tl::cuda
