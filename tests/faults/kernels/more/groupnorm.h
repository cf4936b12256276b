// y = (x - mean) / sqrt(var + eps) * g[c] + b[c], mean and var of a group of channels
// case: N=2 G=3 C=9 L=13 x=f32[N, C, L] g=f32[C] b=f32[C] y=out:f32[N, C, L] CG=4 BL=16 grid=(N, G)
// case: expect='v = reshape(x, [2, 3, 39]); m = mean(v, 2); d = v - m[:, :, None]; s = sqrt(sum(d * d, 2) / 39 + 1e-5); y = reshape(d / s[:, :, None], [2, 9, 13]) * g[None, :, None] + b[None, :, None]'
// case: tolerance=1e-4
#pragma once
#include "interp/tl.h"
struct groupnorm {
  void operator()(auto& tl, tl::ptr auto x_ptr, tl::ptr auto g_ptr, tl::ptr auto b_ptr, tl::ptr auto y_ptr,
                  tl::int_ auto C, tl::int_ auto L, tl::int_ auto G, tl::constexpr_ auto CG,
                  tl::constexpr_ auto BL) const {
    using tl::_;
    auto n = tl.program_id(0);
    auto group = tl.program_id(1);
    auto per = C / G;
    auto c = tl.arange(0, CG);
    auto l = tl.arange(0, BL);
    auto ch = group * per + c;
    auto mask = (c < per)(_, tl::None) & (l < L)(tl::None, _);
    auto at = n * C * L + ch(_, tl::None) * L + l(tl::None, _);
    auto x = tl.load(x_ptr + at, {.mask = mask, .other = 0.0});
    auto count = per * L;
    auto mean = tl.sum(x) / count;
    auto d = tl.where(mask, x - mean, 0.0);
    auto var = tl.sum(d * d) / count;
    auto r = tl.rsqrt(var + 1e-5);
    auto g = tl.load(g_ptr + ch, {.mask = c < per, .other = 0.0});
    auto b = tl.load(b_ptr + ch, {.mask = c < per, .other = 0.0});
    tl.store(y_ptr + at, d * r * g(_, tl::None) + b(_, tl::None), {.mask = mask});
  }
};
