// softmax of rows whose first len[row] columns count (burn#4694, triton#1273); a row with len 0
// case: rows=4 cols=16 BLOCK=16 x=f32[rows, cols] len=i32[rows]:values(3, 16, 0, 5) y=out:f32[rows, cols] grid=rows
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct masked_row_nan {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto len_ptr, ptr auto y_ptr, int_ auto cols,
                  constexpr_ auto BLOCK) const {
    auto row = tl.program_id(0);
    auto o = tl.arange(0, BLOCK);
    auto len = tl.load(len_ptr + row);
    auto x = tl.load(x_ptr + row * cols + o, {.mask = o < cols, .other = 0});
    auto s = tl.where(o < len, x, -inf);
    auto m = tl.max(s, 0_c);
    auto e = tl.exp(s - m);
    auto d = tl.sum(e, 0_c);
    tl.store(y_ptr + row * cols + o, e / d, {.mask = o < cols});
  }
};
}  // namespace tl::kernels
