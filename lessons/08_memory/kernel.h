// Transposes a matrix, BN columns a program; a block of BM rows holds all m of them.  y[j, i] = x[i, j]
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct turn_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto m, int_ auto n, constexpr_ auto BM,
                  constexpr_ auto BN) const {
    auto first = tl.program_id(0) * BN;
    auto rows = tl.arange(0, BM);
    // Right, and slow: one column after the other. Yours: the same by loads and stores whose neighbouring lanes are
    // neighbours in memory.
    for (auto j : tl.range(first, tl.minimum(first + BN, n))) {
      auto column = tl.load(x_ptr + rows * n + j, {.mask = rows < m});
      tl.store(y_ptr + j * m + rows, column, {.mask = rows < m});
    }
  }
};

}  // namespace tl::kernels
