// Backward of y = x s, s = 1 / (1 + exp(-x)), torch's silu.  dx[i] = dy[i] times the derivative of y at x[i]
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct silu_backward_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto dy_ptr, ptr auto dx_ptr, int_ auto n,
                  constexpr_ auto BLOCK) const {
    auto offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto x = tl.load(x_ptr + offs, {.mask = offs < n, .other = 0}).to(tl.float32);
    auto dy = tl.load(dy_ptr + offs, {.mask = offs < n, .other = 0}).to(tl.float32);
    auto s = 1 / (1 + tl.exp(-x));
    auto slope = s * (1 + x * (1 - s));
    tl.store(dx_ptr + offs, (dy * slope).to(dx_ptr.dtype), {.mask = offs < n});
  }
};

}  // namespace tl::kernels
