// out[id[i]] += x[i], rows of x, by atomics
// case: n=53 D=21 S=7 x=f32[n, D] id=i32[n]:each(i * i % 7) y=inout:f32[S, D]:zeros BR=16 BD=32 grid=cdiv(n, BR)
// case: expect='y = ((id[None, :] == arange(7)[:, None]) * 1.0) @ x' tolerance=1e-4
#pragma once
#include "interp/tl.h"
struct segment_sum {
  void operator()(auto& tl, tl::ptr auto x_ptr, tl::ptr auto id_ptr, tl::ptr auto y_ptr, tl::int_ auto n,
                  tl::int_ auto D, tl::constexpr_ auto BR, tl::constexpr_ auto BD) const {
    using tl::_;
    auto r = tl.program_id(0) * BR + tl.arange(0, BR);
    auto d = tl.arange(0, BD);
    auto mask = (r < n)(_, tl::None) & (d < D)(tl::None, _);
    auto id = tl.load(id_ptr + r, {.mask = r < n, .other = 0});
    auto x = tl.load(x_ptr + r(_, tl::None) * D + d(tl::None, _), {.mask = mask, .other = 0.0});
    tl.atomic_add(y_ptr + id(_, tl::None) * D + d(tl::None, _), x, {.mask = mask, .sem = "relaxed"});
  }
};
