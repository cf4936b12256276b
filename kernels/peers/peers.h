// The same work as a kernel's by Eigen or a plain OpenMP loop: what a CPU programmer would write. Matrices are
// row-major. threads 0: all.
#pragma once

#include <cstdint>

#include "interp/lang/dtype.h"

namespace tl::peers {

#include "kernels/peers/functions.inl"

// Whether softmax, unfused_softmax, layernorm, matmul and attention are there: without Eigen they do nothing.
inline constexpr bool has_eigen = TILESCOPE_EIGEN;
// Whether matmul, layernorm and attention take this dtype.
constexpr bool supports(DType d) { return d == DType::float32 || d == DType::float16 || d == DType::bfloat16; }

}  // namespace tl::peers
