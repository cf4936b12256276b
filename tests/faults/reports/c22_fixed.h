// fp32 matmul compared at 1e-4 (triton#6265, #2042, #5895)
// case: N=64 K=512 a=f32[N, K]:normal b=f32[K, N]:normal c=out:f32[N, N] grid=1 expect='c = a @ b' tolerance=1e-4
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct tf32_dot {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, int_ auto K, constexpr_ auto N) const {
    auto i = tl.arange(0, N);
    auto acc = tl.zeros(tl.shape(N, N), tl.float32);
    for (auto k : tl.range(0, K, 32)) {
      auto kk = k + tl.arange(0, 32_c);
      auto a = tl.load(a_ptr + i(_, None) * K + kk(None, _));
      auto b = tl.load(b_ptr + kk(_, None) * N + i(None, _));
      acc = tl.dot(a, b, acc, tl.ieee);
    }
    tl.store(c_ptr + i(_, None) * N + i(None, _), acc);
  }
};
}  // namespace tl::kernels
