// y = a 3 x 5 window over x, nothing outside, one row of one channel a program
// case: C=3 H=11 W=29 x=f32[C, H, W] w=f32[C, 3, 5] y=out:f32[C, H, W] BLOCK=32 grid=(H, C) expect=conv_loop
#pragma once
#include "interp/tl.h"
struct conv2d {
  void operator()(auto& tl, tl::ptr auto x_ptr, tl::ptr auto w_ptr, tl::ptr auto y_ptr, tl::int_ auto H,
                  tl::int_ auto W, tl::constexpr_ auto BLOCK) const {
    auto h = tl.program_id(0);
    auto c = tl.program_id(1);
    auto col = tl.arange(0, BLOCK);
    auto acc = tl.zeros(tl.shape(BLOCK), tl.float32);
    for (auto dy : tl.range(0, 3)) {
      for (auto dx : tl.range(0, 5)) {
        auto row = h + dy - 1;
        auto at = col + dx - 2;
        auto inside = (at >= 0) & (at < W) & (row >= 0) & (row < H);
        auto x = tl.load(x_ptr + (c * H + row) * W + at, {.mask = inside, .other = 0.0});
        auto w = tl.load(w_ptr + c * 15 + dy * 5 + dx);
        acc += x * w;
      }
    }
    tl.store(y_ptr + (c * H + h) * W + col, acc, {.mask = col < W});
  }
};
void conv_loop(auto& args) {
  auto x = args["x"];
  auto w = args["w"];
  auto y = args["y"];
  for (int c = 0; c < x.size(0); ++c)
    for (int h = 0; h < x.size(1); ++h)
      for (int i = 0; i < x.size(2); ++i) {
        double s = 0;
        for (int dy = 0; dy < 3; ++dy)
          for (int dx = 0; dx < 5; ++dx) {
            int r = h + dy - 1, k = i + dx - 2;
            if (r >= 0 && r < x.size(1) && k >= 0 && k < x.size(2)) s += x(c, r, k) * w(c, dy, dx);
          }
        y(c, h, i) = s;
      }
}
