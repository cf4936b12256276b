// One token of a selective state space model: the state decays and takes the token in, and is read out; a bias of dt, a
// residual and a gate may be absent.
// After mamba_ssm/ops/triton/selective_state_update.py of state-spaces/mamba at 33dc96c84926.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case: batch=2 dim=37 dstate=12 state=inout:f32[batch,dim,dstate] x=bf16[batch,dim] dt=bf16[batch,dim]
// case: dt_bias=f32[dim] a=f32[dim,dstate]:uniform(-1,0) b=bf16[batch,dstate] c=bf16[batch,dstate] d=None
// case: z=bf16[batch,dim] out=out:bf16[batch,dim] n_dim=dim n_dstate=dstate stride_state_b=dim*dstate
// case: stride_x_b=dim stride_b_b=dstate SOFTPLUS=true BM=8 BN=16 grid=(cdiv(dim,BM),batch) tolerance=8e-3
// case: expect=selective_state_update_loop
struct selective_state_update_kernel {
  void operator()(auto& tl, ptr auto state_ptr, ptr auto x_ptr, ptr auto dt_ptr, ptr auto dt_bias_ptr, ptr auto a_ptr,
                  ptr auto b_ptr, ptr auto c_ptr, ptr auto d_ptr, ptr auto z_ptr, ptr auto out_ptr, int_ auto n_dim,
                  int_ auto n_dstate, int_ auto stride_state_b, int_ auto stride_x_b, int_ auto stride_b_b,
                  constexpr_ auto SOFTPLUS, constexpr_ auto BM, constexpr_ auto BN) const {
    auto pid_b = tl.program_id(1);
    auto m = tl.program_id(0) * BM + tl.arange(0, BM);
    auto n = tl.arange(0, BN);
    auto is_dim = m < n_dim;
    auto is_state = n < n_dstate;
    auto mask = is_dim(_, None) & is_state(None, _);
    auto state_ptrs = state_ptr + pid_b * stride_state_b + m(_, None) * n_dstate + n(None, _);
    auto state = tl.load(state_ptrs, {.mask = mask, .other = 0});
    auto x = tl.load(x_ptr + pid_b * stride_x_b + m, {.mask = is_dim, .other = 0}).to(tl.float32);
    auto dt = tl.load(dt_ptr + pid_b * stride_x_b + m, {.mask = is_dim, .other = 0}).to(tl.float32);
    if (!tl.is_none(dt_bias_ptr)) dt += tl.load(dt_bias_ptr + m, {.mask = is_dim, .other = 0});
    if (SOFTPLUS) dt = tl.log(1.0 + tl.exp(dt));
    auto a = tl.load(a_ptr + m(_, None) * n_dstate + n(None, _), {.mask = mask, .other = 0});
    auto b = tl.load(b_ptr + pid_b * stride_b_b + n, {.mask = is_state, .other = 0}).to(tl.float32);
    auto c = tl.load(c_ptr + pid_b * stride_b_b + n, {.mask = is_state, .other = 0}).to(tl.float32);
    state = state * tl.exp(a * dt(_, None)) + b(None, _) * dt(_, None) * x(_, None);
    tl.store(state_ptrs, state, {.mask = mask});
    auto out = tl.sum(state * c(None, _), 1_c);
    if (!tl.is_none(d_ptr)) out += x * tl.load(d_ptr + m, {.mask = is_dim, .other = 0});
    if (!tl.is_none(z_ptr)) {
      auto z = tl.load(z_ptr + pid_b * stride_x_b + m, {.mask = is_dim, .other = 0}).to(tl.float32);
      out *= z * tl.sigmoid(z);
    }
    tl.store(out_ptr + pid_b * stride_x_b + m, out.to(out_ptr.dtype), {.mask = is_dim});
  }
};

void selective_state_update_loop(auto& args) {
  auto state = args["state"], x = args["x"], a = args["a"], b = args["b"], c = args["c"], out = args["out"];
  for (int i = 0; i < x.size(0); ++i)
    for (int d = 0; d < x.size(1); ++d) {
      const double dt = log(1 + exp(args["dt"](i, d) + args["dt_bias"](d))), z = args["z"](i, d);
      out(i, d) = 0;
      for (int n = 0; n < b.size(1); ++n) {
        state(i, d, n) = state(i, d, n) * exp(a(d, n) * dt) + b(i, n) * dt * x(i, d);
        out(i, d) += state(i, d, n) * c(i, n) * z / (1 + exp(-z));
      }
    }
}

}  // namespace tl::ports
