// inclusive prefix sum in place by doubling offsets; each turn reads what other threads wrote (mojo-gpu-puzzles#26)
// case: n=256 BLOCK=256 x=inout:i32[n]:ones grid=1
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct scan_inplace {
  void operator()(auto& tl, ptr auto x_ptr, int_ auto n, constexpr_ auto BLOCK) const {
    auto i = tl.arange(0, BLOCK);
    auto step = tl.scalar(1, tl.int32);
    while (step < n) {
      auto a = tl.load(x_ptr + i, {.mask = i < n, .other = 0});
      auto b = tl.load(x_ptr + i - step, {.mask = i >= step, .other = 0});
      tl.store(x_ptr + i, a + b, {.mask = i < n});
      step = step * 2;
    }
  }
};
}  // namespace tl::kernels
