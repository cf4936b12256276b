// A product of A in fp8 and B in fp4, two numbers a byte, each 32 along k with a power of two as their scale, whose
// exponents lie in packed blocks of 128 rows.
// After python/tutorials/10-block-scaled-matmul.py of triton-lang/triton at 02ef6b5bc200, whose chip multiplies so.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// Exponents of 128 x K / 32 scales, as the packed blocks have them: 32 rows, then 4 of them 32 apart, then 4 along k.
auto scales_of(auto& tl, ptr auto scale_ptr, int_ auto row_block, int_ auto k_block, int_ auto k_blocks) {
  constexpr auto packed = 128_c * 4_c;
  auto offs = (row_block * k_blocks + k_block) * packed + tl.arange(0, packed);
  auto scales = tl.reshape(tl.load(scale_ptr + offs), tl.shape(32_c, 4_c, 4_c));
  return tl.reshape(tl.permute(scales, tl.axes(1_c, 0_c, 2_c)), tl.shape(128_c, 4_c));
}

// case: m=256 n=128 k=256 a=f8e4nv[m,k] b=u8[n,k/2]:uniform(0,256) c=out:f32[m,n] k_blocks=k/128 BM=128 BN=128 BK=128
// case: a_scale=u8[m/128,k/128,512]:uniform(124,130) b_scale=u8[n/128,k/128,512]:uniform(124,130) k_cols=k n_cols=n
// case: grid=(m/BM,n/BN) warps=8 tolerance=1e-2 expect=block_scaled_loop
struct block_scaled_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto a_scale_ptr, ptr auto b_ptr, ptr auto b_scale_ptr, ptr auto c_ptr,
                  int_ auto k_cols, int_ auto n_cols, int_ auto k_blocks, constexpr_ auto BM, constexpr_ auto BN,
                  constexpr_ auto BK) const {
    auto m = tl.program_id(0) * BM + tl.arange(0, BM);
    auto n = tl.program_id(1) * BN + tl.arange(0, BN);
    auto offs_k = tl.arange(0, BK);
    auto offs_half = tl.arange(0, BK / 2_c);
    auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
    for (auto k : tl.range(0, k_blocks)) {
      auto a = tl.load(a_ptr + m(_, None) * k_cols + (k * BK + offs_k)(None, _));
      auto b = tl.load(b_ptr + n(_, None) * (k_cols / 2) + (k * (BK / 2_c) + offs_half)(None, _));
      auto a_scale = scales_of(tl, a_scale_ptr, tl.program_id(0), k, k_blocks);
      auto b_scale = scales_of(tl, b_scale_ptr, tl.program_id(1), k, k_blocks);
      acc = tl.dot_scaled(a, a_scale, "e4m3"_c, tl.trans(b), b_scale, "e2m1"_c, acc);
    }
    tl.store(c_ptr + m(_, None) * n_cols + n(None, _), acc);
  }
};

void block_scaled_loop(auto& args) {
  auto a = args["a"], b = args["b"], c = args["c"];
  const double fp4[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6};
  auto scale = [&](auto scales, int row, int k) {
    return exp2(scales(row / 128, k / 128, row % 32 * 16 + row / 32 % 4 * 4 + k / 32 % 4) - 127);
  };
  for (int i = 0; i < c.size(0); ++i)
    for (int j = 0; j < c.size(1); ++j) {
      double sum = 0;
      for (int l = 0; l < a.size(1); ++l) {
        const int byte = b(j, l / 2), code = l % 2 ? byte / 16 : byte % 16;
        sum += a(i, l) * scale(args["a_scale"], i, l) * fp4[code] * scale(args["b_scale"], j, l);
      }
      c(i, j) = sum;
    }
}

}  // namespace tl::ports
