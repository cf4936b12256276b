// h[t+1] = h[t] @ w, kept in global memory: a turn's dot loads the tile that the turn before stored (tilelang#2668,
// triton#8259)
// case: T=8 N=64 h=inout:f16[512, 64]:uniform(-0.05, 0.05) w=f16[64, 64] grid=1 stages=3 expect=chain tolerance=1e-2
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct war_loop {
  void operator()(auto& tl, ptr auto h_ptr, ptr auto w_ptr, int_ auto T, constexpr_ auto N) const {
    auto i = tl.arange(0, N);
    auto at = i(_, None) * N + i(None, _);
    auto w = tl.load(w_ptr + at);
    for (auto t : tl.range(0, T - 1)) {
      auto h = tl.load(h_ptr + t * N * N + at);
      auto next = tl.dot(h, w);
      tl.store(h_ptr + (t + 1) * N * N + at, next.to(tl.float16));
      tl.debug_barrier();
    }
  }
};
void chain(auto& args) {
  auto h = args["h"];
  auto w = args["w"];
  int T = args("T");
  for (int t = 0; t + 1 < T; ++t)
    for (int i = 0; i < 64; ++i)
      for (int j = 0; j < 64; ++j) {
        double s = 0;
        for (int k = 0; k < 64; ++k) s += h(t * 64 + i, k) * w(k, j);
        h((t + 1) * 64 + i, j) = s;
      }
}
}  // namespace tl::kernels
