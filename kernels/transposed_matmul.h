// Z = X Y, Y stored n x k for coalesced loads, its blocks turned back for the dot.
// z[i, j] = sum over l of x[i, l] y[j, l]
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct transposed_matmul_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, ptr auto z_ptr, int_ auto m, int_ auto n, int_ auto k,
                  int_ auto x_stride_m, int_ auto x_stride_k, int_ auto y_stride_n, int_ auto y_stride_k,
                  int_ auto z_stride_m, int_ auto z_stride_n, constexpr_ auto BM, constexpr_ auto BN,
                  constexpr_ auto BK) const {
    auto m_idx = tl.program_id(0);
    auto n_idx = tl.program_id(1);

    auto x_block_ptr = tl.make_block_ptr(x_ptr, tl.tuple(m, k), tl.tuple(x_stride_m, x_stride_k),
                                         tl.tuple(m_idx * BM, 0), tl.shape(BM, BK), tl.axes(1_c, 0_c));
    // shape, strides and offsets are those of Y transposed
    auto y_block_ptr = tl.make_block_ptr(y_ptr, tl.tuple(n, k), tl.tuple(y_stride_n, y_stride_k),
                                         tl.tuple(n_idx * BN, 0), tl.shape(BN, BK), tl.axes(1_c, 0_c));
    auto z_block_ptr = tl.make_block_ptr(z_ptr, tl.tuple(m, n), tl.tuple(z_stride_m, z_stride_n),
                                         tl.tuple(m_idx * BM, n_idx * BN), tl.shape(BM, BN), tl.axes(1_c, 0_c));

    auto z_acc = tl.zeros(tl.shape(BM, BN), tl.float32);
    for ([[maybe_unused]] auto k_start : tl.range(0, k, BK)) {
      auto x = tl.load(x_block_ptr, {.boundary_check = tl.axes(0_c, 1_c), .padding = tl.zero});
      auto y = tl.load(y_block_ptr, {.boundary_check = tl.axes(0_c, 1_c), .padding = tl.zero});
      z_acc = tl.dot(x, tl.trans(y), z_acc);  // y as it is in Y: BK x BN
      x_block_ptr = tl.advance(x_block_ptr, tl.tuple(0, BK));
      y_block_ptr = tl.advance(y_block_ptr, tl.tuple(0, BK));
    }
    tl.store(z_block_ptr, z_acc.to(z_ptr.dtype), {.boundary_check = tl.axes(0_c, 1_c)});
  }
};

}  // namespace tl::kernels
