// the same by tl.reduce
// case: n=128 x=f32[n]:ones z=out:f32[1] grid=1 expect='z = 2'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct discounted_reduce {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr) const {
    auto x = tl.load(x_ptr + tl.arange(0, 128_c));
    tl.store(z_ptr, tl.reduce(x, 0_c, [&](auto a, auto b) { return a * 0.5 + b; }));
  }
};
}  // namespace tl::kernels
