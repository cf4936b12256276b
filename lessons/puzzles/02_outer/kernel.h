// Every sum of an x and a y, by one program.  z[i, j] = x[i] + y[j]
// case: x=f32[m] y=f32[n] z=out:f32[m, n] m=3 n=5 BM=4 BN=8 grid=1 expect='z = x[:, None] + y[None, :]'
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct outer_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, ptr auto z_ptr, int_ auto m, int_ auto n,
                  constexpr_ auto BM, constexpr_ auto BN) const {
    // Yours.
  }
};

}  // namespace tl::kernels
