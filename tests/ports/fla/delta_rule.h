// The delta rule, token by token: a state of keys and values forgets what it holds for a key before it takes the new
// value. Sequences of several lengths lie behind each other; the first and last state may be absent.
// After fla/ops/delta_rule/fused_recurrent.py of fla-org/flash-linear-attention at 07815769467e.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case: n=3 t=20 h=2 k=24 v=12 q=bf16[1,t,h,k] key=bf16[t,h,k]:uniform(-0.3,0.3) value=bf16[t,h,v] u=out:bf16[t,h,v]
// case: beta=bf16[t,h]:uniform(0,1) o=out:bf16[t,h,v] h0=f32[n,h,k*v] ht=out:f32[n,h,k*v]
// case: cu_seqlens=i64[n+1]:values(0,9,10,20) scale=0.204 T=t H=h K=k V=v BK=32 BV=8 IS_BETA_HEADWISE=false
// case: grid=(cdiv(v,BV),1,n*h) tolerance=2e-2 expect=delta_rule_loop
struct delta_rule_kernel {
  void operator()(auto& tl, ptr auto q_ptr, ptr auto key_ptr, ptr auto value_ptr, ptr auto u_ptr, ptr auto beta_ptr,
                  ptr auto o_ptr, ptr auto h0_ptr, ptr auto ht_ptr, ptr auto cu_seqlens_ptr, float_ auto scale,
                  int_ auto T, constexpr_ auto H, constexpr_ auto K, constexpr_ auto V, constexpr_ auto BK,
                  constexpr_ auto BV, constexpr_ auto IS_BETA_HEADWISE) const {
    auto i_n = tl.program_id(2) / H;
    auto i_h = tl.program_id(2) % H;
    auto begin = i_n.to(tl.int64) * T;
    auto length = tl.scalar(T, tl.int32);
    if (!tl.is_none(cu_seqlens_ptr)) {
      begin = tl.load(cu_seqlens_ptr + i_n).to(tl.int64);
      length = (tl.load(cu_seqlens_ptr + i_n + 1).to(tl.int64) - begin).to(tl.int32);
    }
    auto offs_k = tl.program_id(1) * BK + tl.arange(0, BK);
    auto offs_v = tl.program_id(0) * BV + tl.arange(0, BV);
    auto mask_k = offs_k < K;
    auto mask_v = offs_v < V;
    auto mask_h = mask_k(None, _) & mask_v(_, None);
    auto q_ptrs = q_ptr + (begin * H + i_h) * K + offs_k;
    auto key_ptrs = key_ptr + (begin * H + i_h) * K + offs_k;
    auto value_ptrs = value_ptr + (begin * H + i_h) * V + offs_v;
    auto u_ptrs = u_ptr + (begin * H + i_h) * V + offs_v;
    auto o_ptrs = o_ptr + (begin * H + i_h) * V + offs_v;
    auto beta_ptrs = tl.static_if(
        IS_BETA_HEADWISE, [&](auto&) { return beta_ptr + (begin * H + i_h) * V + offs_v; },
        [&](auto&) { return beta_ptr + begin * H + i_h; });

    auto state_offs = tl.program_id(2) * (K * V) + offs_k(None, _) * V + offs_v(_, None);
    auto state = tl.zeros(tl.shape(BV, BK), tl.float32);
    if (!tl.is_none(h0_ptr)) state += tl.load(h0_ptr + state_offs, {.mask = mask_h, .other = 0}).to(tl.float32);
    for ([[maybe_unused]] auto t : tl.range(0, length)) {
      auto k = tl.load(key_ptrs, {.mask = mask_k, .other = 0}).to(tl.float32);
      auto v = tl.load(value_ptrs, {.mask = mask_v, .other = 0}).to(tl.float32);
      auto q = tl.load(q_ptrs, {.mask = mask_k, .other = 0}).to(tl.float32) * scale;
      v -= tl.sum(state * k(None, _), 1_c);
      auto beta = tl.static_if(
          IS_BETA_HEADWISE, [&](auto& tl) { return tl.load(beta_ptrs, {.mask = mask_v, .other = 0}).to(tl.float32); },
          [&](auto& tl) { return tl.load(beta_ptrs).to(tl.float32); });
      tl.store(u_ptrs, v.to(u_ptr.dtype), {.mask = mask_v});
      state += k(None, _) * (v * beta)(_, None);
      tl.store(o_ptrs, tl.sum(state * q(None, _), 1_c).to(o_ptr.dtype), {.mask = mask_v});
      q_ptrs += H * K;
      key_ptrs += H * K;
      value_ptrs += H * V;
      u_ptrs += H * V;
      o_ptrs += H * V;
      beta_ptrs += tl.static_if(IS_BETA_HEADWISE, [&] { return H * V; }, [&] { return H; });
    }
    if (!tl.is_none(ht_ptr)) tl.store(ht_ptr + state_offs, state.to(ht_ptr.dtype), {.mask = mask_h});
  }
};

void delta_rule_loop(auto& args) {
  auto q = args["q"], key = args["key"], value = args["value"], u = args["u"], beta = args["beta"], o = args["o"];
  auto h0 = args["h0"], ht = args["ht"], cu = args["cu_seqlens"];
  const int dim_k = key.size(2), dim_v = value.size(2);
  for (int i = 0; i < h0.size(0); ++i)
    for (int h = 0; h < key.size(1); ++h)
      for (int v = 0; v < dim_v; ++v) {
        for (int k = 0; k < dim_k; ++k) ht(i, h, k * dim_v + v) = h0(i, h, k * dim_v + v);
        for (int t = cu(i); t < cu(i + 1); ++t) {
          u(t, h, v) = value(t, h, v);
          for (int k = 0; k < dim_k; ++k) u(t, h, v) -= ht(i, h, k * dim_v + v) * key(t, h, k);
          o(t, h, v) = 0;
          for (int k = 0; k < dim_k; ++k) {
            ht(i, h, k * dim_v + v) += key(t, h, k) * u(t, h, v) * beta(t, h);
            o(t, h, v) += ht(i, h, k * dim_v + v) * q(0, t, h, k) * args("scale");
          }
        }
      }
}

}  // namespace tl::ports
