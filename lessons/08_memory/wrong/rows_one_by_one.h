// Says: y is right, but this store moves 8 times the bytes it uses
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct turn_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto m, int_ auto n, constexpr_ auto BM,
                  constexpr_ auto BN) const {
    auto first = tl.program_id(0) * BN;
    auto cols = first + tl.arange(0, BN);
    for (auto i : tl.range(0, m)) {
      auto row = tl.load(x_ptr + i * n + cols, {.mask = cols < n});
      tl.store(y_ptr + cols * m + i, row, {.mask = cols < n});
    }
  }
};

}  // namespace tl::kernels
