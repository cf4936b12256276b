// through a scratch tile in global memory, written by rows, read by columns (triton#9887)
// case: n=64 N=64 x=f32[n, n] s=inout:f32[n, n]:full(7) y=out:f32[n, n] grid=1 expect=transposed
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct scratch_nobarrier {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto s_ptr, ptr auto y_ptr, int_ auto n, constexpr_ auto N) const {
    auto i = tl.arange(0, N)(_, None);
    auto j = tl.arange(0, N)(None, _);
    auto x = tl.load(x_ptr + i * n + j);
    tl.store(s_ptr + i * n + j, x);
    tl.debug_barrier();
    auto t = tl.load(s_ptr + j * n + i);
    tl.store(y_ptr + i * n + j, t);
  }
};
void transposed(auto& args) {
  auto x = args["x"];
  auto y = args["y"];
  for (int i = 0; i < y.size(0); ++i)
    for (int j = 0; j < y.size(1); ++j) y(i, j) = x(j, i);
}
}  // namespace tl::kernels
