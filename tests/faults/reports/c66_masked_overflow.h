// lanes that are masked off compute offsets that wrap: they are not loaded (ROCm/triton#830): correct
// case: n=64 x=f32[64] y=out:f32[64] grid=1
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct masked_overflow {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto n) const {
    auto i = tl.arange(0, 64_c);
    auto off = (i - 32) * 67108864;
    auto m = (i >= 32) & (i < 33);
    auto v = tl.load(x_ptr + off, {.mask = m, .other = 0});
    tl.store(y_ptr + i, v);
  }
};
}  // namespace tl::kernels
