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
  }
};

}  // namespace tl::kernels
