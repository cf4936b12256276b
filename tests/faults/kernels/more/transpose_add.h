// y[b] = x[b]^T + z[b], by block pointers
// case: B=2 M=35 N=27 x=f32[B, M, N] z=f32[B, N, M] y=out:f32[B, N, M] BM=16 BN=8 grid=(cdiv(M, BM), cdiv(N, BN), B)
// case: expect='y = transpose(x, [0, 2, 1]) + z'
#pragma once
#include "interp/tl.h"
struct transpose_add {
  void operator()(auto& tl, tl::ptr auto x_ptr, tl::ptr auto z_ptr, tl::ptr auto y_ptr, tl::int_ auto M,
                  tl::int_ auto N, tl::constexpr_ auto BM, tl::constexpr_ auto BN) const {
    auto i = tl.program_id(0) * BM;
    auto j = tl.program_id(1) * BN;
    auto first = tl.program_id(2) * M * N;
    auto xp = tl.make_block_ptr(x_ptr + first, tl.tuple(M, N), tl.tuple(N, 1), tl.tuple(i, j), tl.shape(BM, BN),
                                tl.axes(1_c, 0_c));
    auto zp = tl.make_block_ptr(z_ptr + first, tl.tuple(N, M), tl.tuple(M, 1), tl.tuple(j, i), tl.shape(BN, BM),
                                tl.axes(1_c, 0_c));
    auto yp = tl.make_block_ptr(y_ptr + first, tl.tuple(N, M), tl.tuple(M, 1), tl.tuple(j, i), tl.shape(BN, BM),
                                tl.axes(1_c, 0_c));
    auto x = tl.load(xp, {.boundary_check = tl.axes(0_c, 1_c), .padding = tl.zero});
    auto z = tl.load(zp, {.boundary_check = tl.axes(0_c, 1_c), .padding = tl.zero});
    tl.store(yp, tl.trans(x) + z, {.boundary_check = tl.axes(0_c, 1_c)});
  }
};
