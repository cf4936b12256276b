// Says: program 0 makes 2 rounds here and loads nothing in 1 of them
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct turn_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto m, int_ auto n, constexpr_ auto BM,
                  constexpr_ auto BN) const {
    auto mine = tl.program_id(0);
    auto rows = tl.arange(0, BM);
    for (auto p : tl.range(0, tl.num_programs(0))) {
      auto cols = p * BN + tl.arange(0, BN);
      auto mine_too = p == mine;
      auto x = tl.load(x_ptr + rows(_, None) * n + cols(None, _), {.mask = (rows(_, None) < m) & (cols(None,
          _) < n) & mine_too});
      tl.store(y_ptr + cols(_, None) * m + rows(None, _), tl.trans(x), {.mask = (cols(_, None) < n) & (rows(None,
          _) < m) & mine_too});
    }
  }
};

}  // namespace tl::kernels
