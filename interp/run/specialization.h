// What CUDA knows of a launch's arguments as it compiles the kernel, Triton's tt.divisibility and tt.equal_to, and what
// that buys: the same kernel compiled with nothing known.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "interp/cuda/host/compile.h"

namespace tl::run {

struct Specialization {
  struct Code {
    int registers = 0;
    std::int64_t accesses = 0;  // instructions that touch global memory
  };
  std::map<int, std::vector<std::string>, std::greater<>> divisible;  // 16, 8, 4, 2 -> parameters that are multiples
  std::vector<std::string> ones;                                      // whose value is 1
  Code known, unknown;
};

// Empty where no integer is known. Compiles once more. Throws as compile does.
std::optional<Specialization> specialization_of(const Launch& launch, const rules::KernelFacts& facts,
                                                const cuda::Compiled& compiled, const cuda::Target& target);
std::string specialization_text(const Specialization& specialization);
nlohmann::ordered_json specialization_json(const Specialization& specialization);

}  // namespace tl::run
