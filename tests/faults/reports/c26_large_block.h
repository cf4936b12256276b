// blend of two images, a whole image a program (triton#1101)
// case: images=64 n=150528 BLOCK=262144 a=f32[images, n] b=f32[images, n] r=0.3 y=out:f32[images, n] grid=(images, cdiv(n, BLOCK)) configs='BLOCK=1024,4096,16384,262144 warps=4,8'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct large_block {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto y_ptr, int_ auto n, float_ auto r,
                  constexpr_ auto BLOCK) const {
    auto o = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK);
    auto at = tl.program_id(0) * n + o;
    auto m = o < n;
    auto a = tl.load(a_ptr + at, {.mask = m, .other = 0});
    auto b = tl.load(b_ptr + at, {.mask = m, .other = 0});
    tl.store(y_ptr + at, r * a + (1.0 - r) * b, {.mask = m});
  }
};
}  // namespace tl::kernels
