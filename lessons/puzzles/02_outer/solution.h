// Every sum of an x and a y, by one program.  z[i, j] = x[i] + y[j]
// case: x=f32[m] y=f32[n] z=out:f32[m, n] m=3 n=5 BM=4 BN=8 grid=1 expect='z = x[:, None] + y[None, :]'
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct outer_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, ptr auto z_ptr, int_ auto m, int_ auto n,
                  constexpr_ auto BM, constexpr_ auto BN) const {
    // Yours.
    auto i = tl.arange(0, BM);
    auto j = tl.arange(0, BN);
    auto x = tl.load(x_ptr + i, {.mask = i < m});
    auto y = tl.load(y_ptr + j, {.mask = j < n});
    auto mask = (i < m)(_, None) & (j < n)(None, _);
    tl.store(z_ptr + i(_, None) * n + j(None, _), x(_, None) + y(None, _), {.mask = mask});
  }
};

}  // namespace tl::kernels
