// each config writes only its part (triton#9230)
// case: n=1024 OFFSET=0 ELEMENTS=512 x=f32[n] y=f32[n] z=out:f32[n] grid=1 expect='z = x + y' configs='OFFSET=0,512'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct partial_add {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, ptr auto z_ptr, constexpr_ auto OFFSET,
                  constexpr_ auto ELEMENTS) const {
    auto o = tl.arange(0, ELEMENTS) + OFFSET;
    tl.store(z_ptr + o, tl.load(x_ptr + o) + tl.load(y_ptr + o));
  }
};
}  // namespace tl::kernels
