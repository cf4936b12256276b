// Attention of new tokens: over a cache of older ones, found by a table, then over each other, causal; with a cap on
// scores and a part of the head that has no values (the rotary one of latent attention).
// After python/sglang/srt/layers/attention/triton_ops/extend_attention.py of sgl-project/sglang at 01925ca8c3ab.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

auto capped(auto& tl, auto x, constexpr_ auto CAP) { return CAP * (2 * tl.sigmoid(2 * (x / CAP)) - 1); }

// case: heads=2 kv=1 lq=24 lv=16 n=2 q=f16[30,heads,lq]:normal k=f16[30,kv,lq]:normal v=f16[30,kv,lv]
// case: o=out:f16[30,heads,lv] k_buffer=f16[64,kv,lq]:normal v_buffer=f16[64,kv,lv]
// case: table=i32[n,64]:each(i*29%64) req=i64[n]:values(1,0) seq_len=i32[n]:values(35,29) start=i32[n]:values(0,10)
// case: extend=i32[n]:values(10,20) scale=0.2 groups=heads/kv CAP=10.0 LQ=lq LV=lv
// case: BD=16 BPE=8 BV=16 BM=16 BN=16 grid=(n,heads,2) tolerance=4e-3 expect=extend_attention_loop
struct extend_attention_kernel {
  void operator()(auto& tl, ptr auto q_ptr, ptr auto k_ptr, ptr auto v_ptr, ptr auto o_ptr, ptr auto k_buffer_ptr,
                  ptr auto v_buffer_ptr, ptr auto table_ptr, ptr auto req_ptr, ptr auto seq_len_ptr, ptr auto start_ptr,
                  ptr auto extend_ptr, float_ auto scale, int_ auto heads, int_ auto groups, constexpr_ auto CAP,
                  constexpr_ auto LQ, constexpr_ auto LV, constexpr_ auto BD, constexpr_ auto BPE, constexpr_ auto BV,
                  constexpr_ auto BM, constexpr_ auto BN) const {
    auto seq = tl.program_id(0);
    auto head = tl.program_id(1);
    auto block_m = tl.program_id(2);
    auto kv_heads = heads / groups;
    auto kv_head = head / groups;
    auto extend = tl.load(extend_ptr + seq);
    auto prefix = tl.load(seq_len_ptr + seq) - extend;
    auto start = tl.load(start_ptr + seq);
    auto req = tl.load(req_ptr + seq);
    auto offs_d = tl.arange(0, BD);
    auto offs_pe = BD + tl.arange(0, BPE);
    auto offs_v = tl.arange(0, BV);
    auto offs_m = block_m * BM + tl.arange(0, BM);
    auto offs_n = tl.arange(0, BN);
    auto mask_m = offs_m < extend;
    auto mask_v = offs_v < LV;
    auto q_rows = ((start + offs_m) * heads + head) * LQ;
    auto q = tl.load(q_ptr + q_rows(_, None) + offs_d(None, _),
                     {.mask = mask_m(_, None) & (offs_d < LQ)(None, _), .other = 0.0});
    auto q_pe = tl.load(q_ptr + q_rows(_, None) + offs_pe(None, _), {.mask = mask_m(_, None), .other = 0.0});
    auto acc = tl.zeros(tl.shape(BM, BV), tl.float32);
    auto sum = tl.zeros(tl.shape(BM), tl.float32);
    auto top = tl.zeros(tl.shape(BM), tl.float32) - inf;
    for (auto n : tl.range(0, prefix, BN)) {
      n = tl.multiple_of(n, BN);
      auto mask_n = n + offs_n < prefix;
      auto at = tl.load(table_ptr + req * 64 + n + offs_n, {.mask = mask_n, .other = 0});
      auto k_rows = (at * kv_heads + kv_head) * LQ;
      auto k = tl.load(k_buffer_ptr + k_rows(None, _) + offs_d(_, None),
                       {.mask = mask_n(None, _) & (offs_d < LQ)(_, None), .other = 0.0});
      auto qk = tl.dot(q.to(k.dtype), k);
      if (BPE > 0)
        qk += tl.dot(
            q_pe, tl.load(k_buffer_ptr + k_rows(None, _) + offs_pe(_, None), {.mask = mask_n(None, _), .other = 0.0}));
      qk *= scale;
      if (CAP > 0) qk = capped(tl, qk, CAP);
      qk = tl.where(mask_m(_, None) & mask_n(None, _), qk, -inf);
      auto new_top = tl.maximum(tl.max(qk, 1_c), top);
      auto rescale = tl.exp(top - new_top);
      auto p = tl.exp(qk - new_top(_, None));
      sum = sum * rescale + tl.sum(p, 1_c);
      auto v = tl.load(v_buffer_ptr + ((at * kv_heads + kv_head) * LV)(_, None) + offs_v(None, _),
                       {.mask = mask_n(_, None) & mask_v(None, _), .other = 0.0});
      acc = acc * rescale(_, None) + tl.dot(p.to(v.dtype), v);
      top = new_top;
    }
    auto end = tl.minimum(extend, (block_m + 1) * BM);
    for (auto n : tl.range(0, end, BN)) {
      n = tl.multiple_of(n, BN);
      auto mask_n = n + offs_n < end;
      auto k_rows = ((start + n + offs_n) * kv_heads + kv_head) * LQ;
      auto k = tl.load(k_ptr + k_rows(None, _) + offs_d(_, None),
                       {.mask = mask_n(None, _) & (offs_d < LQ)(_, None), .other = 0.0});
      auto qk = tl.dot(q, k, tl.float32);
      if (BPE > 0)
        qk +=
            tl.dot(q_pe, tl.load(k_ptr + k_rows(None, _) + offs_pe(_, None), {.mask = mask_n(None, _), .other = 0.0}));
      qk *= scale;
      if (CAP > 0) qk = capped(tl, qk, CAP);
      auto causal = offs_m(_, None) >= (n + offs_n)(None, _);
      causal &= mask_m(_, None) & mask_n(None, _);
      qk = tl.where(causal, qk, -inf);
      auto new_top = tl.maximum(tl.max(qk, 1_c), top);
      auto rescale = tl.exp(top - new_top);
      auto p = tl.exp(qk - new_top(_, None));
      sum = sum * rescale + tl.sum(p, 1_c);
      auto v = tl.load(v_ptr + (((start + n + offs_n) * kv_heads + kv_head) * LV)(_, None) + offs_v(None, _),
                       {.mask = mask_n(_, None) & mask_v(None, _), .other = 0.0});
      acc = acc * rescale(_, None) + tl.dot(p.to(v.dtype), v);
      top = new_top;
    }
    auto o_rows = ((start + offs_m) * heads + head) * LV;
    tl.store(o_ptr + o_rows(_, None) + offs_v(None, _), acc / sum(_, None),
             {.mask = mask_m(_, None) & mask_v(None, _)});
  }
};

void extend_attention_loop(auto& args) {
  auto q = args["q"], k = args["k"], v = args["v"], o = args["o"], kb = args["k_buffer"], vb = args["v_buffer"],
       table = args["table"];
  const int lq = q.size(2), lv = v.size(2), groups = args("groups");
  for (int n = 0; n < 2; ++n)
    for (int i = 0; i < args["extend"](n); ++i)
      for (int h = 0; h < q.size(1); ++h) {
        const int row = args["start"](n) + i, prefix = args["seq_len"](n) - args["extend"](n), kv = h / groups;
        auto out = args.zeros(lv);
        double sum = 0;
        for (int j = 0; j <= prefix + i; ++j) {
          const bool is_old = j < prefix;
          const int at = is_old ? table(args["req"](n), j) : args["start"](n) + j - prefix;
          double score = 0;
          for (int d = 0; d < lq; ++d) score += q(row, h, d) * (is_old ? kb(at, kv, d) : k(at, kv, d));
          const double p = exp(10 * tanh(score * args("scale") / 10));
          sum += p;
          for (int d = 0; d < lv; ++d) out(d) += p * (is_old ? vb(at, kv, d) : v(at, kv, d));
        }
        for (int d = 0; d < lv; ++d) o(row, h, d) = out(d) / sum;
      }
}

}  // namespace tl::ports
