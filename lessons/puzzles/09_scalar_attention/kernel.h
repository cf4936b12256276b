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
  }
};

}  // namespace tl::kernels
