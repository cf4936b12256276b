// Every sum of an x and a y, a block of BM x BN elements a program.  z[i, j] = x[i] + y[j]
// case: x=f32[m] y=f32[n] z=out:f32[m, n] m=7 n=13 BM=4 BN=8 grid=(cdiv(m, BM), cdiv(n, BN))
// case: expect='z = x[:, None] + y[None, :]'
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct outer_blocks_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, ptr auto z_ptr, int_ auto m, int_ auto n,
                  constexpr_ auto BM, constexpr_ auto BN) const {
    // Yours: axis 0 of the grid counts blocks of rows, axis 1 blocks of columns.
    auto i = tl.program_id(0) * BM + tl.arange(0, BM);
    auto j = tl.program_id(1) * BN + tl.arange(0, BN);
    auto x = tl.load(x_ptr + i, {.mask = i < m});
    auto y = tl.load(y_ptr + j, {.mask = j < n});
    auto mask = (i < m)(_, None) & (j < n)(None, _);
    tl.store(z_ptr + i(_, None) * n + j(None, _), x(_, None) + y(None, _), {.mask = mask});
  }
};

}  // namespace tl::kernels
