// How often each level occurs in a picture.  counts[l] = number of i with x[i] = l; counts begins at 0
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct histogram_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto counts_ptr, int_ auto n, constexpr_ auto BINS,
                  constexpr_ auto BLOCK) const {
    auto counts = tl.zeros(tl.shape(BINS), tl.int32);
    for (auto start : tl.range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK)) {
      auto offs = start + tl.arange(0, BLOCK);
      auto x = tl.load(x_ptr + offs, {.mask = offs < n, .other = 0}).to(tl.int32);
      counts += tl.histogram(x, BINS, offs < n);
    }
    tl.atomic_add(counts_ptr + tl.arange(0, BINS), counts);
  }
};

}  // namespace tl::kernels
