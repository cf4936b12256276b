// out[idx[i]] += v[i] by load, add, store: duplicates lose updates (triton#558, #5326, #4233)
// case: n=64 m=8 BLOCK=64 idx=i32[n]:each(7 * i % 8) v=f32[n]:ones out=inout:f32[m]:zeros grid=1 expect='out = 8'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct scatter_dup {
  void operator()(auto& tl, ptr auto idx_ptr, ptr auto v_ptr, ptr auto out_ptr, int_ auto n,
                  constexpr_ auto BLOCK) const {
    auto o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto mask = o < n;
    auto idx = tl.load(idx_ptr + o, {.mask = mask, .other = 0});
    auto v = tl.load(v_ptr + o, {.mask = mask, .other = 0});
    auto old = tl.load(out_ptr + idx, {.mask = mask});
    tl.store(out_ptr + idx, old + v, {.mask = mask});
  }
};
}  // namespace tl::kernels
