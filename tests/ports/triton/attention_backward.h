// Causal attention, backward, from each row's log of its sum of exponentials: dk and dv by blocks of keys, then dq by
// blocks of queries; the diagonal's blocks are smaller and masked. k comes multiplied by the scale and by 1 / ln 2.
// After python/tutorials/06-fused-attention.py of triton-lang/triton at 003da478d84f.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

constexpr double ln_2 = 0.6931471824645996;

// case attention_backward_preprocess_kernel: heads=3 seq=64 dim=32 o=f16[heads,seq,dim] d_o=f16[heads,seq,dim]
// case attention_backward_preprocess_kernel: delta=out:f32[heads,seq] n_ctx=seq BM=16 HEAD_DIM=dim
// case attention_backward_preprocess_kernel: grid=(seq/BM,heads) expect='delta = sum(o * d_o, 2)'
struct attention_backward_preprocess_kernel {
  void operator()(auto& tl, ptr auto o_ptr, ptr auto d_o_ptr, ptr auto delta_ptr, int_ auto n_ctx, constexpr_ auto BM,
                  constexpr_ auto HEAD_DIM) const {
    auto rows = tl.program_id(1) * n_ctx + tl.program_id(0) * BM + tl.arange(0, BM);
    auto offs = rows(_, None) * HEAD_DIM + tl.arange(0, HEAD_DIM)(None, _);
    auto o = tl.load(o_ptr + offs);
    auto d_o = tl.load(d_o_ptr + offs).to(tl.float32);
    tl.store(delta_ptr + rows, tl.sum(o * d_o, 1_c));
  }
};

// Adds to dk and dv what num_steps blocks of BM queries from start_m on say of the keys k at offs_n.
void add_dkdv(auto& tl, auto& dk, auto& dv, ptr auto q_ptr, ptr auto d_o_ptr, ptr auto m_ptr, ptr auto delta_ptr,
              auto k, auto v, auto offs_n, int_ auto stride, int_ auto start_m, int_ auto num_steps, constexpr_ auto BM,
              constexpr_ auto HEAD_DIM, constexpr_ auto MASK) {
  auto offs_d = tl.arange(0, HEAD_DIM);
  for (auto step : tl.range(0, num_steps)) {
    auto offs_m = start_m + step * BM + tl.arange(0, BM);
    auto q_t = tl.load(q_ptr + offs_m(None, _) * stride + offs_d(_, None));
    auto d_o = tl.load(d_o_ptr + offs_m(_, None) * stride + offs_d(None, _));
    auto p_t = tl.exp2(tl.dot(k, q_t) - tl.load(m_ptr + offs_m)(None, _));
    if (MASK) p_t = tl.where(offs_m(None, _) >= offs_n(_, None), p_t, 0.0);
    dv = tl.dot(p_t.to(d_o.dtype), d_o, dv);
    auto dp_t = tl.dot(v, tl.trans(d_o));
    auto ds_t = p_t * (dp_t - tl.load(delta_ptr + offs_m)(None, _));
    dk = tl.dot(ds_t.to(q_t.dtype), tl.trans(q_t), dk);
  }
}

// Adds to dq what num_steps blocks of BN keys from start_n on say of the queries q at offs_m.
void add_dq(auto& tl, auto& dq, ptr auto k_ptr, ptr auto v_ptr, auto q, auto d_o, auto m, auto delta, auto offs_m,
            int_ auto stride, int_ auto start_n, int_ auto num_steps, constexpr_ auto BN, constexpr_ auto HEAD_DIM,
            constexpr_ auto MASK) {
  auto offs_d = tl.arange(0, HEAD_DIM);
  for (auto step : tl.range(0, num_steps)) {
    auto offs_n = start_n + step * BN + tl.arange(0, BN);
    auto k_t = tl.load(k_ptr + offs_n(None, _) * stride + offs_d(_, None));
    auto v_t = tl.load(v_ptr + offs_n(None, _) * stride + offs_d(_, None));
    auto p = tl.exp2(tl.dot(q, k_t) - m(_, None));
    if (MASK) p = tl.where(offs_m(_, None) >= offs_n(None, _), p, 0.0);
    auto ds = p * (tl.dot(d_o, v_t) - delta(_, None));
    dq = tl.dot(ds.to(k_t.dtype), tl.trans(k_t), dq);
  }
}

// case attention_backward_kernel: heads=3 seq=128 dim=32 q=f16[heads,seq,dim] k=f16[heads,seq,dim] v=f16[heads,seq,dim]
// case attention_backward_kernel: d_o=f16[heads,seq,dim] m=f32[heads,seq]:uniform(4,6) delta=f32[heads,seq]
// case attention_backward_kernel: dq=out:f16[heads,seq,dim] dk=out:f16[heads,seq,dim] dv=out:f16[heads,seq,dim]
// case attention_backward_kernel: sm_scale=0.5 stride_h=seq*dim stride_tok=dim n_ctx=seq BM1=32 BN1=64 BM2=64 BN2=32
// case attention_backward_kernel: SLICES=2 HEAD_DIM=dim grid=(seq/BN1,1,heads) tolerance=1e-2
// case attention_backward_kernel: expect=attention_backward_loop
struct attention_backward_kernel {
  void operator()(auto& tl, ptr auto q_ptr, ptr auto k_ptr, ptr auto v_ptr, float_ auto sm_scale, ptr auto d_o_ptr,
                  ptr auto dq_ptr, ptr auto dk_ptr, ptr auto dv_ptr, ptr auto m_ptr, ptr auto delta_ptr,
                  int_ auto stride_h, int_ auto stride_tok, int_ auto n_ctx, constexpr_ auto BM1, constexpr_ auto BN1,
                  constexpr_ auto BM2, constexpr_ auto BN2, constexpr_ auto SLICES, constexpr_ auto HEAD_DIM) const {
    auto head = tl.program_id(2).to(tl.int64);
    auto adj = head * stride_h;
    auto q_head = q_ptr + adj;
    auto k_head = k_ptr + adj;
    auto v_head = v_ptr + adj;
    auto d_o_head = d_o_ptr + adj;
    auto m_head = m_ptr + head * n_ctx;
    auto delta_head = delta_ptr + head * n_ctx;
    auto offs_d = tl.arange(0, HEAD_DIM);

    auto start_n = tl.program_id(0) * BN1;
    auto offs_n = start_n + tl.arange(0, BN1);
    auto kv_offs = offs_n(_, None) * stride_tok + offs_d(None, _);
    auto k = tl.load(k_head + kv_offs);
    auto v = tl.load(v_head + kv_offs);
    auto dk = tl.zeros(tl.shape(BN1, HEAD_DIM), tl.float32);
    auto dv = tl.zeros(tl.shape(BN1, HEAD_DIM), tl.float32);
    add_dkdv(tl, dk, dv, q_head, d_o_head, m_head, delta_head, k, v, offs_n, stride_tok, start_n, BN1 / (BM1 / SLICES),
             BM1 / SLICES, HEAD_DIM, 1_c);
    add_dkdv(tl, dk, dv, q_head, d_o_head, m_head, delta_head, k, v, offs_n, stride_tok, start_n + BN1,
             (n_ctx - start_n - BN1) / BM1, BM1, HEAD_DIM, 0_c);
    tl.store(dv_ptr + adj + kv_offs, dv.to(dv_ptr.dtype));
    tl.store(dk_ptr + adj + kv_offs, (dk * sm_scale).to(dk_ptr.dtype));

    auto start_m = tl.program_id(0) * BM2;
    auto offs_m = start_m + tl.arange(0, BM2);
    auto q_offs = offs_m(_, None) * stride_tok + offs_d(None, _);
    auto q = tl.load(q_head + q_offs);
    auto d_o = tl.load(d_o_head + q_offs);
    auto m = tl.load(m_head + offs_m);
    auto delta = tl.load(delta_head + offs_m);
    auto dq = tl.zeros(tl.shape(BM2, HEAD_DIM), tl.float32);
    add_dq(tl, dq, k_head, v_head, q, d_o, m, delta, offs_m, stride_tok, start_m, BM2 / (BN2 / SLICES), BN2 / SLICES,
           HEAD_DIM, 1_c);
    add_dq(tl, dq, k_head, v_head, q, d_o, m, delta, offs_m, stride_tok, 0, start_m / BN2, BN2, HEAD_DIM, 0_c);
    tl.store(dq_ptr + adj + q_offs, (dq * ln_2).to(dq_ptr.dtype));
  }
};

void attention_backward_loop(auto& args) {
  auto q = args["q"], k = args["k"], v = args["v"], d_o = args["d_o"], m = args["m"], delta = args["delta"];
  auto dq = args["dq"], dk = args["dk"], dv = args["dv"];
  const int seq = q.size(1), dim = q.size(2);
  for (int h = 0; h < q.size(0); ++h) {
    for (int i = 0; i < seq; ++i)
      for (int d = 0; d < dim; ++d) dq(h, i, d) = dk(h, i, d) = dv(h, i, d) = 0;
    for (int i = 0; i < seq; ++i)
      for (int j = 0; j <= i; ++j) {
        double s = 0, dp = 0;
        for (int d = 0; d < dim; ++d) {
          s += q(h, i, d) * k(h, j, d);
          dp += d_o(h, i, d) * v(h, j, d);
        }
        const double p = exp2(s - m(h, i)), ds = p * (dp - delta(h, i));
        for (int d = 0; d < dim; ++d) {
          dv(h, j, d) += p * d_o(h, i, d);
          dk(h, j, d) += args("sm_scale") * ds * q(h, i, d);
          dq(h, i, d) += ln_2 * ds * k(h, j, d);
        }
      }
  }
}

}  // namespace tl::ports
