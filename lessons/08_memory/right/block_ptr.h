// Right as well: block ptr.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct turn_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto m, int_ auto n, constexpr_ auto BM,
                  constexpr_ auto BN) const {
    auto first = tl.program_id(0) * BN;
    auto from = tl.make_block_ptr(x_ptr, tl.tuple(m, n), tl.tuple(n, 1), tl.tuple(0, first), tl.shape(BM, BN),
        tl.axes(1_c, 0_c));
    auto to = tl.make_block_ptr(y_ptr, tl.tuple(n, m), tl.tuple(m, 1), tl.tuple(first, 0), tl.shape(BN, BM),
        tl.axes(1_c, 0_c));
    auto x = tl.load(from, {.boundary_check = tl.axes(0_c, 1_c), .padding = tl.zero});
    tl.store(to, tl.trans(x), {.boundary_check = tl.axes(0_c, 1_c)});
  }
};

}  // namespace tl::kernels
