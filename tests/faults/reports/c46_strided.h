// one program sums the columns of a matrix that lies row by row, lane by row: a warp touches 32 lines a request
// (triton#1172, #949)
// case: rows=4096 cols=1024 BR=128 x=f32[rows, cols] y=out:f32[rows] grid=cdiv(rows, BR) expect='y = sum(x, 1)'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct strided_sum {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto rows, int_ auto cols, constexpr_ auto BR) const {
    auto r = tl.program_id(0) * BR + tl.arange(0, BR);
    auto acc = tl.zeros(tl.shape(BR), tl.float32);
    for (auto c : tl.range(0, cols)) acc = acc + tl.load(x_ptr + r * cols + c, {.mask = r < rows, .other = 0});
    tl.store(y_ptr + r, acc, {.mask = r < rows});
  }
};
}  // namespace tl::kernels
