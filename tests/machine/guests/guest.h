// What a guest is made of: its launch, over tensors of zeros and of indices, since what it computes is nobody's concern
// here.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/problems/build.h"

namespace tl::test {

// name=value pairs that a run may give, with their defaults; then the launch.
struct Guest {
  std::string name, defaults;
  std::function<Launch(const problems::Settings&, std::vector<Tensor>&)> launch;
};

problems::Problem problem_of(const Guest&);

// Pages of zeros that count as data.
Tensor zeros(std::vector<Tensor>& all, const char* name, DType dtype, std::vector<std::int64_t> shape);
// Uniform below `below`; skewed: most of them small, as words of a text are.
Tensor indices(std::vector<Tensor>& all, std::int64_t n, std::int64_t below, bool skewed = false,
               DType dtype = DType::int32);

// The later ones, of strangers.h.
std::vector<Guest> strangers();

}  // namespace tl::test
