// Turns a picture of three planes (red, green, blue) grey.
// out[i, j] = 0.2989 r[i, j] + 0.5870 g[i, j] + 0.1140 b[i, j]
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct grey_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto out_ptr, int_ auto h, int_ auto w, constexpr_ auto bs0,
                  constexpr_ auto bs1) const {
    auto pid_0 = tl.program_id(0);
    auto pid_1 = tl.program_id(1);

    auto offs_0 = pid_0 * bs0 + tl.arange(0, bs0);       // a column of rows
    auto offs_1 = pid_1 * bs1 + tl.arange(0, bs1);       // a row of columns
    auto offs = w * offs_0(_, None) + offs_1(None, _);   // a matrix

    auto mask_0 = offs_0 < h;
    auto mask_1 = offs_1 < w;
    auto mask = mask_0(_, None) & mask_1(None, _);       // inside on both axes

    auto r = tl.load(x_ptr + 0 * h * w + offs, {.mask = mask});
    auto g = tl.load(x_ptr + 1 * h * w + offs, {.mask = mask});
    auto b = tl.load(x_ptr + 2 * h * w + offs, {.mask = mask});

    auto out = 0.2989 * r + 0.5870 * g + 0.1140 * b;     // fp32, cut to uint8 by the store
    tl.store(out_ptr + offs, out.to(out_ptr.dtype), {.mask = mask});
  }
};

}  // namespace tl::kernels
