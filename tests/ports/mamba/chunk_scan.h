// The output of each chunk of a sequence: what the chunks before left, decayed, and the tokens of the chunk itself
// under a causal mask; a residual, and a gate that may be absent.
// After _chunk_scan_fwd_kernel in mamba_ssm/ops/triton/ssd_chunk_scan.py of state-spaces/mamba at 1e6aa5e1a8c1.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case: batch=2 seqlen=50 heads=4 groups=2 hdim=24 dstate=16 chunk=32 chunks=2
// case: cb=f32[batch,chunks,groups,chunk*chunk] x=f16[batch,seqlen,heads,hdim] z=f16[batch,seqlen,heads,hdim]
// case: out=out:f16[batch,seqlen,heads,hdim] out_x=out:f16[batch,seqlen,heads,hdim]
// case: dt=f32[batch,heads,chunks,chunk]:uniform(0,0.5) da=f32[batch,heads,chunks,chunk]:each(-0.05*(i%chunk))
// case: c=f16[batch,seqlen,groups,dstate] states=f32[batch,chunks,heads,hdim*dstate] d=f32[heads]
// case: chunk_size=chunk n_hdim=hdim n_dstate=dstate n_batch=batch n_seqlen=seqlen ratio=heads/groups
// case: stride_cb_b=chunks*groups*chunk*chunk stride_cb_c=groups*chunk*chunk stride_cb_g=chunk*chunk stride_cb_m=chunk
// case: stride_x_b=seqlen*heads*hdim stride_x_l=heads*hdim stride_x_h=hdim stride_z_b=seqlen*heads*hdim
// case: stride_z_l=heads*hdim stride_z_h=hdim stride_out_b=seqlen*heads*hdim stride_out_l=heads*hdim stride_out_h=hdim
// case: stride_dt_b=heads*chunks*chunk stride_dt_h=chunks*chunk stride_dt_c=chunk stride_c_b=seqlen*groups*dstate
// case: stride_c_l=groups*dstate stride_c_g=dstate stride_s_b=chunks*heads*hdim*dstate stride_s_c=heads*hdim*dstate
// case: stride_s_h=hdim*dstate stride_d_h=1 BM=16 BN=32 BK=16 BLOCK_DSTATE=16
// case: grid=(cdiv(chunk,BM)*cdiv(hdim,BN),batch*chunks,heads) tolerance=1e-2 expect=chunk_scan_loop
struct chunk_scan_kernel {
  void operator()(auto& tl, ptr auto cb_ptr, ptr auto x_ptr, ptr auto z_ptr, ptr auto out_ptr, ptr auto out_x_ptr,
                  ptr auto dt_ptr, ptr auto da_ptr, ptr auto c_ptr, ptr auto states_ptr, ptr auto d_ptr,
                  int_ auto chunk_size, int_ auto n_hdim, int_ auto n_dstate, int_ auto n_batch, int_ auto n_seqlen,
                  int_ auto ratio, int_ auto stride_cb_b, int_ auto stride_cb_c, int_ auto stride_cb_g,
                  int_ auto stride_cb_m, int_ auto stride_x_b, int_ auto stride_x_l, int_ auto stride_x_h,
                  int_ auto stride_z_b, int_ auto stride_z_l, int_ auto stride_z_h, int_ auto stride_out_b,
                  int_ auto stride_out_l, int_ auto stride_out_h, int_ auto stride_dt_b, int_ auto stride_dt_h,
                  int_ auto stride_dt_c, int_ auto stride_c_b, int_ auto stride_c_l, int_ auto stride_c_g,
                  int_ auto stride_s_b, int_ auto stride_s_c, int_ auto stride_s_h, int_ auto stride_d_h,
                  constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK, constexpr_ auto BLOCK_DSTATE) const {
    auto pid_c = tl.program_id(1) / n_batch;
    auto pid_b = tl.program_id(1) % n_batch;
    auto pid_h = tl.program_id(2);
    auto num_pid_n = tl.cdiv(n_hdim, BN);
    auto pid_m = tl.program_id(0) / num_pid_n;
    auto m = pid_m * BM + tl.arange(0, BM);
    auto n = tl.program_id(0) % num_pid_n * BN + tl.arange(0, BN);
    auto first = pid_c * chunk_size;
    auto limit = tl.minimum(chunk_size, n_seqlen - first);
    auto dt_offs = pid_b * stride_dt_b + pid_h * stride_dt_h + pid_c * stride_dt_c;
    auto da_m = tl.load(da_ptr + dt_offs + m, {.mask = m < chunk_size, .other = 0});

    auto offs_s = tl.arange(0, BLOCK_DSTATE);
    auto c = tl.load(
        c_ptr + pid_b * stride_c_b + pid_h / ratio * stride_c_g + (first + m)(_, None) * stride_c_l + offs_s(None, _),
        {.mask = (m < limit)(_, None) & (offs_s < n_dstate)(None, _), .other = 0});
    auto states = tl.load(states_ptr + pid_b * stride_s_b + pid_c * stride_s_c + pid_h * stride_s_h +
                              n(None, _) * n_dstate + offs_s(_, None),
                          {.mask = (offs_s < n_dstate)(_, None) & (n < n_hdim)(None, _), .other = 0});
    auto acc = tl.dot(c, states.to(c.dtype)) * tl.exp(da_m)(_, None);

    auto offs_k = tl.arange(0, BK);
    auto cb_ptrs = cb_ptr + pid_b * stride_cb_b + pid_c * stride_cb_c + pid_h / ratio * stride_cb_g +
                   m(_, None) * stride_cb_m + offs_k(None, _);
    auto x_first = x_ptr + pid_b * stride_x_b + pid_h * stride_x_h + first * stride_x_l;
    for (auto k : tl.range(0, tl.minimum((pid_m + 1) * BM, limit), BK)) {
      auto is_step = offs_k < chunk_size - k;
      auto cb = tl.load(cb_ptrs, {.mask = (m < chunk_size)(_, None) & is_step(None, _), .other = 0});
      auto da_k = tl.load(da_ptr + dt_offs + k + offs_k, {.mask = is_step, .other = 0});
      auto dt_k = tl.load(dt_ptr + dt_offs + k + offs_k, {.mask = is_step, .other = 0});
      cb = cb * tl.exp(da_m(_, None) - da_k(None, _)) * dt_k(None, _);
      cb = tl.where(m(_, None) >= (k + offs_k)(None, _), cb, 0.0);
      auto x = tl.load(x_first + (k + offs_k)(_, None) * stride_x_l + n(None, _),
                       {.mask = (offs_k < limit - k)(_, None) & (n < n_hdim)(None, _), .other = 0});
      acc = tl.dot(cb.to(x.dtype), x, acc);
      cb_ptrs += BK;
    }

    auto mask = (m < limit)(_, None) & (n < n_hdim)(None, _);
    if (!tl.is_none(d_ptr)) {
      auto residual = tl.load(x_first + m(_, None) * stride_x_l + n(None, _), {.mask = mask, .other = 0});
      acc += residual.to(tl.float32) * tl.load(d_ptr + pid_h * stride_d_h);
    }
    auto out_offs = pid_b * stride_out_b + (first + m)(_, None) * stride_out_l + pid_h * stride_out_h + n(None, _);
    if (!tl.is_none(z_ptr)) {
      tl.store(out_x_ptr + out_offs, acc.to(out_x_ptr.dtype), {.mask = mask});
      auto z = tl.load(z_ptr + pid_b * stride_z_b + (first + m)(_, None) * stride_z_l + pid_h * stride_z_h + n(None, _),
                       {.mask = mask, .other = 0})
                   .to(tl.float32);
      acc *= z * tl.sigmoid(z);
    }
    tl.store(out_ptr + out_offs, acc.to(out_ptr.dtype), {.mask = mask});
  }
};

void chunk_scan_loop(auto& args) {
  auto cb = args["cb"], x = args["x"], z = args["z"], out = args["out"], out_x = args["out_x"], dt = args["dt"];
  auto da = args["da"], c = args["c"], states = args["states"], d = args["d"];
  const int chunk = args("chunk"), dstate = c.size(3), ratio = args("ratio");
  for (int b = 0; b < x.size(0); ++b)
    for (int t = 0; t < x.size(1); ++t)
      for (int h = 0; h < x.size(2); ++h)
        for (int n = 0; n < x.size(3); ++n) {
          const int i = t / chunk, m = t % chunk, g = h / ratio;
          double sum = x(b, t, h, n) * d(h);
          for (int s = 0; s < dstate; ++s) sum += c(b, t, g, s) * states(b, i, h, n * dstate + s) * exp(da(b, h, i, m));
          for (int k = 0; k <= m; ++k)
            sum += cb(b, i, g, m * chunk + k) * exp(da(b, h, i, m) - da(b, h, i, k)) * dt(b, h, i, k) *
                   x(b, i * chunk + k, h, n);
          out_x(b, t, h, n) = sum;
          out(b, t, h, n) = sum * z(b, t, h, n) / (1 + exp(-z(b, t, h, n)));
        }
}

}  // namespace tl::ports
