// Right as well: helper.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

auto mine(auto& tl, auto pid, constexpr_ auto size) { return pid * size + tl.arange(0, size); }

struct copy_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, int_ auto n, constexpr_ auto bs) const {
    auto pid = tl.program_id(0);
    auto offs = mine(tl, pid, bs);
    auto mask = offs < n;                     // which of them lie inside x and z
    auto x = tl.load(x_ptr + offs, {.mask = mask});
    tl.store(z_ptr + offs, x, {.mask = mask});
  }
};

}  // namespace tl::kernels
