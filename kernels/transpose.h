// Transposes a matrix, a block a program: both sides are read and written along rows.  y[j, i] = x[i, j]
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct transpose_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto m, int_ auto n, constexpr_ auto BM,
                  constexpr_ auto BN) const {
    auto offs_m = tl.program_id(0) * BM + tl.arange(0, BM);
    auto offs_n = tl.program_id(1) * BN + tl.arange(0, BN);
    auto x =
        tl.load(x_ptr + offs_m(_, None) * n + offs_n(None, _), {.mask = (offs_m(_, None) < m) & (offs_n(None, _) < n)});
    tl.store(y_ptr + offs_n(_, None) * m + offs_m(None, _), tl.trans(x),
             {.mask = (offs_n(_, None) < n) & (offs_m(None, _) < m)});
  }
};

}  // namespace tl::kernels
