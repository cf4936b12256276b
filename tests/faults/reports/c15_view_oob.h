// the length of one tensor used for a strided view that is shorter (triton#10336)
// case: L=4 vals=i32[4]:values(1,2,3,4) bins=i32[5]:values(10,99,11,99,12) out=out:i32[4] SB=2 grid=1
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct view_oob {
  void operator()(auto& tl, ptr auto vals_ptr, ptr auto bins_ptr, ptr auto out_ptr, int_ auto L,
                  constexpr_ auto SB) const {
    auto o = tl.arange(0, 8_c);
    auto v = tl.load(vals_ptr + o, {.mask = o < L, .other = 0});
    auto b = tl.load(bins_ptr + o * SB, {.mask = o < L, .other = -1});
    tl.store(out_ptr + o, v * 100 + b, {.mask = o < L});
  }
};
}  // namespace tl::kernels
