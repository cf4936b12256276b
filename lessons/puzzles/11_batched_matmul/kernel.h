// Products of pairs of matrices, BM x BN a program.  z[b, i, j] = sum over l of x[b, i, l] y[b, l, j]
// case: x=f16[batch, m, k] y=f16[batch, k, n] z=out:f32[batch, m, n] batch=2 m=20 n=24 k=40 BM=16 BN=16 BK=16
// case: grid=(cdiv(m, BM), cdiv(n, BN), batch)
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct batched_matmul_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, ptr auto z_ptr, int_ auto m, int_ auto n, int_ auto k,
                  constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK) const {
    // Yours: tl.program_id(2) says which pair.
  }
};

}  // namespace tl::kernels
