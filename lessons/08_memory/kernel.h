// Sums the columns of a matrix, BN columns a program; a block of BM rows holds all m of them.  z[j] = sum over i of x[i, j]
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct column_sum_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, int_ auto m, int_ auto n, constexpr_ auto BM, constexpr_ auto BN) const {
    auto first = tl.program_id(0) * BN;
    auto rows = tl.arange(0, BM);
    // Right, and slow: one column after the other. Yours: the same sums by loads whose neighbouring lanes are neighbours in memory.
    for (auto j : tl.range(first, tl.minimum(first + BN, n))) {
      auto column = tl.load(x_ptr + rows * n + j, {.mask = rows < m, .other = 0});
      tl.store(z_ptr + j, tl.sum(column, 0));
    }
  }
};

}  // namespace tl::kernels
