// Pictures under a window of weights, BH x BW a program.  z[b, i, j] = sum over p, q of k[p, q] x[b, i + p, j + q]
// case: x=f32[batch, h, w] k=f32[kh, kw] z=out:f32[batch, h, w] batch=2 h=7 w=10 kh=3 kw=2 BH=4 BW=8
// case: grid=(cdiv(h, BH), cdiv(w, BW), batch)
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct convolution_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto k_ptr, ptr auto z_ptr, int_ auto h, int_ auto w, int_ auto kh,
                  int_ auto kw, constexpr_ auto BH, constexpr_ auto BW) const {
    // Yours: a loop over the weights, and for each a block of x.
  }
};

}  // namespace tl::kernels
