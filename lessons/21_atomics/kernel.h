// The sum of a vector, added block by block in order, whoever comes first.  total[0] = block 0 + block 1 + ...
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct ordered_sum_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto total_ptr, ptr auto turn_ptr, int_ auto n,
                  constexpr_ auto BLOCK) const {
    auto pid = tl.program_id(0);
    auto offs = pid * BLOCK + tl.arange(0, BLOCK);
    auto x = tl.load(x_ptr + offs, {.mask = offs < n, .other = 0.0});
    auto part = tl.sum(x, 0);
    // Yours: wait for this program's turn, `turn` being the number of the program whose turn it is ...
    auto before = tl.load(total_ptr);
    tl.store(total_ptr, before + part);
    // ... and give it to the next one.
  }
};

}  // namespace tl::kernels
