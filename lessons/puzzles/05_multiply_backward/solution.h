// The derivative of z = max(x y, 0) by x, times dz.  dx[i, j] = dz[i, j] y[j] where x[i, j] y[j] > 0, else 0
// case: x=f32[m, n] y=f32[n] dz=f32[m, n] dx=out:f32[m, n] m=7 n=13 BM=4 BN=8 grid=(cdiv(m, BM), cdiv(n, BN))
// case: expect='dx = where(x * y[None, :] > 0, dz * y[None, :], 0)'
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct multiply_backward_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, ptr auto dz_ptr, ptr auto dx_ptr, int_ auto m, int_ auto n,
                  constexpr_ auto BM, constexpr_ auto BN) const {
    // Yours: nobody has stored which products were positive.
    auto i = tl.program_id(0) * BM + tl.arange(0, BM);
    auto j = tl.program_id(1) * BN + tl.arange(0, BN);
    auto offs = i(_, None) * n + j(None, _);
    auto mask = (i < m)(_, None) & (j < n)(None, _);
    auto x = tl.load(x_ptr + offs, {.mask = mask});
    auto y = tl.load(y_ptr + j, {.mask = j < n})(None, _);
    auto dz = tl.load(dz_ptr + offs, {.mask = mask});
    tl.store(dx_ptr + offs, tl.where(x * y > 0, dz * y, 0.0), {.mask = mask});
  }
};

}  // namespace tl::kernels
