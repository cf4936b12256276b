// How often each level occurs in a picture.  counts[l] = number of i with x[i] = l; counts begins at 0
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct histogram_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto counts_ptr, int_ auto n, constexpr_ auto BINS,
                  constexpr_ auto BLOCK) const {
    for (auto start : tl.range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK)) {
      auto offs = start + tl.arange(0, BLOCK);
      auto x = tl.load(x_ptr + offs, {.mask = offs < n, .other = 0}).to(tl.int32);
      // Yours: count in registers, and go to memory once, behind the loop.
      tl.atomic_add(counts_ptr + x, 1, {.mask = offs < n});
    }
  }
};

}  // namespace tl::kernels
