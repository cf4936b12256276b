// Right as well: flat lanes.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct turn_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto m, int_ auto n, constexpr_ auto BM,
                  constexpr_ auto BN) const {
    auto first = tl.program_id(0) * BN;
    auto lanes = tl.arange(0, BM * BN);
    auto i = lanes / BN;
    auto j = first + lanes % BN;
    auto x = tl.load(x_ptr + i * n + j, {.mask = (i < m) & (j < n)});
    auto turned = tl.reshape(tl.trans(tl.reshape(x, tl.shape(BM, BN))), tl.shape(BM * BN));
    auto c = first + lanes / BM;
    auto r = lanes % BM;
    tl.store(y_ptr + c * m + r, turned, {.mask = (c < n) & (r < m)});
  }
};

}  // namespace tl::kernels
