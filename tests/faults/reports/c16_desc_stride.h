// a descriptor made in the kernel whose row stride is no multiple of 16 bytes (triton#10927, #10931)
// case: m=64 k=511 x=bf16[m, k] y=out:f32[m] grid=1 expect='y = sum(x, 1)'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct desc_stride {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto m, int_ auto k) const {
    auto d = tl.make_tensor_descriptor(x_ptr, tl.tuple(m, k), tl.tuple(k, 1), tl.shape(64_c, 64_c));
    auto acc = tl.zeros(tl.shape(64_c), tl.float32);
    for (auto i : tl.range(0, k, 64)) acc = acc + tl.sum(d.load({0, i}).to(tl.float32), 1_c);
    tl.store(y_ptr + tl.arange(0, 64_c), acc, {.mask = tl.arange(0, 64_c) < m});
  }
};
}  // namespace tl::kernels
