// Sums of rows that are longer than a block, BM rows a program, in f32.  z[i] = sum over j of x[i, j]
// case: x=f16[m, n] z=out:f32[m] m=5 n=29 BM=4 BN=8 grid=cdiv(m, BM) expect='z = sum(x, 1)'
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct long_sum_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, int_ auto m, int_ auto n, constexpr_ auto BM,
                  constexpr_ auto BN) const {
    // Yours: a row has as many steps as it has blocks of BN columns.
    auto i = tl.program_id(0) * BM + tl.arange(0, BM);
    auto acc = tl.zeros(tl.shape(BM), tl.float32);
    for (auto start : tl.range(0, n, BN)) {
      auto j = start + tl.arange(0, BN);
      auto mask = (i < m)(_, None) & (j < n)(None, _);
      auto x = tl.load(x_ptr + i(_, None) * n + j(None, _), {.mask = mask, .other = 0});
      acc += tl.sum(x.to(tl.float32), 1_c);
    }
    tl.store(z_ptr + i, acc, {.mask = i < m});
  }
};

}  // namespace tl::kernels
