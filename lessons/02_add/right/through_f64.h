// Right as well: through f64.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct add_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, ptr auto z_ptr, int_ auto n, constexpr_ auto bs) const {
    auto pid = tl.program_id(0);
    auto offs = pid * bs + tl.arange(0, bs);
    // Yours: n need not be a multiple of bs. Which lanes lie inside? Between the braces, .mask = ... keeps the others
    // from memory.
    auto mask = offs < n;
    auto x = tl.load(x_ptr + offs, {
        .mask = mask,
    });
    auto y = tl.load(y_ptr + offs, {
        .mask = mask,
    });
    tl.store(z_ptr + offs, (x.to(tl.float64) + y.to(tl.float64)).to(tl.float32), {
        .mask = mask,
    });
  }
};

}  // namespace tl::kernels
