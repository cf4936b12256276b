// Products of pairs of matrices, BM x BN a program.  z[b, i, j] = sum over l of x[b, i, l] y[b, l, j]
// case: x=f16[batch, m, k] y=f16[batch, k, n] z=out:f32[batch, m, n] batch=2 m=20 n=24 k=40 BM=16 BN=16 BK=16
// case: grid=(cdiv(m, BM), cdiv(n, BN), batch)
// case: expect=batched_matmul_loop
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct batched_matmul_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, ptr auto z_ptr, int_ auto m, int_ auto n, int_ auto k,
                  constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK) const {
    // Yours: tl.program_id(2) says which pair.
  }
};

// The loop: what `tilescope run` of this file compares with.
void batched_matmul_loop(auto& args) {
  auto x = args["x"];
  auto y = args["y"];
  auto z = args["z"];
  for (int b = 0; b < z.size(0); ++b)
    for (int i = 0; i < z.size(1); ++i)
      for (int j = 0; j < z.size(2); ++j) {
        z(b, i, j) = 0;
        for (int l = 0; l < x.size(2); ++l) z(b, i, j) += x(b, i, l) * y(b, l, j);
      }
}

}  // namespace tl::kernels
