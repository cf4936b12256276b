// Attention of numbers, BM queries a program.  z[i] = sum over j of softmax over j of (q[i] k[j]) v[j]
// case: q=f32[n]:normal k=f32[n]:normal v=f32[n]:normal z=out:f32[n] n=21 BM=4 BN=8 grid=cdiv(n, BM)
// case: expect='z = sum(exp(q[:, None] * k[None, :]) * v[None, :], 1) / sum(exp(q[:, None] * k[None, :]), 1)'
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct scalar_attention_kernel {
  void operator()(auto& tl, ptr auto q_ptr, ptr auto k_ptr, ptr auto v_ptr, ptr auto z_ptr, int_ auto n,
                  constexpr_ auto BM, constexpr_ auto BN) const {
    // Yours: one loop over the keys.
    auto i = tl.program_id(0) * BM + tl.arange(0, BM);
    auto q = tl.load(q_ptr + i, {.mask = i < n});
    auto largest = tl.full(tl.shape(BM), -inf, tl.float32);
    auto sum = tl.zeros(tl.shape(BM), tl.float32);
    auto acc = tl.zeros(tl.shape(BM), tl.float32);
    for (auto start : tl.range(0, n, BN)) {
      auto j = start + tl.arange(0, BN);
      auto k = tl.load(k_ptr + j, {.mask = j < n});
      auto v = tl.load(v_ptr + j, {.mask = j < n, .other = 0});
      auto s = tl.where((j < n)(None, _), q(_, None) * k(None, _), -inf);
      auto next = tl.maximum(largest, tl.max(s, 1_c));
      auto p = tl.exp(s - next(_, None));
      auto scale = tl.exp(largest - next);
      sum = sum * scale + tl.sum(p, 1_c);
      acc = acc * scale + tl.sum(p * v(None, _), 1_c);
      largest = next;
    }
    tl.store(z_ptr + i, acc / sum, {.mask = i < n});
  }
};

}  // namespace tl::kernels
