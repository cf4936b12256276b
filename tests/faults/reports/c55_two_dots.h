// two dots a turn into one accumulator (Liger#1435)
// case: M=64 K=128 N=64 a=f16[M, K] b=f16[K, N] d=f16[M, K] e=f16[K, N] c=out:f32[M, N] grid=1 expect='c = a @ b + d @ e'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct two_dots {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto d_ptr, ptr auto e_ptr, ptr auto c_ptr, int_ auto K,
                  int_ auto N) const {
    auto i = tl.arange(0, 64_c)(_, None);
    auto j = tl.arange(0, 64_c)(None, _);
    auto acc = tl.zeros(tl.shape(64_c, 64_c), tl.float32);
    for (auto k : tl.range(0, K, 32)) {
      auto kk = k + tl.arange(0, 32_c);
      acc = tl.dot(tl.load(a_ptr + i * K + kk(None, _)), tl.load(b_ptr + kk(_, None) * N + j), acc);
      acc = tl.dot(tl.load(d_ptr + i * K + kk(None, _)), tl.load(e_ptr + kk(_, None) * N + j), acc);
    }
    tl.store(c_ptr + i * N + j, acc);
  }
};
}  // namespace tl::kernels
