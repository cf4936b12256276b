// Says: lane 2 of program 2 stands at position 10, beyond the end, and takes e
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
    auto x = tl.load(x_ptr + offs % n);
    auto y = tl.load(y_ptr + offs, {
        .mask = mask,
    });
    tl.store(z_ptr + offs, x + y, {
        .mask = mask,
    });
  }
};

}  // namespace tl::kernels
