// Products of several shapes in one launch: each program takes every NUM_SM-th tile of them all. Where the matrices lie
// is in memory, too. After python/tutorials/08-grouped-gemm.py of triton-lang/triton at 07538f85c541.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case: a0=f16[32,16] b0=f16[16,48] c0=out:f16[32,48] a1=f16[64,48] b1=f16[48,32] c1=out:f16[64,32]
// case: a2=f16[16,32] b2=f16[32,16] c2=out:f16[16,16] groups=3 a_addresses=i64[groups]:addresses(a0,a1,a2)
// case: b_addresses=i64[groups]:addresses(b0,b1,b2) c_addresses=i64[groups]:addresses(c0,c1,c2)
// case: sizes=i32[groups,3]:values(32,48,16,64,32,48,16,16,32)
// case: lds=i32[groups,3]:values(16,48,48,48,32,32,32,16,16) group_size=groups NUM_SM=4 BM=16 BN=16 BK=16 grid=4
// case: tolerance=2e-3 expect=grouped_gemm_loop
struct grouped_gemm_kernel {
  void operator()(auto& tl, ptr auto a_addresses, ptr auto b_addresses, ptr auto c_addresses, ptr auto sizes,
                  ptr auto lds, int_ auto group_size, constexpr_ auto NUM_SM, constexpr_ auto BM, constexpr_ auto BN,
                  constexpr_ auto BK) const {
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
        auto a_ptr = tl.load(a_addresses + g).to(tl.pointer_type(tl.float16));
        auto b_ptr = tl.load(b_addresses + g).to(tl.pointer_type(tl.float16));
        auto c_ptr = tl.load(c_addresses + g).to(tl.pointer_type(tl.float16));
        auto offs_m = (tile - first_tile) / tiles_n * BM + tl.arange(0, BM);
        auto offs_n = (tile - first_tile) % tiles_n * BN + tl.arange(0, BN);
        auto offs_k = tl.arange(0, BK);
        auto a_ptrs = a_ptr + offs_m(_, None) * lda + offs_k(None, _);
        auto b_ptrs = b_ptr + offs_k(_, None) * ldb + offs_n(None, _);
        auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
        for ([[maybe_unused]] auto kk : tl.range(0, tl.cdiv(k, BK))) {
          auto a = tl.load(a_ptrs);
          auto b = tl.load(b_ptrs);
          acc = tl.dot(a, b, acc);
          a_ptrs += BK;
          b_ptrs += BK * ldb;
        }
        auto c_ptrs = c_ptr + offs_m(_, None) * ldc + offs_n(None, _);
        tl.store(c_ptrs, acc.to(c_ptr.dtype));
        tile += NUM_SM;
      }
      first_tile += tiles;
    }
  }
};

void grouped_gemm_loop(auto& args) {
  const char* names[3][3] = {{"a0", "b0", "c0"}, {"a1", "b1", "c1"}, {"a2", "b2", "c2"}};
  for (auto& name : names) {
    auto a = args[name[0]], b = args[name[1]], c = args[name[2]];
    for (int i = 0; i < c.size(0); ++i)
      for (int j = 0; j < c.size(1); ++j) {
        c(i, j) = 0;
        for (int l = 0; l < a.size(1); ++l) c(i, j) += a(i, l) * b(l, j);
      }
  }
}

}  // namespace tl::ports
