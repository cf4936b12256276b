// The same, the largest and the sum in one pass.  z[i, j] = exp(x[i, j]) / sum over j of exp(x[i, j])
// case: x=f32[m, n]:normal z=out:f32[m, n] m=5 n=29 BM=4 BN=8 grid=cdiv(m, BM)
// case: expect='z = exp(x) / sum(exp(x), 1)[:, None]'
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct two_passes_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, int_ auto m, int_ auto n, constexpr_ auto BM,
                  constexpr_ auto BN) const {
    // Yours: one loop for the largest and the sum together, one for the quotients.
    auto i = tl.program_id(0) * BM + tl.arange(0, BM);
    auto largest = tl.full(tl.shape(BM), -inf, tl.float32);
    auto sum = tl.zeros(tl.shape(BM), tl.float32);
    for (auto start : tl.range(0, n, BN)) {
      auto j = start + tl.arange(0, BN);
      auto mask = (i < m)(_, None) & (j < n)(None, _);
      auto x = tl.load(x_ptr + i(_, None) * n + j(None, _), {.mask = mask, .other = -inf});
      auto next = tl.maximum(largest, tl.max(x, 1_c));
      sum = sum * tl.exp(largest - next) + tl.sum(tl.exp(x - next(_, None)), 1_c);
      largest = next;
    }
    for (auto first : tl.range(0, n, BN)) {
      auto c = first + tl.arange(0, BN);
      auto offs = i(_, None) * n + c(None, _);
      auto exists = (i < m)(_, None) & (c < n)(None, _);
      auto again = tl.load(x_ptr + offs, {.mask = exists});
      tl.store(z_ptr + offs, tl.exp(again - largest(_, None)) / sum(_, None), {.mask = exists});
    }
  }
};

}  // namespace tl::kernels
