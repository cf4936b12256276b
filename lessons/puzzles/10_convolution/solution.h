// Pictures under a window of weights, BH x BW a program.  z[b, i, j] = sum over p, q of k[p, q] x[b, i + p, j + q]
// case: x=f32[batch, h, w] k=f32[kh, kw] z=out:f32[batch, h, w] batch=2 h=7 w=10 kh=3 kw=2 BH=4 BW=8
// case: grid=(cdiv(h, BH), cdiv(w, BW), batch)
// case: expect=convolution_loop
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct convolution_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto k_ptr, ptr auto z_ptr, int_ auto h, int_ auto w, int_ auto kh,
                  int_ auto kw, constexpr_ auto BH, constexpr_ auto BW) const {
    // Yours: a loop over the weights, and for each a block of x.
    auto i = tl.program_id(0) * BH + tl.arange(0, BH);
    auto j = tl.program_id(1) * BW + tl.arange(0, BW);
    auto picture = tl.program_id(2) * h * w;
    auto acc = tl.zeros(tl.shape(BH, BW), tl.float32);
    for (auto p : tl.range(0, kh))
      for (auto q : tl.range(0, kw)) {
        auto inside = (i + p < h)(_, None) & (j + q < w)(None, _);
        auto x = tl.load(x_ptr + picture + (i + p)(_, None) * w + (j + q)(None, _), {.mask = inside, .other = 0});
        acc += x * tl.load(k_ptr + p * kw + q);
      }
    tl.store(z_ptr + picture + i(_, None) * w + j(None, _), acc, {.mask = (i < h)(_, None) & (j < w)(None, _)});
  }
};

// The loop: what `tilescope run` of this file compares with.
void convolution_loop(auto& args) {
  auto x = args["x"];
  auto k = args["k"];
  auto z = args["z"];
  for (int b = 0; b < z.size(0); ++b)
    for (int i = 0; i < z.size(1); ++i)
      for (int j = 0; j < z.size(2); ++j) {
        z(b, i, j) = 0;
        for (int p = 0; p < k.size(0); ++p)
          for (int q = 0; q < k.size(1); ++q)
            if (i + p < x.size(1) && j + q < x.size(2)) z(b, i, j) += k(p, q) * x(b, i + p, j + q);
      }
}

}  // namespace tl::kernels
