// a row is normalized and stored whole, then its tail is stored again, rotated: two stores of one element
// (triton#10743)
// case: rows=4 D=64 R=32 x=inout:f32[rows, D] grid=rows
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct two_stores {
  void operator()(auto& tl, ptr auto x_ptr, constexpr_ auto D, constexpr_ auto R) const {
    auto row = tl.program_id(0);
    auto o = tl.arange(0, D);
    auto x = tl.load(x_ptr + row * D + o);
    auto rstd = tl.rsqrt(tl.sum(x * x, 0_c) / D + 1e-6);
    auto h = tl.arange(0, R / 2_c);
    auto a = tl.load(x_ptr + row * D + D - R + h) * rstd;
    auto b = tl.load(x_ptr + row * D + D - R / 2_c + h) * rstd;
    tl.store(x_ptr + row * D + o, x * rstd);
    tl.store(x_ptr + row * D + D - R + h, -b);
    tl.store(x_ptr + row * D + D - R / 2_c + h, a);
  }
};
}  // namespace tl::kernels
