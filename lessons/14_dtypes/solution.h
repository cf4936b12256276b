// A matrix times a vector, BM rows a program, in steps of BN columns.  y[i] = sum over j of x[i, j] v[j], in f32
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct matvec_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto v_ptr, ptr auto y_ptr, int_ auto m, int_ auto n,
                  constexpr_ auto BM, constexpr_ auto BN) const {
    auto i = tl.program_id(0) * BM + tl.arange(0, BM);
    auto acc = tl.zeros(tl.shape(BM), tl.float32);
    for (auto start : tl.range(0, n, BN)) {
      auto j = start + tl.arange(0, BN);
      auto mask = (i < m)(_, None) & (j < n)(None, _);
      auto x = tl.load(x_ptr + i(_, None) * n + j(None, _), {.mask = mask, .other = 0}).to(tl.float32);
      auto v = tl.load(v_ptr + j, {.mask = j < n, .other = 0}).to(tl.float32);
      acc += tl.sum(x * v(None, _), 1_c);
    }
    tl.store(y_ptr + i, acc.to(y_ptr.dtype), {.mask = i < m});
  }
};

}  // namespace tl::kernels
