// cross entropy's gradient: the probability rounded to bf16 before the label's 1 is taken off (fla#1231)
// case: rows=4 cols=64 x=f32[rows, cols]:each(-6) t=i32[rows]:values(3, 9, 0, 63) g=out:f32[rows, cols] grid=rows expect=grad
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct ce_grad_bf16 {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto t_ptr, ptr auto g_ptr, int_ auto cols) const {
    auto row = tl.program_id(0);
    auto o = tl.arange(0, 64_c);
    auto t = tl.load(t_ptr + row);
    auto x = tl.load(x_ptr + row * cols + o) + tl.where(o == t, 14.0, 0.0);
    auto e = tl.exp(x - tl.max(x, 0_c));
    auto p = (e / tl.sum(e, 0_c)).to(tl.bfloat16);
    tl.store(g_ptr + row * cols + o, p - tl.where(o == t, 1.0, 0.0).to(tl.bfloat16));
  }
};
void grad(auto& args) {
  auto x = args["x"];
  auto t = args["t"];
  auto g = args["g"];
  for (int i = 0; i < g.size(0); ++i) {
    double m = -1e30, d = 0;
    auto at = [&](int j) { return x(i, j) + (j == t(i) ? 14.0 : 0.0); };
    for (int j = 0; j < g.size(1); ++j) m = at(j) > m ? at(j) : m;
    for (int j = 0; j < g.size(1); ++j) d += exp(at(j) - m);
    for (int j = 0; j < g.size(1); ++j) g(i, j) = exp(at(j) - m) / d - (j == t(i) ? 1 : 0);
  }
}
}  // namespace tl::kernels
