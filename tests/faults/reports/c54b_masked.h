// a swizzle of fixed groups that do not divide the grid: tiles of the last group go past the end (FlyDSL#979)
// case: M=160 N=64 BM=32 BN=32 G=2 a=f32[M, N] c=out:f32[M, N] grid=cdiv(M, BM) * cdiv(N, BN) expect='c = a'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct swizzle_masked {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto c_ptr, int_ auto M, int_ auto N, constexpr_ auto BM,
                  constexpr_ auto BN, constexpr_ auto G) const {
    auto pid = tl.program_id(0);
    auto nn = tl.cdiv(N, BN);
    auto in_group = G * nn;
    auto pm = pid / in_group * G + pid % G;
    auto pn = pid % in_group / G;
    auto i = pm * BM + tl.arange(0, BM);
    auto j = pn * BN + tl.arange(0, BN);
    auto at = i(_, None) * N + j(None, _);
    auto m = (i < M)(_, None) & (j < N)(None, _);
    tl.store(c_ptr + at, tl.load(a_ptr + at, {.mask = m, .other = 0}), {.mask = m});
  }
};
}  // namespace tl::kernels
