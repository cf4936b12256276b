// conv2d of a batch: a column of the batch's offsets added to a row of another length (Triton-Puzzles-Lite#10)
// case: B=2 H=8 x=f32[B, H] y=out:f32[B, H] grid=1
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct shape_mistake {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto H) const {
    auto b = tl.arange(0, 2_c);
    auto h = tl.arange(0, 8_c);
    auto offs = b * H + h;
    tl.store(y_ptr + offs, tl.load(x_ptr + offs));
  }
};
}  // namespace tl::kernels
