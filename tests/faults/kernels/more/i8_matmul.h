// c = (a b) sa[i] sb[j], int8 into int32
// case: M=37 N=45 K=100 a=i8[M, K] b=i8[K, N] sa=f32[M]:uniform(0.01,0.02) sb=f32[N]:uniform(0.01,0.02) c=out:f32[M, N]
// case: BM=16 BN=32 BK=32 grid=(cdiv(M, BM), cdiv(N, BN)) expect='c = (a @ b) * sa[:, None] * sb[None, :]'
// case: tolerance=1e-4
#pragma once
#include "interp/tl.h"
struct i8_matmul {
  void operator()(auto& tl, tl::ptr auto a_ptr, tl::ptr auto b_ptr, tl::ptr auto sa_ptr, tl::ptr auto sb_ptr,
                  tl::ptr auto c_ptr, tl::int_ auto M, tl::int_ auto N, tl::int_ auto K, tl::constexpr_ auto BM,
                  tl::constexpr_ auto BN, tl::constexpr_ auto BK) const {
    using tl::_;
    auto rm = tl.program_id(0) * BM + tl.arange(0, BM);
    auto rn = tl.program_id(1) * BN + tl.arange(0, BN);
    auto acc = tl.zeros(tl.shape(BM, BN), tl.int32);
    for (auto k : tl.range(0, K, BK)) {
      auto rk = k + tl.arange(0, BK);
      auto a = tl.load(a_ptr + rm(_, tl::None) * K + rk(tl::None, _),
                       {.mask = (rm < M)(_, tl::None) & (rk < K)(tl::None, _), .other = 0});
      auto b = tl.load(b_ptr + rk(_, tl::None) * N + rn(tl::None, _),
                       {.mask = (rk < K)(_, tl::None) & (rn < N)(tl::None, _), .other = 0});
      acc = tl.dot(a, b, acc);
    }
    auto sa = tl.load(sa_ptr + rm, {.mask = rm < M, .other = 0.0});
    auto sb = tl.load(sb_ptr + rn, {.mask = rn < N, .other = 0.0});
    auto c = acc.to(tl.float32) * sa(_, tl::None) * sb(tl::None, _);
    tl.store(c_ptr + rm(_, tl::None) * N + rn(tl::None, _), c, {.mask = (rm < M)(_, tl::None) & (rn < N)(tl::None, _)});
  }
};
