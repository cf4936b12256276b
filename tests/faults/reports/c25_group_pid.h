// grouped order of programs with pid % group_size not made local to the group (FlagGems#989)
// case: M=96 N=64 BM=32 BN=32 G=2 c=out:f32[M, N] grid=cdiv(M, BM) * cdiv(N, BN) expect='c = 1'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct group_pid {
  void operator()(auto& tl, ptr auto c_ptr, int_ auto M, int_ auto N, constexpr_ auto BM, constexpr_ auto BN,
                  constexpr_ auto G) const {
    auto pid = tl.program_id(0);
    auto nm = tl.cdiv(M, BM);
    auto nn = tl.cdiv(N, BN);
    auto in_group = G * nn;
    auto first = pid / in_group * G;
    auto size = tl.minimum(nm - first, G);
    auto pm = first + pid % size;
    auto pn = pid % in_group / size;
    auto i = pm * BM + tl.arange(0, BM);
    auto j = pn * BN + tl.arange(0, BN);
    tl.store(c_ptr + i(_, None) * N + j(None, _), tl.full(tl.shape(BM, BN), 1.0, tl.float32),
             {.mask = (i < M)(_, None) & (j < N)(None, _)});
  }
};
}  // namespace tl::kernels
