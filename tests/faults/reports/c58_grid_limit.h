// batch * heads on grid axis 1: CUDA takes 65535 at most there (fla#1077, triton#3299, #580)
// case: B=2050 H=32 x=f32[B * H, 4] y=out:f32[B * H, 4] grid=(1, B * H) expect='y = x'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct grid_limit {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr) const {
    auto o = tl.program_id(1) * 4 + tl.arange(0, 4_c);
    tl.store(y_ptr + o, tl.load(x_ptr + o));
  }
};
}  // namespace tl::kernels
