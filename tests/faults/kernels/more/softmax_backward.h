// dx = y (dy - sum y dy), rows in blocks of several
// case: R=13 N=50 y=f16[R, N]:uniform(0,1) dy=f16[R, N] dx=out:f16[R, N] BR=4 BN=64 grid=cdiv(R, BR)
// case: expect='dx = y * (dy - sum(y * dy, 1)[:, None])' tolerance=1e-2
#pragma once
#include "interp/tl.h"
struct softmax_backward {
  void operator()(auto& tl, tl::ptr auto y_ptr, tl::ptr auto dy_ptr, tl::ptr auto dx_ptr, tl::int_ auto R,
                  tl::int_ auto N, tl::constexpr_ auto BR, tl::constexpr_ auto BN) const {
    using tl::_;
    auto r = tl.program_id(0) * BR + tl.arange(0, BR);
    auto c = tl.arange(0, BN);
    auto mask = (r < R)(_, tl::None) & (c < N)(tl::None, _);
    auto at = r(_, tl::None) * N + c(tl::None, _);
    auto y = tl.load(y_ptr + at, {.mask = mask, .other = 0.0}).to(tl.float32);
    auto dy = tl.load(dy_ptr + at, {.mask = mask, .other = 0.0}).to(tl.float32);
    auto s = tl.sum(y * dy, 1_c);
    tl.store(dx_ptr + at, (y * (dy - s(_, tl::None))).to(tl.float16), {.mask = mask});
  }
};
