// rows' sums, the mask bounds the offset in the tensor and not the column: a row runs on into the next
// case: rows=5 cols=20 BLOCK=32 x=f32[rows, cols]:ones y=out:f32[rows] grid=rows expect='y = sum(x, 1)'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct row_runs_on {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto rows, int_ auto cols,
                  constexpr_ auto BLOCK) const {
    auto row = tl.program_id(0);
    auto offs = row * cols + tl.arange(0, BLOCK);
    auto x = tl.load(x_ptr + offs, {.mask = offs < rows * cols, .other = 0});
    tl.store(y_ptr + row, tl.sum(x, 0_c));
  }
};
}  // namespace tl::kernels
