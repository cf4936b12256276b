// Right as well: two halves.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct turn_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto m, int_ auto n, constexpr_ auto BM,
                  constexpr_ auto BN) const {
    tl.static_for(2_c, [&](auto half) {
      auto first = tl.program_id(0) * BN + half * (BN / 2_c);
      auto rows = tl.arange(0, BM);
      auto cols = first + tl.arange(0, BN / 2_c);
      auto x = tl.load(x_ptr + rows(_, None) * n + cols(None, _), {.mask = (rows(_, None) < m) & (cols(None, _) < n)});
      tl.store(y_ptr + cols(_, None) * m + rows(None, _), tl.trans(x), {.mask = (cols(_, None) < n) & (rows(None,
          _) < m)});
    });
  }
};

}  // namespace tl::kernels
