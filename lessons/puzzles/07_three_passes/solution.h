// Softmax of rows longer than a block, BM rows a program.  z[i, j] = exp(x[i, j]) / sum over j of exp(x[i, j])
// case: x=f32[m, n]:normal z=out:f32[m, n] m=5 n=29 BM=4 BN=8 grid=cdiv(m, BM)
// case: expect='z = exp(x) / sum(exp(x), 1)[:, None]'
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct three_passes_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, int_ auto m, int_ auto n, constexpr_ auto BM,
                  constexpr_ auto BN) const {
    // Yours: one loop for the largest of each row, one for the sums, one for the quotients.
    auto i = tl.program_id(0) * BM + tl.arange(0, BM);
    auto largest = tl.full(tl.shape(BM), -inf, tl.float32);
    for (auto start : tl.range(0, n, BN)) {
      auto j = start + tl.arange(0, BN);
      auto mask = (i < m)(_, None) & (j < n)(None, _);
      auto x = tl.load(x_ptr + i(_, None) * n + j(None, _), {.mask = mask, .other = -inf});
      largest = tl.maximum(largest, tl.max(x, 1_c));
    }
    auto sum = tl.zeros(tl.shape(BM), tl.float32);
    for (auto begin : tl.range(0, n, BN)) {
      auto cols = begin + tl.arange(0, BN);
      auto inside = (i < m)(_, None) & (cols < n)(None, _);
      auto row = tl.load(x_ptr + i(_, None) * n + cols(None, _), {.mask = inside, .other = -inf});
      sum += tl.sum(tl.exp(row - largest(_, None)), 1_c);
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
