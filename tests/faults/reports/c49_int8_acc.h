// histogram in uint8 wraps at 256
// case: n=1000 BLOCK=1024 x=u8[n]:full(3) y=out:u8[1] grid=1 expect='y = sum(x)'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct int8_acc {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto n, constexpr_ auto BLOCK) const {
    auto o = tl.arange(0, BLOCK);
    auto x = tl.load(x_ptr + o, {.mask = o < n, .other = 0});
    tl.store(y_ptr, tl.sum(x, 0_c));
  }
};
}  // namespace tl::kernels
