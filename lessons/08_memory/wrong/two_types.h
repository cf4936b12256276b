// Says: refused by CUDA's compiler
// Needs NVRTC.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct turn_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto m, int_ auto n, constexpr_ auto BM,
                  constexpr_ auto BN) const {
    auto first = tl.program_id(0) * BN;
    auto rows = tl.arange(0, BM);
    // Right, and slow: one column after the other. Yours: the same by loads and stores whose neighbouring lanes are
    // neighbours in memory.
    auto cols = first + tl.arange(0, BN), next = first + BN;
    auto x = tl.load(x_ptr + rows(_, None) * n + cols(None, _), {.mask = (rows(_, None) < m) & (cols(None, _) < n)});
    tl.store(y_ptr + cols(_, None) * m + rows(None, _), tl.trans(x),
             {.mask = (cols(_, None) < n) & (rows(None, _) < m)});
  }
};

}  // namespace tl::kernels
