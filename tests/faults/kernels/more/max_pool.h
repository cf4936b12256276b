// y[i, j] = largest of x's window of 3 x 2, steps of 2, and where it was
// case: H=15 W=22 x=f32[H, W] y=out:f32[7, 11] w=out:i32[7, 11] BLOCK=16 grid=7 expect=pool_loop
#pragma once
#include "interp/tl.h"
struct max_pool {
  void operator()(auto& tl, tl::ptr auto x_ptr, tl::ptr auto y_ptr, tl::ptr auto w_ptr, tl::int_ auto H,
                  tl::int_ auto W, tl::constexpr_ auto BLOCK) const {
    auto i = tl.program_id(0);
    auto j = tl.arange(0, BLOCK);
    auto n = W / 2;
    auto best = tl.full(tl.shape(BLOCK), -tl::inf, tl.float32);
    auto at = tl.zeros(tl.shape(BLOCK), tl.int32);
    for (auto dy : tl.range(0, 3)) {
      for (auto dx : tl.range(0, 2)) {
        auto row = i * 2 + dy;
        auto col = j * 2 + dx;
        auto x = tl.load(x_ptr + row * W + col, {.mask = (j < n) & (row < H), .other = -tl::inf});
        auto is_more = x > best;
        best = tl.where(is_more, x, best);
        at = tl.where(is_more, row * W + col, at);
      }
    }
    tl.store(y_ptr + i * n + j, best, {.mask = j < n});
    tl.store(w_ptr + i * n + j, at, {.mask = j < n});
  }
};
void pool_loop(auto& args) {
  auto x = args["x"];
  auto y = args["y"];
  auto w = args["w"];
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 11; ++j) {
      double best = -1e30;
      int at = 0;
      for (int dy = 0; dy < 3; ++dy)
        for (int dx = 0; dx < 2; ++dx)
          if (i * 2 + dy < x.size(0) && x(i * 2 + dy, j * 2 + dx) > best) {
            best = x(i * 2 + dy, j * 2 + dx);
            at = (i * 2 + dy) * x.size(1) + j * 2 + dx;
          }
      y(i, j) = best;
      w(i, j) = at;
    }
}
