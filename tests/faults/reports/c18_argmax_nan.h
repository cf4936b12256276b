// argmax of a block with NaN (triton#9022, #10697)
// case: n=8 x=f32[n]:values(0, 2, nan, 1, 5, 3, -1, 4) y=out:i32[1] m=out:f32[1] grid=1
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct argmax_nan {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, ptr auto m_ptr) const {
    auto x = tl.load(x_ptr + tl.arange(0, 8_c));
    tl.store(y_ptr, tl.argmax(x, 0_c));
    tl.store(m_ptr, tl.max(x, 0_c));
  }
};
}  // namespace tl::kernels
