// a gather by the causal predicate only: rows beyond T read past the end, and their values are thrown away later
// (fla#1142)
// case: T=100 BT=64 L=8 scales=f32[T, L] y=out:f32[T] grid=cdiv(T, BT) expect=first
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct partial_chunk {
  void operator()(auto& tl, ptr auto scales_ptr, ptr auto y_ptr, int_ auto T, int_ auto L, constexpr_ auto BT) const {
    auto i = tl.arange(0, BT);
    auto t = tl.program_id(0) * BT + i;
    auto causal = i(_, None) >= i(None, _);
    auto s = tl.load(scales_ptr + t(_, None) * L + tl.zeros(tl.shape(BT, BT), tl.int32), {.mask = causal, .other = 0});
    auto row = tl.sum(s, 1_c) / (i + 1);
    tl.store(y_ptr + t, row, {.mask = t < T});
  }
};
void first(auto& args) {
  auto s = args["scales"];
  auto y = args["y"];
  for (int i = 0; i < y.size(0); ++i) y(i) = s(i, 0);
}
}  // namespace tl::kernels
