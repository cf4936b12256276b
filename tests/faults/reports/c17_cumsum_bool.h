// compaction: the write address is the cumsum of a mask, bools (triton#5897)
// case: K=8 idx=i32[8]:values(5, -1, 7, 12, -1, 3, 9, -1) out=inout:i32[8]:full(-1) grid=1 expect=compact
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct cumsum_bool {
  void operator()(auto& tl, ptr auto idx_ptr, ptr auto out_ptr, constexpr_ auto K) const {
    auto v = tl.load(idx_ptr + tl.arange(0, K));
    auto keep = v >= 0;
    auto at = tl.cumsum(keep, 0_c) - 1;
    tl.store(out_ptr + at, v, {.mask = keep});
  }
};
void compact(auto& args) {
  auto x = args["idx"];
  auto y = args["out"];
  int k = 0;
  for (int i = 0; i < y.size(0); ++i) y(i) = -1;
  for (int i = 0; i < x.size(0); ++i)
    if (x(i) >= 0) y(k++) = x(i);
}
}  // namespace tl::kernels
