// How many threads a peer runs on.
#pragma once

#include <omp.h>

namespace tl::peers {

inline int team(int threads) { return threads > 0 ? threads : omp_get_max_threads(); }

}  // namespace tl::peers
