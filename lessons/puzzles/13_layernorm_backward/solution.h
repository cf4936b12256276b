// A layer normalization backwards, a row a program: from dy, what y does to the result, what x, w and b do.
// dx[i, j] = rstd (g - average of g - xhat average of g xhat), g = dy w;  dw[j] = sum of dy xhat, db[j] = sum of dy
// case: x=f32[m, n] w=f32[n] dy=f32[m, n] dx=out:f32[m, n] dw=inout:f32[n]:zeros db=inout:f32[n]:zeros
// case: m=4 n=5 BLOCK=8 grid=m expect=layernorm_backward_loop
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct layernorm_backward_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto w_ptr, ptr auto dy_ptr, ptr auto dx_ptr, ptr auto dw_ptr,
                  ptr auto db_ptr, int_ auto n, constexpr_ auto BLOCK) const {
    // Yours: nobody has stored the mean and 1 / sqrt. dw and db begin at 0, and every row adds its part.
    auto cols = tl.arange(0, BLOCK);
    auto offs = tl.program_id(0) * n + cols;
    auto mask = cols < n;
    auto x = tl.load(x_ptr + offs, {.mask = mask, .other = 0}).to(tl.float32);
    auto dy = tl.load(dy_ptr + offs, {.mask = mask, .other = 0}).to(tl.float32);
    auto w = tl.load(w_ptr + cols, {.mask = mask, .other = 0});
    auto centred = tl.where(mask, x - tl.sum(x, 0) / n, 0.0);
    auto rstd = 1 / tl.sqrt(tl.sum(centred * centred, 0) / n + 1e-5);
    auto xhat = centred * rstd;
    auto g = dy * w;
    auto of_g = tl.sum(g, 0) / n;
    auto of_g_xhat = tl.sum(g * xhat, 0) / n;
    tl.store(dx_ptr + offs, (rstd * (g - of_g - xhat * of_g_xhat)).to(dx_ptr.dtype), {.mask = mask});
    tl.atomic_add(dw_ptr + cols, dy * xhat, {.mask = mask});
    tl.atomic_add(db_ptr + cols, dy, {.mask = mask});
  }
};

// The loop: what `tilescope run` of this file compares with.
void layernorm_backward_loop(auto& args) {
  auto x = args["x"];
  auto w = args["w"];
  auto dy = args["dy"];
  auto dx = args["dx"];
  auto dw = args["dw"];
  auto db = args["db"];
  auto n = args("n");
  for (int j = 0; j < n; ++j) dw(j) = db(j) = 0;
  for (int i = 0; i < x.size(0); ++i) {
    decltype(n) mean = 0, variance = 0, of_g = 0, of_g_xhat = 0;
    for (int j = 0; j < n; ++j) mean += x(i, j) / n;
    for (int j = 0; j < n; ++j) variance += (x(i, j) - mean) * (x(i, j) - mean) / n;
    double rstd = 1 / sqrt(variance + 1e-5);
    for (int j = 0; j < n; ++j) {
      double xhat = (x(i, j) - mean) * rstd, g = dy(i, j) * w(j);
      of_g += g / n;
      of_g_xhat += g * xhat / n;
      dw(j) += dy(i, j) * xhat;
      db(j) += dy(i, j);
    }
    for (int j = 0; j < n; ++j)
      dx(i, j) = rstd * (dy(i, j) * w(j) - of_g - (x(i, j) - mean) * rstd * of_g_xhat);
  }
}

}  // namespace tl::kernels
