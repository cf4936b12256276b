// What a peer's source includes. Each is compiled once for every instruction set, in the namespace TL_ISA, with Eigen
// renamed alike, so that the linker cannot mix instruction sets.
#pragma once

#include <omp.h>

#include <cstdint>

#include "interp/lang/dtype.h"

namespace tl::peers::TL_ISA {

#include "kernels/peers/functions.inl"

inline int team(int threads) { return threads > 0 ? threads : omp_get_max_threads(); }

}  // namespace tl::peers::TL_ISA
