// matmul whose K is no multiple of the block and has no K mask (triton#630, gpu-mode/lectures#51): a row of a runs on
// into the next
// case: M=32 N=32 K=50 a=f16[M, K] b=f16[K, N] c=out:f32[M, N] grid=1 expect='c = a @ b'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct kmask {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, int_ auto M, int_ auto N,
                  int_ auto K) const {
    auto i = tl.arange(0, 32_c);
    auto acc = tl.zeros(tl.shape(32_c, 32_c), tl.float32);
    for (auto k : tl.range(0, K, 32)) {
      auto kk = k + tl.arange(0, 32_c);
      auto a = tl.load(a_ptr + i(_, None) * K + kk(None, _), {.mask = (i < M)(_, None), .other = 0});
      auto b = tl.load(b_ptr + kk(_, None) * N + i(None, _), {.mask = (i < N)(None, _), .other = 0});
      acc = tl.dot(a, b, acc);
    }
    tl.store(c_ptr + i(_, None) * N + i(None, _), acc);
  }
};
}  // namespace tl::kernels
