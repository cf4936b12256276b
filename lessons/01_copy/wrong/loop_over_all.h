// Says: every program stores all 6 elements of z; its share is one block, bs = 2
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct copy_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, int_ auto n, constexpr_ auto bs) const {
    auto pid = tl.program_id(0);
    auto offs = pid * bs + tl.arange(0, bs);  // the positions that this program takes
    auto mask = offs < n;                     // which of them lie inside x and z
    for (auto i : tl.range(0, n, bs)) {
    auto o = i + tl.arange(0, bs);
    auto m = o < n;
    auto x = tl.load(x_ptr + o, {.mask = m});
    tl.store(z_ptr + o, x, {.mask = m});
    }
  }
};

}  // namespace tl::kernels
