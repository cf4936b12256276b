// Right as well: pointers first.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct copy_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, int_ auto n, constexpr_ auto bs) const {
    auto begin = tl.program_id(0) * bs;
    auto lanes = tl.arange(0, bs);
    x_ptr += begin;
    z_ptr += begin;
    auto mask = lanes < n - begin;
    tl.store(z_ptr + lanes, tl.load(x_ptr + lanes, {.mask = mask}), {.mask = mask});
  }
};

}  // namespace tl::kernels
