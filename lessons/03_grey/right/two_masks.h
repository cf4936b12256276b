// Right as well: two masks.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

// One block of the picture: three loads, a weighted sum, one store. The planes of x follow each other, `plane` elements
// apart.
void grey_block(auto& tl, ptr auto x_ptr, ptr auto out_ptr, auto plane, auto offs, auto mask) {
  auto r = tl.load(x_ptr + 0 * plane + offs, {.mask = mask});
  auto g = tl.load(x_ptr + 1 * plane + offs, {.mask = mask});
  auto b = tl.load(x_ptr + 2 * plane + offs, {.mask = mask});
  auto out = 0.2989 * r + 0.5870 * g + 0.1140 * b;
  tl.store(out_ptr + offs, out.to(out_ptr.dtype), {.mask = mask});
}

// h rows of w pixels; a row begins `stride` elements after the one above it, in x and in out.
struct grey_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto out_ptr, int_ auto h, int_ auto w, int_ auto stride,
                  constexpr_ auto bs0, constexpr_ auto bs1) const {
    auto offs_0 = tl.program_id(0) * bs0 + tl.arange(0, bs0);  // the block's rows
    auto offs_1 = tl.program_id(1) * bs1 + tl.arange(0, bs1);  // the block's columns
    // Yours: offs and mask, both bs0 x bs1, and a call: grey_block(tl, x_ptr, out_ptr, h * stride, offs, mask);
    auto offs = offs_0(_, None) * stride + offs_1(None, _);
    auto rows = offs_0 < h;
    auto cols = offs_1 < w;
    auto mask = rows(_, None) & cols(None, _);
    grey_block(tl, x_ptr, out_ptr, h * stride, offs, mask);
  }
};

}  // namespace tl::kernels
