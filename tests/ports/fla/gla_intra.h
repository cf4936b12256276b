// Scores of tokens within a sub-chunk, under gates that decay along the keys (gated linear attention): column by
// column, then what lies above the diagonal is cleared.
// After chunk_gla_fwd_A_kernel_intra_sub_intra in fla/ops/gla/chunk.py of fla-org/flash-linear-attention at
// bc3b101dcb71.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case: T=50 H=2 K=24 BT=32 q=f16[T,H,K] k=f16[T,H,K] g=f32[T,H,K]:uniform(-0.1,0) A=inout:f32[T,H,BT]:zeros
// case: scale=0.3 n_t=T HEADS=H DIM=K CHUNK=BT BC=16 BK=32 grid=(cdiv(T,BT),2,H) tolerance=1e-4 expect=gla_intra_loop
struct gla_intra_kernel {
  void operator()(auto& tl, ptr auto q, ptr auto k, ptr auto g, ptr auto A, float_ auto scale, int_ auto n_t,
                  constexpr_ auto HEADS, constexpr_ auto DIM, constexpr_ auto CHUNK, constexpr_ auto BC,
                  constexpr_ auto BK) const {
    auto i_t = tl.program_id(0).to(tl.int64);
    auto i_i = tl.program_id(1);
    auto i_h = tl.program_id(2).to(tl.int64);
    if (i_t * CHUNK + i_i * BC >= n_t) return;
    auto o_i = tl.arange(0, BC);
    auto o_k = tl.arange(0, BK);
    auto o_c = i_t * CHUNK + i_i * BC + tl.arange(0, BC);
    auto o_A = o_c * HEADS * CHUNK + i_i * BC;
    auto m_k = o_k < DIM;
    auto m_A = o_c < n_t;
    q += i_h * DIM;
    k += i_h * DIM;
    g += i_h * DIM;
    A += i_h * CHUNK;
    auto m_qk = m_A(_, None) & m_k(None, _);
    auto b_q = tl.load(q + o_c(_, None) * (HEADS * DIM) + o_k(None, _), {.mask = m_qk, .other = 0.0});
    auto b_g = tl.load(g + o_c(_, None) * (HEADS * DIM) + o_k(None, _), {.mask = m_qk, .other = 0.0});
    auto p_k = k + (i_t * CHUNK + i_i * BC) * HEADS * DIM + o_k;
    auto p_gk = g + (i_t * CHUNK + i_i * BC) * HEADS * DIM + o_k;
    for (auto j : tl.range(0, tl.minimum(BC, n_t - i_t * CHUNK - i_i * BC))) {
      auto b_k = tl.load(p_k, {.mask = m_k, .other = 0}).to(tl.float32);
      auto b_gk = tl.load(p_gk, {.mask = m_k, .other = 0}).to(tl.float32);
      auto b_A = tl.sum(b_q * b_k(None, _) * tl.exp2(b_g - b_gk(None, _)), 1_c) * scale;
      tl.store(A + o_A + j, b_A, {.mask = m_A});
      p_k += HEADS * DIM;
      p_gk += HEADS * DIM;
    }
    tl.debug_barrier();
    auto zero = tl.zeros(tl.shape(BC, BC), tl.float32);
    tl.store(A + o_A(_, None) + o_i, zero, {.mask = m_A(_, None) & (o_i(_, None) < o_i)});
  }
};

void gla_intra_loop(auto& args) {
  auto q = args["q"], k = args["k"], g = args["g"], A = args["A"];
  for (int h = 0; h < 2; ++h)
    for (int t = 0; t < 50; ++t)
      for (int j = t / 16 * 16; j <= t; ++j) {
        double s = 0;
        for (int d = 0; d < 24; ++d) s += q(t, h, d) * k(j, h, d) * exp2(g(t, h, d) - g(j, h, d));
        A(t, h, j % 32) = s * args("scale");
      }
}

}  // namespace tl::ports
