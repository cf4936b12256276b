// The memory that each tensor of a launch lies in: views of one array share theirs.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/lang/tensor.h"

namespace tl::cpu {

struct Memories {
  struct Place {
    int memory;
    std::int64_t first;  // the tensor's first element, as an element of the memory
  };
  std::vector<Place> places;           // of the tensors
  std::vector<std::int64_t> elements;  // of the memories: how many
};

Memories memories_of(const std::vector<Tensor>&);

// Whether each element holds something else than a new tensor's poison.
std::vector<bool> written_elements(const Tensor&);

}  // namespace tl::cpu
