// The same work as a kernel's by Eigen or a plain OpenMP loop: what a CPU programmer would write. Matrices are
// row-major. threads 0: all.
#pragma once

#include <cstdint>

#include "interp/lang/dtype.h"

namespace tl::peers {

#include "kernels/peers/functions.inl"

// Whether matmul, layernorm and attention take this dtype.
constexpr bool supports(DType d) { return d == DType::float32 || d == DType::float16 || d == DType::bfloat16; }

}  // namespace tl::peers
