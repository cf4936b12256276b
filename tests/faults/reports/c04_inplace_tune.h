// x *= 2 in place (triton#6547, lion-pytorch#36)
// case: n=4096 BLOCK=256 x=inout:f32[n]:full(1) grid=cdiv(n, BLOCK) expect='x = x * 2' configs='BLOCK=128,256,512 warps=4,8'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct inplace_scale {
  void operator()(auto& tl, ptr auto x_ptr, int_ auto n, constexpr_ auto BLOCK) const {
    auto o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto m = o < n;
    auto x = tl.load(x_ptr + o, {.mask = m});
    tl.store(x_ptr + o, x * 2, {.mask = m});
  }
};
}  // namespace tl::kernels
