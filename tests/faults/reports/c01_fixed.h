// rows' mean and variance, one program a row (triton-lang/triton#9838)
// case: rows=5 cols=17 BLOCK=32 x=f32[rows, cols]:uniform(2, 4) y=out:f32[rows, cols] grid=rows
// case: expect='y = (x - sum(x, 1)[:, None] / cols) / sqrt(sum((x - sum(x, 1)[:, None] / cols) * (x - sum(x, 1)[:, None] / cols), 1)[:, None] / cols + 1e-5)'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct layernorm_pad {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto cols, constexpr_ auto BLOCK) const {
    auto row = tl.program_id(0);
    auto offs = tl.arange(0, BLOCK);
    auto mask = offs < cols;
    auto x = tl.load(x_ptr + row * cols + offs, {.mask = mask, .other = 0});
    auto mean = tl.sum(x, 0_c) / cols;
    auto d = tl.where(mask, x - mean, 0.0);
    auto var = tl.sum(d * d, 0_c) / cols;
    auto y = d * tl.rsqrt(var + 1e-5);
    tl.store(y_ptr + row * cols + offs, y, {.mask = mask});
  }
};
}  // namespace tl::kernels
