// The inner product in double, straight from its definition.  sum over l of a[l] b[l]
#pragma once

#include <cstdint>

namespace tl::reference {

// Rows of k floats, which hold any narrower float exactly.
double dot(const float* a, const float* b, std::int64_t k);

}  // namespace tl::reference
