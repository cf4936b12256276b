// 128 x 256 x 64 in 4 stages: too much shared memory on an A100 and a 4090 (triton#8182, #1561, #2858)
// case: m=512 n=512 k=512 BM=128 BN=256 BK=64 a=f16[m, k] b=f16[k, n] c=out:f16[m, n] grid=(cdiv(m, BM), cdiv(n, BN)) warps=8 stages=5 expect='c = a @ b'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct smem {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, int_ auto m, int_ auto n, int_ auto k,
                  constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK) const {
    auto i = (tl.program_id(0) * BM + tl.arange(0, BM))(_, None);
    auto j = (tl.program_id(1) * BN + tl.arange(0, BN))(None, _);
    auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
    for (auto k0 : tl.range(0, k, BK)) {
      auto kk = k0 + tl.arange(0, BK);
      auto a = tl.load(a_ptr + i * k + kk(None, _), {.mask = (i < m) & (kk < k)(None, _), .other = 0});
      auto b = tl.load(b_ptr + kk(_, None) * n + j, {.mask = (kk < k)(_, None) & (j < n), .other = 0});
      acc = tl.dot(a, b, acc);
    }
    tl.store(c_ptr + i * n + j, acc.to(tl.float16), {.mask = (i < m) & (j < n)});
  }
};
}  // namespace tl::kernels
