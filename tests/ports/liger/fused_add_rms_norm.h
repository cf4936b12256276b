// A residual is added, then rows are normalized by their root mean square; and the backward pass, some rows a program.
// CASTING: -1 all in the rows' dtype, 0 as Llama has it, 1 as Gemma.
// After src/liger_kernel/ops/fused_add_rms_norm.py of linkedin/Liger-Kernel at 0ece4877f214.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case fused_add_rms_norm_kernel: rows=7 cols=300 x=bf16[rows,cols]:normal r=bf16[rows,cols]:normal w=bf16[cols]
// case fused_add_rms_norm_kernel: y=out:bf16[rows,cols] s=out:bf16[rows,cols] rstd=out:f32[rows] stride=cols
// case fused_add_rms_norm_kernel: n_cols=cols eps=1e-6 offset=1.0 CASTING=0 BLOCK=512 grid=rows tolerance=3e-2
// case fused_add_rms_norm_kernel: expect=fused_add_rms_norm_loop
struct fused_add_rms_norm_kernel {
  void operator()(auto& tl, ptr auto y_ptr, ptr auto s_ptr, ptr auto x_ptr, ptr auto r_ptr, ptr auto w_ptr,
                  ptr auto rstd_ptr, int_ auto stride, int_ auto n_cols, float_ auto eps, float_ auto offset,
                  constexpr_ auto CASTING, constexpr_ auto BLOCK) const {
    auto row = tl.program_id(0);
    auto cols = tl.arange(0, BLOCK);
    auto mask = cols < n_cols;
    auto offs = row * stride + cols;
    auto s = tl.load(x_ptr + offs, {.mask = mask, .other = 0}) + tl.load(r_ptr + offs, {.mask = mask, .other = 0});
    tl.store(s_ptr + offs, s, {.mask = mask});
    auto w = tl.load(w_ptr + cols, {.mask = mask, .other = 0});
    auto wide = tl.static_if(CASTING >= 0_c, [&](auto& tl) { return s.to(tl.float32); }, [&](auto&) { return s; });
    auto rstd = tl.rsqrt(tl.sum(wide * wide, 0) / n_cols + eps);
    tl.store(rstd_ptr + row, rstd.to(rstd_ptr.dtype));
    auto normal = tl.static_if(
        CASTING == 0_c, [&](auto&) { return (wide * rstd).to(s.dtype); }, [&](auto&) { return wide * rstd; });
    tl.store(y_ptr + offs, (normal * (offset + w)).to(y_ptr.dtype), {.mask = mask});
  }
};

void fused_add_rms_norm_loop(auto& args) {
  auto x = args["x"], r = args["r"], y = args["y"], s = args["s"], rstd = args["rstd"];
  const int cols = x.size(1);
  for (int i = 0; i < x.size(0); ++i) {
    double squares = 0;
    for (int j = 0; j < cols; ++j) {
      s(i, j) = x(i, j) + r(i, j);
      squares += s(i, j) * s(i, j);
    }
    rstd(i) = 1 / sqrt(squares / cols + args("eps"));
    for (int j = 0; j < cols; ++j) y(i, j) = s(i, j) * rstd(i) * (args("offset") + args["w"](j));
  }
}

// case fused_add_rms_norm_backward_kernel: rows=11 cols=300 programs=3 dy=f16[rows,cols] ds=f16[rows,cols]
// case fused_add_rms_norm_backward_kernel: dx=out:f16[rows,cols] x=f16[rows,cols]:normal w=f16[cols]
// case fused_add_rms_norm_backward_kernel: rstd=f32[rows]:uniform(0.5,1.5) dw=out:f32[programs,cols] stride=cols
// case fused_add_rms_norm_backward_kernel: n_rows=rows n_cols=cols offset=1.0 ROWS=4 CASTING=1 BLOCK=512 grid=programs
// case fused_add_rms_norm_backward_kernel: tolerance=3e-3 expect=fused_add_rms_norm_backward_loop
struct fused_add_rms_norm_backward_kernel {
  void operator()(auto& tl, ptr auto dy_ptr, ptr auto ds_ptr, ptr auto dx_ptr, ptr auto x_ptr, ptr auto w_ptr,
                  ptr auto rstd_ptr, ptr auto dw_ptr, int_ auto stride, int_ auto n_rows, int_ auto n_cols,
                  float_ auto offset, constexpr_ auto ROWS, constexpr_ auto CASTING, constexpr_ auto BLOCK) const {
    auto pid = tl.program_id(0);
    auto cols = tl.arange(0, BLOCK);
    auto mask = cols < n_cols;
    auto dw = tl.zeros(tl.shape(BLOCK), tl.float32);
    auto w = tl.load(w_ptr + cols, {.mask = mask, .other = 0}) + offset;
    for (auto row : tl.range(pid * ROWS, tl.minimum((pid + 1) * ROWS, n_rows))) {
      auto offs = row * stride + cols;
      auto dy = tl.load(dy_ptr + offs, {.mask = mask, .other = 0});
      auto x = tl.load(x_ptr + offs, {.mask = mask, .other = 0}).to(tl.float32);
      auto rstd = tl.load(rstd_ptr + row);
      auto m = tl.static_if(
          CASTING == 1_c, [&](auto& tl) { return dy.to(tl.float32) * w; },
          [&](auto& tl) { return (dy * w).to(tl.float32); });
      auto dx = rstd * m - rstd * rstd * rstd / n_cols * tl.sum(m * x, 0) * x;
      if (!tl.is_none(ds_ptr)) dx += tl.load(ds_ptr + offs, {.mask = mask, .other = 0}).to(tl.float32);
      auto xhat = x * rstd;
      if (CASTING == 0_c) xhat = xhat.to(dx_ptr.dtype).to(tl.float32);
      dw += dy * xhat;
      tl.store(dx_ptr + offs, dx.to(dx_ptr.dtype), {.mask = mask});
    }
    tl.store(dw_ptr + pid * stride + cols, dw, {.mask = mask});
  }
};

void fused_add_rms_norm_backward_loop(auto& args) {
  auto dy = args["dy"], ds = args["ds"], dx = args["dx"], x = args["x"], w = args["w"], dw = args["dw"];
  const int cols = x.size(1), each = args("ROWS");
  for (int p = 0; p < dw.size(0); ++p)
    for (int j = 0; j < cols; ++j) dw(p, j) = 0;
  for (int i = 0; i < x.size(0); ++i) {
    const double rstd = args["rstd"](i);
    double dot = 0;
    for (int j = 0; j < cols; ++j) dot += dy(i, j) * (w(j) + args("offset")) * x(i, j);
    for (int j = 0; j < cols; ++j) {
      dx(i, j) = rstd * (dy(i, j) * (w(j) + args("offset")) - rstd * rstd * dot / cols * x(i, j)) + ds(i, j);
      dw(i / each, j) += dy(i, j) * x(i, j) * rstd;
    }
  }
}

}  // namespace tl::ports
