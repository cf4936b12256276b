// sum of x + bias into one cell, the atomic without the mask (pytorch#178871)
// case: n=33 BLOCK=64 x=f32[n]:ones bias=f32[1]:full(0.5) out=inout:f32[1]:zeros grid=1 expect='out = sum(x) + n * bias'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct f09 {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto bias_ptr, ptr auto out_ptr, int_ auto n,
                  constexpr_ auto BLOCK) const {
    auto o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto mask = o < n;
    auto x = tl.load(x_ptr + o, {.mask = mask, .other = 0});
    auto b = tl.load(bias_ptr);
    tl.atomic_add(out_ptr + tl.zeros(tl.shape(BLOCK), tl.int32), x + b, {.mask = mask});
  }
};
}  // namespace tl::kernels
