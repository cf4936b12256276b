// Says: this load moves 8 times the bytes it uses
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct turn_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto m, int_ auto n, constexpr_ auto BM,
                  constexpr_ auto BN) const {
    auto first = tl.program_id(0) * BN;
    auto rows = tl.arange(0, BM);
    for (auto j : tl.range(first, tl.minimum(first + BN, n))) {
      auto column = tl.load(x_ptr + rows * n + j, {.mask = rows < m});
      tl.store(y_ptr + j * m + rows, column, {.mask = rows < m});
    }
  }
};

}  // namespace tl::kernels
