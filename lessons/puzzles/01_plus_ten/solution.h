// Ten more than x, a block of BLOCK elements a program.  z[i] = x[i] + 10
// case: x=f32[n] z=out:f32[n] n=10 BLOCK=4 grid=cdiv(n, BLOCK) expect='z = x + 10'
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct plus_ten_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, int_ auto n, constexpr_ auto BLOCK) const {
    // Yours.
    auto offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto mask = offs < n;
    auto x = tl.load(x_ptr + offs, {.mask = mask});
    tl.store(z_ptr + offs, x + 10, {.mask = mask});
  }
};

}  // namespace tl::kernels
