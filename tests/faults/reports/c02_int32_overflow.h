// y[i] = x[row_i, 0]: offsets row * stride in int32 (triton#6748, megablocks#185)
// case: rows=300 n=4 BLOCK=256 stride=7864320 x=i8[rows, stride] y=out:i8[rows] grid=cdiv(rows, BLOCK)
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct int32_overflow {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto rows, int_ auto stride,
                  constexpr_ auto BLOCK) const {
    auto r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto mask = r < rows;
    auto v = tl.load(x_ptr + r * stride, {.mask = mask});
    tl.store(y_ptr + r, v, {.mask = mask});
  }
};
}  // namespace tl::kernels
