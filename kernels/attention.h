// Flash attention, forward: softmax over key blocks, one after the other, never the whole matrix.
// o = softmax(scale q k^T) v
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

// One stage of the online softmax: the key blocks [lo, hi) of the sequence that begins at `row`.
// Invariant, with s = qk_scale q k over the keys seen so far:
// m_i = max s, l_i = sum 2^(s - m_i), acc = sum 2^(s - m_i) v.
// MASKED: seen(keys) says which of them a query sees.
void attention_stage(auto& tl, auto& acc, auto& l_i, auto& m_i, auto q, descriptor auto k_desc, descriptor auto v_desc,
                     auto row, auto lo, auto hi, auto qk_scale, constexpr_ auto BN, constexpr_ auto MASKED, auto seen) {
  auto offs_n = tl.arange(0, BN);
  tl.pipelined(
      tl.range(lo, hi, BN),
      [&](auto start_n) { return tl.stage(k_desc.tile(row + start_n, 0), v_desc.tile(row + start_n, 0), start_n); },
      [&](auto k, auto v, auto start_n) {
        auto scores = tl.dot(q, tl.trans(k));
        auto qk = tl.static_if(MASKED, [&] { return tl.where(seen(start_n + offs_n(None, _)), scores, -inf); },
                                       [&] { return scores; });
        auto m_ij = tl.maximum(m_i, tl.max(qk, 1_c) * qk_scale);
        auto p = tl.exp2(qk * qk_scale - m_ij(_, None));
        auto alpha = tl.exp2(m_i - m_ij);  // rescales what was summed under the old maximum
        l_i = l_i * alpha + tl.sum(p, 1_c);
        acc = tl.dot(p.to(v.dtype), v, acc * alpha(_, None));
        m_i = m_ij;
      });
}

struct attention_kernel {
  void operator()(auto& tl, descriptor auto q_desc, descriptor auto k_desc, descriptor auto v_desc, ptr auto m_ptr,
                  descriptor auto o_desc, ptr auto o_ptr, int_ auto seq, float_ auto sm_scale, constexpr_ auto BM,
                  constexpr_ auto BN, constexpr_ auto HEAD_DIM, constexpr_ auto CAUSAL, constexpr_ auto EVEN) const {
    // first query; the last ones go first, since under a causal mask they see the most keys and take longest
    auto start_m = (tl.num_programs(0) - 1 - tl.program_id(0)) * BM;
    auto row = tl.program_id(1) * seq;     // first row of this batch and head
    auto offs_m = start_m + tl.arange(0, BM);

    auto m_i = tl.full(tl.shape(BM), -inf, tl.float32);
    auto l_i = tl.zeros(tl.shape(BM), tl.float32);
    auto acc = tl.zeros(tl.shape(BM, HEAD_DIM), tl.float32);
    auto qk_scale = sm_scale * 1.44269504;  // 1 / ln 2, since exp2 takes the place of exp
    auto q = q_desc.load({row + start_m, 0});

    auto earlier = [&](auto keys) { return offs_m(_, None) >= keys; };  // causal: a query sees no key after it
    auto in_head = [&](auto keys) { return keys < seq; };
    tl.static_if(
        CAUSAL,
        [&] {
          // left of the diagonal every key is seen; on it, later keys are masked
          attention_stage(tl, acc, l_i, m_i, q, k_desc, v_desc, row, 0, start_m, qk_scale, BN, 0_c, earlier);
          attention_stage(tl, acc, l_i, m_i, q, k_desc, v_desc, row, start_m, start_m + BM, qk_scale, BN, 1_c, earlier);
        },
        [&] {
          auto whole = tl.static_if(EVEN, [&] { return seq; }, [&] { return seq / BN * BN; });
          attention_stage(tl, acc, l_i, m_i, q, k_desc, v_desc, row, 0, whole, qk_scale, BN, 0_c, in_head);
          tl.static_if(EVEN, [] {}, [&] {  // the last key block reaches into the next head
            attention_stage(tl, acc, l_i, m_i, q, k_desc, v_desc, row, whole, seq, qk_scale, BN, 1_c, in_head);
          });
        });

    // log2 of the row's sum of 2^s: all that the backward pass needs of the softmax
    auto m = m_i + tl.log2(l_i);
    auto o = (acc / l_i(_, None)).to(o_desc.dtype);
    tl.static_if(
        EVEN,
        [&] {
          tl.store(m_ptr + row + offs_m, m);
          o_desc.store({row + start_m, 0}, o);
        },
        [&] {  // a tile of o would reach into the next head, too
          auto mask = offs_m < seq;
          tl.store(m_ptr + row + offs_m, m, {.mask = mask});
          auto o_ptrs = o_ptr + (row + offs_m)(_, None) * HEAD_DIM + tl.arange(0, HEAD_DIM)(None, _);
          tl.store(o_ptrs, o, {.mask = mask(_, None)});
        });
  }
};

}  // namespace tl::kernels
