// Products of tokens, sorted by expert, with their expert's weights: a persistent program goes over the tiles of all
// experts; both operands by descriptors made in the kernel, that of the weights of three axes.
// After _grouped_gemm_forward_kernel in unsloth/kernels/moe/grouped_gemm/kernels/forward.py of unslothai/unsloth at
// 015bdef0d94a.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case: E=3 tokens=40 N=64 K=64 x=bf16[tokens,K] w=bf16[E,N,K] y=out:bf16[tokens,N] m_sizes=i32[E]:values(17,0,23)
// case: NUM_EXPERTS=E n_tokens=tokens N_OUT=N K_IN=K num_sms=2 BM=16 BN=32 BK=32
// case: grid=2 tolerance=2e-2 expect=moe_grouped_gemm_loop
struct moe_grouped_gemm_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto w_ptr, ptr auto y_ptr, ptr auto m_sizes_ptr,
                  constexpr_ auto NUM_EXPERTS, int_ auto n_tokens, constexpr_ auto N_OUT, constexpr_ auto K_IN,
                  int_ auto num_sms, constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK) const {
    tl.static_check(K_IN % BK == 0_c, "k is cut in whole blocks");
    auto tidx = tl.program_id(0);
    auto x_desc = tl.make_tensor_descriptor(x_ptr, tl.tuple(n_tokens, K_IN), tl.tuple(K_IN, 1), tl.shape(BM, BK));
    auto w_desc = tl.make_tensor_descriptor(w_ptr, tl.tuple(NUM_EXPERTS, N_OUT, K_IN), tl.tuple(N_OUT * K_IN, K_IN, 1),
                                            tl.shape(1_c, BN, BK));
    auto m_end = tl.scalar(0, tl.int32);
    auto processed = tl.scalar(0, tl.int32);
    for (auto expert : tl.range(NUM_EXPERTS)) {
      auto m_start = m_end;
      auto m_size = tl.load(m_sizes_ptr + expert).to(tl.int32);
      m_end = m_start + m_size;
      if (m_size > 0) {
        auto num_m = tl.cdiv(m_size, BM);
        auto num_tiles = num_m * tl.cdiv(N_OUT, BN);
        while (tidx >= processed && tidx < processed + num_tiles) {
          auto tile = tidx - processed;
          auto tile_m = tile % num_m;
          auto tile_n = tile / num_m;
          auto rows = tile_m * BM + tl.arange(0, BM);
          auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
          for (auto k : tl.range(0, K_IN, BK)) {
            auto x = x_desc.load({m_start + tile_m * BM, k});
            auto w = tl.reshape(w_desc.load({expert, tile_n * BN, k}), tl.shape(BN, BK));
            acc += tl.dot(x, tl.trans(w));
          }
          auto cols = tile_n * BN + tl.arange(0, BN);
          tl.store(y_ptr + (m_start + rows)(_, None) * N_OUT + cols(None, _), acc.to(y_ptr.dtype),
                   {.mask = (rows < m_size)(_, None) & (cols < N_OUT)(None, _)});
          tidx += num_sms;
        }
        processed += num_tiles;
      }
    }
  }
};

void moe_grouped_gemm_loop(auto& args) {
  auto x = args["x"], w = args["w"], y = args["y"], m = args["m_sizes"];
  int row = 0;
  for (int e = 0; e < 3; ++e)
    for (int i = 0; i < int(m(e)); ++i, ++row)
      for (int n = 0; n < 64; ++n) {
        double s = 0;
        for (int k = 0; k < 64; ++k) s += x(row, k) * w(e, n, k);
        y(row, n) = s;
      }
}

}  // namespace tl::ports
