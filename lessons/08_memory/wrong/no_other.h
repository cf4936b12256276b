// Says: comes from a masked-off lane of a load without .other
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct column_sum_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, int_ auto m, int_ auto n, constexpr_ auto BM, constexpr_ auto BN) const {
    auto first = tl.program_id(0) * BN;
    auto rows = tl.arange(0, BM);
    // Right, and slow: one column after the other. Yours: the same sums by loads whose neighbouring lanes are neighbours in memory.
    auto cols = first + tl.arange(0, BN);
    auto mask = (rows(_, None) < m) & (cols(None, _) < n);
    auto x = tl.load(x_ptr + rows(_, None) * n + cols(None, _), {.mask = mask});
    tl.store(z_ptr + cols, tl.sum(x, 0), {.mask = cols < n});
  }
};

}  // namespace tl::kernels
