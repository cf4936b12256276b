// Products of several shapes in one launch: each program takes every NUM_SM-th tile of them all. The matrices lie in
// one tensor a side, and memory says at which element each begins. After python/tutorials/08-grouped-gemm.py of
// triton-lang/triton at 07538f85c541, whose memory holds addresses.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case: groups=3 a=f16[32*16+64*48+16*32] b=f16[16*48+48*32+32*16] c=out:f16[32*48+64*32+16*16]
// case: a_starts=i64[groups]:values(0,512,3584) b_starts=i64[groups]:values(0,768,2304)
// case: c_starts=i64[groups]:values(0,1536,3584) sizes=i32[groups,3]:values(32,48,16,64,32,48,16,16,32)
// case: lds=i32[groups,3]:values(16,48,48,48,32,32,32,16,16) group_size=groups NUM_SM=4 BM=16 BN=16 BK=16 grid=4
// case: tolerance=2e-3 expect=grouped_gemm_loop
struct grouped_gemm_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, ptr auto a_starts, ptr auto b_starts,
                  ptr auto c_starts, ptr auto sizes, ptr auto lds, int_ auto group_size, constexpr_ auto NUM_SM,
                  constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK) const {
    auto tile = tl.program_id(0);
    auto first_tile = tl.scalar(0, tl.int32);  // of this product
    for (auto g : tl.range(0, group_size)) {
      auto m = tl.load(sizes + g * 3);
      auto n = tl.load(sizes + g * 3 + 1);
      auto k = tl.load(sizes + g * 3 + 2);
      auto tiles_n = tl.cdiv(n, BN);
      auto tiles = tl.cdiv(m, BM) * tiles_n;
      while ((tile >= first_tile) & (tile < first_tile + tiles)) {
        auto lda = tl.load(lds + g * 3);
        auto ldb = tl.load(lds + g * 3 + 1);
        auto ldc = tl.load(lds + g * 3 + 2);
        auto offs_m = (tile - first_tile) / tiles_n * BM + tl.arange(0, BM);
        auto offs_n = (tile - first_tile) % tiles_n * BN + tl.arange(0, BN);
        auto offs_k = tl.arange(0, BK);
        auto a_ptrs = a_ptr + tl.load(a_starts + g) + offs_m(_, None) * lda + offs_k(None, _);
        auto b_ptrs = b_ptr + tl.load(b_starts + g) + offs_k(_, None) * ldb + offs_n(None, _);
        auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
        for ([[maybe_unused]] auto kk : tl.range(0, tl.cdiv(k, BK))) {
          auto a = tl.load(a_ptrs);
          auto b = tl.load(b_ptrs);
          acc = tl.dot(a, b, acc);
          a_ptrs += BK;
          b_ptrs += BK * ldb;
        }
        auto c_ptrs = c_ptr + tl.load(c_starts + g) + offs_m(_, None) * ldc + offs_n(None, _);
        tl.store(c_ptrs, acc.to(c_ptr.dtype));
        tile += NUM_SM;
      }
      first_tile += tiles;
    }
  }
};

void grouped_gemm_loop(auto& args) {
  auto a = args["a"], b = args["b"], c = args["c"], sizes = args["sizes"];
  for (int g = 0; g < sizes.size(0); ++g) {
    const int m = sizes(g, 0), n = sizes(g, 1), k = sizes(g, 2);
    const int a0 = args["a_starts"](g), b0 = args["b_starts"](g), c0 = args["c_starts"](g);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int l = 0; l < k; ++l) sum += a(a0 + i * k + l) * b(b0 + l * n + j);
        c(c0 + i * n + j) = sum;
      }
  }
}

}  // namespace tl::ports
