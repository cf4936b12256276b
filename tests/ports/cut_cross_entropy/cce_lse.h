// Cross entropy without the logits: log-sum-exps of capped E C^T, tile by tile, joined under locks; logits' averages.
// After cut_cross_entropy/cce_lse_forward.py and tl_utils.py of apple/ml-cross-entropy at d42911f.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

auto log_add_exp(auto& tl, auto a, auto b) {
  return tl.log1p(tl.exp(tl.minimum(a, b) - tl.maximum(a, b))) + tl.maximum(a, b);
}

// case cce_lse_kernel: b=40 v=70 d=48 e=f16[b,d] c=f16[v,d] bias=f32[v] lse=inout:f32[b]:full(-inf)
// case cce_lse_kernel: la=inout:f32[v]:zeros locks=inout:i32[2]:zeros
// case cce_lse_kernel: B=b V=v D=d softcap=3.0 num_locks=2 BB=16 BV=32 BD=16 GROUP=8 grid=cdiv(b,BB)*cdiv(v,BV)
// case cce_lse_kernel: tolerance=2e-3 expect=cce_lse_loop
struct cce_lse_kernel {
  void operator()(auto& tl, ptr auto e_ptr, ptr auto c_ptr, ptr auto bias_ptr, ptr auto lse_ptr, ptr auto la_ptr,
                  ptr auto locks_ptr, float_ auto softcap, int_ auto B, int_ auto V, int_ auto D, int_ auto num_locks,
                  constexpr_ auto BB, constexpr_ auto BV, constexpr_ auto BD, constexpr_ auto GROUP) const {
    auto pid = tl.program_id(0);
    auto num_pid_b = tl.cdiv(B, BB);
    auto num_pid_in_group = GROUP * tl.cdiv(V, BV);
    auto first_pid_b = pid / num_pid_in_group * GROUP;
    auto group_size_b = tl.minimum(num_pid_b - first_pid_b, GROUP);
    auto pid_b = (first_pid_b + pid % num_pid_in_group % group_size_b).to(tl.int64);
    auto pid_v = (pid % num_pid_in_group / group_size_b).to(tl.int64);
    auto offs_b = pid_b * BB + tl.arange(0, BB);
    auto offs_v = pid_v * BV + tl.arange(0, BV);
    auto offs_d = tl.arange(0, BD).to(tl.int64);
    auto e_ptrs = e_ptr + (offs_b(_, None) * D + offs_d(None, _));
    auto c_ptrs = c_ptr + (offs_v(None, _) * D + offs_d(_, None));
    auto acc = tl.zeros(tl.shape(BB, BV), tl.float32);
    for (auto d : tl.range(0, tl.cdiv(D, BD))) {
      auto left = D - d * BD;
      auto e = tl.load(e_ptrs, {.mask = (offs_b < B)(_, None) & (offs_d < left)(None, _), .other = 0.0});
      auto c = tl.load(c_ptrs, {.mask = (offs_v < V)(None, _) & (offs_d < left)(_, None), .other = 0.0});
      acc = tl.dot(e, c, acc);
      e_ptrs += BD;
      c_ptrs += BD;
    }
    tl.debug_barrier();
    if (!tl.is_none(bias_ptr))
      acc += tl.load(bias_ptr + offs_v, {.mask = offs_v < V, .other = 0.0}).to(acc.dtype)(None, _);
    auto logits = tl.where(offs_v(None, _) < V, tl.tanh(acc / softcap) * softcap, -inf);
    if (!tl.is_none(la_ptr))
      tl.atomic_add(la_ptr + offs_v, tl.sum(tl.where(offs_b(_, None) < B, logits, 0.0), 0) / B, {.mask = offs_v < V});
    auto this_max = tl.max(logits, 1_c);
    auto this_lse = this_max + tl.log(tl.sum(tl.exp(logits - this_max(_, None)), 1_c));
    auto o_mask = offs_b < B;
    auto lse_ptrs = lse_ptr + offs_b;
    auto lock = locks_ptr + pid_b / tl.cdiv(B, BB * num_locks);
    while (tl.atomic_cas(lock, 0, 1) == 1) {
    }
    auto lse = tl.load(lse_ptrs, {.mask = o_mask, .other = 0.0, .eviction_policy = "evict_last"});
    lse = log_add_exp(tl, lse, this_lse);
    tl.store(lse_ptrs, lse, {.mask = o_mask, .eviction_policy = "evict_last"});
    tl.debug_barrier();
    tl.atomic_xchg(lock, 0);
  }
};

void cce_lse_loop(auto& args) {
  auto e = args["e"], c = args["c"], bias = args["bias"], lse = args["lse"], la = args["la"];
  for (int j = 0; j < c.size(0); ++j) la(j) = 0;
  for (int i = 0; i < e.size(0); ++i) {
    double sum = 0;
    for (int j = 0; j < c.size(0); ++j) {
      double x = bias(j);
      for (int l = 0; l < c.size(1); ++l) x += e(i, l) * c(j, l);
      x = tanh(x / args("softcap")) * args("softcap");
      la(j) += x / e.size(0);
      sum += exp(x);
    }
    lse(i) = log(sum);
  }
}

}  // namespace tl::ports
