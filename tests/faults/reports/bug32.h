// columns beyond BLOCK are ignored (xformers#785)
// was: rows=3 cols=100 BLOCK=64 x=f32[rows, cols] y=out:f32[rows, cols] grid=rows expect='y = x - sum(x, 1)[:, None] /
// cols'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct cols_ignored {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto cols, constexpr_ auto BLOCK) const {
    auto row = tl.program_id(0);
    auto o = tl.arange(0, BLOCK);
    auto x = tl.load(x_ptr + row * cols + o, {.mask = o < cols, .other = 0});
    tl.store(y_ptr + row * cols + o, x - tl.sum(x, 0_c) / cols, {.mask = o < cols});
  }
};
}  // namespace tl::kernels

// tilescope run bug32.h
// case cols_ignored: BLOCK=64
// case cols_ignored: cols=100
// case cols_ignored: expect='y = x - sum(x, 1)[:, None] / cols'
// case cols_ignored: grid=rows
// case cols_ignored: rows=3
// case cols_ignored: stages=3
// case cols_ignored: warps=4
// case cols_ignored: x=f32[rows,cols]
// case cols_ignored: y=out:f32[rows,cols]
// case cols_ignored: fill_seed=0
