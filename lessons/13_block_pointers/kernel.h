// C = A B by block pointers, a block of bm x bn a program.  c[i, j] = sum over l of a[i, l] b[l, j]
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct block_pointers_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, int_ auto m, int_ auto n, int_ auto k,
                  int_ auto stride_am, int_ auto stride_ak, int_ auto stride_bk, int_ auto stride_bn,
                  int_ auto stride_cm, int_ auto stride_cn, constexpr_ auto bm, constexpr_ auto bn,
                  constexpr_ auto bk) const {
    auto row = tl.program_id(0) * bm;  // where its block of C begins
    auto col = tl.program_id(1) * bn;
    auto a_block = tl.make_block_ptr(a_ptr, tl.tuple(m, k), tl.tuple(stride_am, stride_ak), tl.tuple(row, 0),
                                     tl.shape(bm, bk), tl.axes(1_c, 0_c));
    // Yours: the same for b, along k from 0 on and along n from col on; and for c.
    auto acc = tl.zeros(tl.shape(bm, bn), tl.float32);
    for ([[maybe_unused]] auto start : tl.range(0, k, bk)) {
      auto a = tl.load(a_block, {.boundary_check = tl.axes(0_c, 1_c), .padding = tl.zero});
      // Yours: load a block of b, add the product to acc, move both blocks on along k.
    }
    // Yours: store.
  }
};

}  // namespace tl::kernels
