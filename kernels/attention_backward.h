// Flash attention, backward, from do and what the forward pass kept: o, and m, of which p = 2^(scale q k^T / ln 2 - m).
// ds = p (do v^T - delta):  dv = p^T do, dk = scale ds^T q, dq = scale ds k
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

// delta = sum over a row of o do: by as much the softmax's sum of 1 pulls back each weight's derivative.
struct attention_delta_kernel {
  void operator()(auto& tl, ptr auto o_ptr, ptr auto do_ptr, ptr auto delta_ptr, int_ auto rows, constexpr_ auto BM,
                  constexpr_ auto HEAD_DIM) const {
    auto offs_m = tl.program_id(0) * BM + tl.arange(0, BM);
    auto offs = offs_m(_, None) * HEAD_DIM + tl.arange(0, HEAD_DIM)(None, _);
    auto mask = offs_m < rows;
    auto o = tl.load(o_ptr + offs, {.mask = mask(_, None), .other = 0}).to(tl.float32);
    auto d_o = tl.load(do_ptr + offs, {.mask = mask(_, None), .other = 0}).to(tl.float32);
    tl.store(delta_ptr + offs_m, tl.sum(o * d_o, 1_c), {.mask = mask});
  }
};

// Of a block of keys: dk and dv, from all queries that see it.
struct attention_dkdv_kernel {
  void operator()(auto& tl, descriptor auto q_desc, descriptor auto k_desc, descriptor auto v_desc,
                  descriptor auto do_desc, ptr auto m_ptr, ptr auto delta_ptr, ptr auto dk_ptr, ptr auto dv_ptr,
                  int_ auto seq, float_ auto sm_scale, constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto HEAD_DIM,
                  constexpr_ auto CAUSAL) const {
    auto num_blocks = tl.cdiv(seq, BN);
    auto row = tl.program_id(0) / num_blocks * seq;  // where the head begins
    auto start_n = tl.program_id(0) % num_blocks * BN;
    auto offs_n = start_n + tl.arange(0, BN);
    auto qk_scale = sm_scale * 1.44269504;
    auto k = k_desc.load({row + start_n, 0});
    auto v = v_desc.load({row + start_n, 0});
    auto dk = tl.zeros(tl.shape(BN, HEAD_DIM), tl.float32);
    auto dv = tl.zeros(tl.shape(BN, HEAD_DIM), tl.float32);

    // All is transposed, keys down and queries across, so that p and ds are left operands from registers.
    auto step = [&](auto start_m, constexpr_ auto MASKED) {
      auto offs_m = start_m + tl.arange(0, BM);
      // queries after the last have weights of 2^-inf
      auto m = tl.load(m_ptr + row + offs_m, {.mask = offs_m < seq, .other = inf});
      auto delta = tl.load(delta_ptr + row + offs_m, {.mask = offs_m < seq, .other = 0});
      auto q = q_desc.load({row + start_m, 0});
      auto d_o = do_desc.load({row + start_m, 0});
      auto s = tl.dot(k, tl.trans(q));
      auto dp = tl.dot(v, tl.trans(d_o));
      auto all = tl.exp2(s * qk_scale - m(None, _));
      auto p = tl.static_if(
          MASKED, [&] { return tl.where(offs_m(None, _) >= offs_n(_, None), all, 0.0); }, [&] { return all; });
      auto dv_sum = tl.dot(p.to(v_desc.dtype), d_o, dv);
      auto ds = p * (dp - delta(None, _));
      auto dk_sum = tl.dot(ds.to(q_desc.dtype), q, dk);
      dv = dv_sum;
      dk = dk_sum;
    };
    // a causal query sees no key after it: the first blocks of queries see some of these keys, all later ones each
    auto first = start_n * CAUSAL;
    auto whole = first + BN * CAUSAL;
    for (auto start_m : tl.range(first, whole, BM)) step(start_m, 1_c);
    for (auto start_m : tl.range(whole, seq, BM)) step(start_m, 0_c);

    auto offs = (row + offs_n)(_, None) * HEAD_DIM + tl.arange(0, HEAD_DIM)(None, _);
    auto mask = (offs_n < seq)(_, None);
    tl.store(dv_ptr + offs, dv.to(dv_ptr.dtype), {.mask = mask});
    tl.store(dk_ptr + offs, (dk * sm_scale).to(dk_ptr.dtype), {.mask = mask});
  }
};

// Of a block of queries: dq, from all keys that it sees.
struct attention_dq_kernel {
  void operator()(auto& tl, descriptor auto q_desc, descriptor auto k_desc, descriptor auto v_desc,
                  descriptor auto do_desc, ptr auto m_ptr, ptr auto delta_ptr, ptr auto dq_ptr, int_ auto seq,
                  float_ auto sm_scale, constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto HEAD_DIM,
                  constexpr_ auto CAUSAL) const {
    auto num_blocks = tl.cdiv(seq, BM);
    auto row = tl.program_id(0) / num_blocks * seq;
    // under a causal mask the last queries take longest: first
    auto start_m = (num_blocks - 1 - tl.program_id(0) % num_blocks) * BM;
    auto offs_m = start_m + tl.arange(0, BM);
    auto qk_scale = sm_scale * 1.44269504;
    auto q = q_desc.load({row + start_m, 0});
    auto d_o = do_desc.load({row + start_m, 0});
    auto m = tl.load(m_ptr + row + offs_m, {.mask = offs_m < seq, .other = inf});
    auto delta = tl.load(delta_ptr + row + offs_m, {.mask = offs_m < seq, .other = 0});
    auto dq = tl.zeros(tl.shape(BM, HEAD_DIM), tl.float32);

    auto step = [&](auto start_n, constexpr_ auto MASKED) {
      auto offs_n = (start_n + tl.arange(0, BN))(None, _);
      auto k = k_desc.load({row + start_n, 0});
      auto v = v_desc.load({row + start_n, 0});
      auto s = tl.dot(q, tl.trans(k));
      auto dp = tl.dot(d_o, tl.trans(v));
      auto all = tl.exp2(s * qk_scale - m(_, None));
      auto p = tl.static_if(
          MASKED,
          [&] {
            return tl.where(tl.static_if(
                                CAUSAL, [&] { return offs_m(_, None) >= offs_n; }, [&] { return offs_n < seq; }),
                            all, 0.0);
          },
          [&] { return all; });
      auto ds = p * (dp - delta(_, None));
      dq = tl.dot(ds.to(k_desc.dtype), k, dq);
    };
    auto whole = tl.static_if(
        CAUSAL, [&] { return start_m; }, [&] { return seq / BN * BN; });
    auto end = tl.static_if(
        CAUSAL, [&] { return start_m + BM; }, [&] { return seq; });
    for (auto start_n : tl.range(0, whole, BN)) step(start_n, 0_c);
    for (auto start_n : tl.range(whole, end, BN)) step(start_n, 1_c);

    auto offs = (row + offs_m)(_, None) * HEAD_DIM + tl.arange(0, HEAD_DIM)(None, _);
    tl.store(dq_ptr + offs, (dq * sm_scale).to(dq_ptr.dtype), {.mask = (offs_m < seq)(_, None)});
  }
};

}  // namespace tl::kernels
