// Flash attention, forward: softmax over key blocks, one after the other, never the whole matrix.
// o = softmax(scale q k^T) v
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

// The block of queries from start_m on, of the batch and head that begins at `row`.
void attention_block(auto& tl, descriptor auto q_desc, descriptor auto k_desc, descriptor auto v_desc, ptr auto m_ptr,
                     descriptor auto o_desc, ptr auto o_ptr, int_ auto row, int_ auto start_m, int_ auto seq,
                     float_ auto sm_scale, constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto HEAD_DIM,
                     constexpr_ auto CAUSAL, constexpr_ auto EVEN) {
  auto offs_m = start_m + tl.arange(0, BM);

  // Invariant of the online softmax, with s = qk_scale q k over the keys seen so far:
  // m_i = max s, l_i = sum 2^(s - m_i), acc = sum 2^(s - m_i) v, but for the block of keys whose weights are in p.
  auto m_i = tl.full(tl.shape(BM), -inf, tl.float32);
  auto l_i = tl.zeros(tl.shape(BM), tl.float32);
  auto acc = tl.zeros(tl.shape(BM, HEAD_DIM), tl.float32);
  auto p = tl.zeros(tl.shape(BM, BN), v_desc.dtype);
  auto alpha = tl.zeros(tl.shape(BM), tl.float32);  // rescales what was summed under the old maximum
  auto qk_scale = sm_scale * 1.44269504;            // 1 / ln 2, since exp2 takes the place of exp
  auto q = q_desc.load({row + start_m, 0});

  auto weights = [&](auto scores) {
    auto m_ij = tl.maximum(m_i, tl.max(scores, 1_c) * qk_scale);
    auto w = tl.exp2(scores * qk_scale - m_ij(_, None));
    alpha = tl.exp2(m_i - m_ij);
    l_i = l_i * alpha + tl.sum(w, 1_c);
    m_i = m_ij;
    return w;
  };
  // causal: a query sees no key after it; else: the last block of keys may reach into the next head
  auto masked = [&](auto scores, auto start_n) {
    auto offs_n = (start_n + tl.arange(0, BN))(None, _);
    return tl.where(tl.static_if(CAUSAL, [&] { return offs_m(_, None) >= offs_n; }, [&] { return offs_n < seq; }),
                    scores, -inf);
  };
  // The dots of a turn are issued together, q k^T of one block of keys and p v of the block before, and the softmax
  // of the one runs beside the other.
  auto step = [&](auto start_n, constexpr_ auto MASKED) {
    auto k = k_desc.load({row + start_n, 0});
    auto v = v_desc.load({row + start_n - BN, 0});
    auto scores = tl.dot(q, tl.trans(k));
    auto sum = tl.dot(p, v, acc);
    auto w = weights(tl.static_if(MASKED, [&] { return masked(scores, start_n); }, [&] { return scores; }));
    acc = sum * alpha(_, None);
    p = w.to(v_desc.dtype);
  };

  // Blocks of keys before `whole` need no mask, but for the first, which may be the only one. The loops of one turn
  // are there for their tiles: these take a slot of the ring, instead of memory of their own.
  auto whole = tl.static_if(CAUSAL, [&] { return start_m; }, [&] { return seq / BN * BN; });
  auto end = tl.static_if(CAUSAL, [&] { return start_m + BM; },
                          [&] { return tl.static_if(EVEN, [&] { return whole; },
                                                          [&] { return tl.cdiv(seq, BN) * BN; }); });
  for (auto start_n : tl.range(0, BN, BN)) {
    auto scores = tl.dot(q, tl.trans(k_desc.load({row + start_n, 0})));
    p = weights(masked(scores, start_n)).to(v_desc.dtype);
  }
  for (auto start_n : tl.range(BN, whole, BN)) step(start_n, 0_c);
  for (auto start_n : tl.range(tl.maximum(whole, BN), end, BN)) step(start_n, 1_c);
  for (auto start_n : tl.range(end - BN, end, BN)) acc = tl.dot(p, v_desc.load({row + start_n, 0}), acc);

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

struct attention_kernel {
  void operator()(auto& tl, descriptor auto q_desc, descriptor auto k_desc, descriptor auto v_desc, ptr auto m_ptr,
                  descriptor auto o_desc, ptr auto o_ptr, int_ auto heads, int_ auto seq, float_ auto sm_scale,
                  constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto HEAD_DIM, constexpr_ auto CAUSAL,
                  constexpr_ auto EVEN) const {
    // Programs take blocks of queries there and back, so that under a causal mask each has long ones and short ones.
    auto start_pid = tl.program_id(0);
    auto num_programs = tl.num_programs(0);
    auto num_blocks = tl.cdiv(seq, BM);
    for (auto turn : tl.range(0, tl.cdiv(heads * num_blocks, num_programs))) {
      auto tile_id = turn * num_programs + tl.where(turn % 2 == 0, start_pid, num_programs - 1 - start_pid);
      if (tile_id >= heads * num_blocks) break;
      // first query; the last ones go first, since under a causal mask they see the most keys and take longest
      auto start_m = (num_blocks - 1 - tile_id % num_blocks) * BM;
      attention_block(tl, q_desc, k_desc, v_desc, m_ptr, o_desc, o_ptr, tile_id / num_blocks * seq, start_m, seq,
                      sm_scale, BM, BN, HEAD_DIM, CAUSAL, EVEN);
    }
  }
};

}  // namespace tl::kernels
