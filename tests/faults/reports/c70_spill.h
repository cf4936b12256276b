// a 256 x 256 f32 accumulator with 4 warps: 512 registers a thread (spills)
// case: K=64 a=f16[256, K] b=f16[K, 256] c=out:f32[256, 256] grid=1 warps=4 stages=1
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct spill {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, int_ auto K) const {
    auto i = tl.arange(0, 256_c);
    auto acc = tl.zeros(tl.shape(256_c, 256_c), tl.float32);
    for (auto k : tl.range(0, K, 32)) {
      auto kk = k + tl.arange(0, 32_c);
      acc = tl.dot(tl.load(a_ptr + i(_, None) * K + kk(None, _)), tl.load(b_ptr + kk(_, None) * 256 + i(None, _)), acc);
    }
    tl.store(c_ptr + i(_, None) * 256 + i(None, _), acc);
  }
};
}  // namespace tl::kernels
