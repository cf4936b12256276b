// The fast Hadamard transform of rows: butterflies by reshape, permute, split and join.
// After src/flag_gems/ops/hadamard_transform.py of flagos-ai/FlagGems at ed2508bcb.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

auto butterfly(auto& tl, auto x, constexpr_ auto SIZE, constexpr_ auto STRIDE) {
  auto groups = SIZE / (2_c * STRIDE);
  auto turned = tl.permute(tl.reshape(x, tl.shape(groups, 2_c, STRIDE)), tl.axes(0_c, 2_c, 1_c));
  auto [a, b] = tl.split(turned);
  return tl.reshape(tl.permute(tl.join(a + b, a - b), tl.axes(0_c, 2_c, 1_c)), tl.shape(SIZE));
}

// case: rows=3 cols=60 x=f16[rows,cols]:normal y=out:f16[rows,64] x_stride=cols y_stride=64 n_cols=cols SCALE=0.125
// case: SIZE=64 LOG2=6 grid=rows expect=hadamard_loop
struct hadamard_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto x_stride, int_ auto y_stride, int_ auto n_cols,
                  constexpr_ auto SCALE, constexpr_ auto SIZE, constexpr_ auto LOG2) const {
    auto row = tl.program_id(0);
    auto cols = tl.arange(0, SIZE);
    auto x = tl.load(x_ptr + row * x_stride + cols, {.mask = cols < n_cols, .other = 0.0}).to(tl.float32);
    tl.static_for(LOG2, [&](auto stage) { x = butterfly(tl, x, SIZE, 1_c << (LOG2 - 1_c - stage)); });
    tl.store(y_ptr + row * y_stride + cols, x * SCALE, {.eviction_policy = "evict_first"});
  }
};

void hadamard_loop(auto& args) {
  auto x = args["x"], y = args["y"];
  for (int r = 0; r < x.size(0); ++r)
    for (int i = 0; i < y.size(1); ++i) {
      y(r, i) = 0;
      for (int j = 0; j < x.size(1); ++j)
        y(r, i) += (__builtin_popcount(i & j) % 2 ? -x(r, j) : x(r, j)) * args("SCALE");
    }
}

}  // namespace tl::ports
