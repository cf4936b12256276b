// the same, the descriptor a parameter
// case: m=64 k=511 x=bf16[m, k]:tile[64, 64] y=out:f32[m] grid=1 expect='y = sum(x, 1)'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct desc_stride_param {
  void operator()(auto& tl, descriptor auto x_desc, ptr auto y_ptr, int_ auto m, int_ auto k) const {
    auto acc = tl.zeros(tl.shape(64_c), tl.float32);
    for (auto i : tl.range(0, k, 64)) acc = acc + tl.sum(x_desc.load({0, i}).to(tl.float32), 1_c);
    tl.store(y_ptr + tl.arange(0, 64_c), acc, {.mask = tl.arange(0, 64_c) < m});
  }
};
}  // namespace tl::kernels
