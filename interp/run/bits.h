// How many elements two executors agree on to the bit, and what may set the others apart.
#pragma once

#include <string>
#include <vector>

#include "interp/run/arithmetic.h"

namespace tl::run {

struct BitEquality {
  std::int64_t all = 0, equal = 0;
  double most = 0;               // how far apart the others are
  std::vector<std::string> why;  // what may set them apart
};
// NaNs are equal. `arch`: of the GPU that computed one side.
BitEquality bit_equality(const std::vector<Tensor>& a, const std::vector<Tensor>& b, const std::vector<Launch>&,
                         const Arithmetic&, const std::string& arch);
// bit-equal: all 262,144; or how many, by how much the others differ, and why.
std::string bit_equality_text(const BitEquality&);

}  // namespace tl::run
