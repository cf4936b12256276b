// gauss 5x5 of an image of 4 interleaved channels, u8, one channel a load (triton#5032)
// case: W=512 H=256 BX=64 BY=16 x=u8[H, W, 4] k=f32[25]:full(0.04) y=out:u8[H, W, 4] grid=(cdiv(W, BX), cdiv(H, BY))
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct gauss {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto k_ptr, ptr auto y_ptr, int_ auto W, int_ auto H,
                  constexpr_ auto BX, constexpr_ auto BY) const {
    auto ix = (tl.program_id(0) * BX + tl.arange(0, BX))(None, _);
    auto iy = (tl.program_id(1) * BY + tl.arange(0, BY))(_, None);
    tl.static_for(4_c, [&](auto c) {
      auto sum = tl.zeros(tl.shape(BY, BX), tl.float32);
      tl.static_for(5_c, [&](auto dy) {
        tl.static_for(5_c, [&](auto dx) {
          auto nx = ix + dx - 2;
          auto ny = iy + dy - 2;
          auto m = (nx >= 0) & (nx < W) & (ny >= 0) & (ny < H);
          auto v = tl.load(x_ptr + (ny * W + nx) * 4 + c, {.mask = m, .other = 0});
          sum = sum + v.to(tl.float32) * tl.load(k_ptr + dy * 5_c + dx);
        });
      });
      tl.store(y_ptr + (iy * W + ix) * 4 + c, sum.to(tl.uint8), {.mask = (ix < W) & (iy < H)});
    });
  }
};
}  // namespace tl::kernels
