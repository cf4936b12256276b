// Layer normalization, backward: rows add their share of the weights' gradients under a lock, in few buffers.
// After python/tutorials/05-layer-norm.py of triton-lang/triton at 0a99ae9ad2f7.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case layernorm_backward_dx_kernel: rows=37 cols=200 groups=8 x=f16[rows,cols]:normal dy=f16[rows,cols]:normal
// case layernorm_backward_dx_kernel: w=f16[cols] mean=f32[rows]:uniform(-0.1,0.1) rstd=f32[rows]:uniform(0.5,1.5)
// case layernorm_backward_dx_kernel: dx=out:f16[rows,cols] dw=out:f32[groups,cols] db=out:f32[groups,cols]
// case layernorm_backward_dx_kernel: lock=inout:i32[2*groups]:zeros stride=cols n_cols=cols GROUP_SIZE_M=groups
// case layernorm_backward_dx_kernel: BLOCK=256 grid=rows tolerance=4e-3 expect=layernorm_backward_dx_loop
struct layernorm_backward_dx_kernel {
  void operator()(auto& tl, ptr auto dx_ptr, ptr auto dy_ptr, ptr auto dw_ptr, ptr auto db_ptr, ptr auto x_ptr,
                  ptr auto w_ptr, ptr auto mean_ptr, ptr auto rstd_ptr, ptr auto lock_ptr, int_ auto stride,
                  int_ auto n_cols, constexpr_ auto GROUP_SIZE_M, constexpr_ auto BLOCK) const {
    auto row = tl.program_id(0);
    auto cols = tl.arange(0, BLOCK);
    auto mask = cols < n_cols;
    auto x = tl.load(x_ptr + row * stride + cols, {.mask = mask, .other = 0}).to(tl.float32);
    auto dy = tl.load(dy_ptr + row * stride + cols, {.mask = mask, .other = 0}).to(tl.float32);
    auto w = tl.load(w_ptr + cols, {.mask = mask, .other = 0}).to(tl.float32);
    auto rstd = tl.load(rstd_ptr + row);

    auto xhat = tl.where(mask, (x - tl.load(mean_ptr + row)) * rstd, 0.0);
    auto wdy = w * dy;
    auto c1 = tl.sum(xhat * wdy, 0) / n_cols;
    auto c2 = tl.sum(wdy, 0) / n_cols;
    auto dx = (wdy - (xhat * c1 + c2)) * rstd;
    tl.store(dx_ptr + row * stride + cols, dx.to(dx_ptr.dtype), {.mask = mask});

    auto lock = lock_ptr + row % GROUP_SIZE_M;
    auto count = lock + GROUP_SIZE_M;  // whether the buffer holds anything
    auto dw_ptrs = dw_ptr + (row % GROUP_SIZE_M) * n_cols + cols;
    auto db_ptrs = db_ptr + (row % GROUP_SIZE_M) * n_cols + cols;
    auto partial_dw = dy * xhat;
    auto partial_db = dy;
    while (tl.atomic_cas(lock, 0, 1) == 1) {
    }
    if (tl.load(count) == 0) {
      tl.atomic_xchg(count, 1);
    } else {
      partial_dw += tl.load(dw_ptrs, {.mask = mask, .other = 0});
      partial_db += tl.load(db_ptrs, {.mask = mask, .other = 0});
    }
    tl.store(dw_ptrs, partial_dw, {.mask = mask});
    tl.store(db_ptrs, partial_db, {.mask = mask});
    tl.atomic_xchg(lock, 0);
  }
};

void layernorm_backward_dx_loop(auto& args) {
  auto x = args["x"], dy = args["dy"], w = args["w"], dx = args["dx"], dw = args["dw"], db = args["db"];
  auto lock = args["lock"], mean = args["mean"], rstd = args["rstd"];
  const int cols = args("cols"), groups = args("groups");
  for (int g = 0; g < groups; ++g) {
    lock(groups + g) = 1;  // and the lock is free again
    for (int j = 0; j < cols; ++j) dw(g, j) = db(g, j) = 0;
  }
  for (int i = 0; i < x.size(0); ++i) {
    double c1 = 0, c2 = 0;
    for (int j = 0; j < cols; ++j) {
      const double xhat = (x(i, j) - mean(i)) * rstd(i);
      c1 += xhat * w(j) * dy(i, j) / cols;
      c2 += w(j) * dy(i, j) / cols;
      dw(i % groups, j) += dy(i, j) * xhat;
      db(i % groups, j) += dy(i, j);
    }
    for (int j = 0; j < cols; ++j) dx(i, j) = (w(j) * dy(i, j) - (x(i, j) - mean(i)) * rstd(i) * c1 - c2) * rstd(i);
  }
}

// case layernorm_backward_dwdb_kernel: groups=37 cols=200 dw=f16[groups,cols] db=f32[groups,cols]
// case layernorm_backward_dwdb_kernel: final_dw=out:f32[cols] final_db=out:f32[cols] m=groups n=cols BM=16 BN=64
// case layernorm_backward_dwdb_kernel: grid=cdiv(cols,BN) tolerance=1e-5 expect=layernorm_backward_dwdb_loop
struct layernorm_backward_dwdb_kernel {
  void operator()(auto& tl, ptr auto dw_ptr, ptr auto db_ptr, ptr auto final_dw_ptr, ptr auto final_db_ptr, int_ auto m,
                  int_ auto n, constexpr_ auto BM, constexpr_ auto BN) const {
    auto cols = tl.program_id(0) * BN + tl.arange(0, BN);
    auto dw = tl.zeros(tl.shape(BM, BN), tl.float32);
    auto db = tl.zeros(tl.shape(BM, BN), tl.float32);
    for (auto i : tl.range(0, m, BM)) {
      auto rows = i + tl.arange(0, BM);
      auto mask = (rows(_, None) < m) & (cols(None, _) < n);
      auto offs = rows(_, None) * n + cols(None, _);
      dw += tl.load(dw_ptr + offs, {.mask = mask, .other = 0});
      db += tl.load(db_ptr + offs, {.mask = mask, .other = 0});
    }
    tl.store(final_dw_ptr + cols, tl.sum(dw, 0), {.mask = cols < n});
    tl.store(final_db_ptr + cols, tl.sum(db, 0), {.mask = cols < n});
  }
};

void layernorm_backward_dwdb_loop(auto& args) {
  auto dw = args["dw"], db = args["db"], final_dw = args["final_dw"], final_db = args["final_db"];
  for (int j = 0; j < dw.size(1); ++j) {
    final_dw(j) = final_db(j) = 0;
    for (int i = 0; i < dw.size(0); ++i) {
      final_dw(j) += dw(i, j);
      final_db(j) += db(i, j);
    }
  }
}

}  // namespace tl::ports
