// C = A B, each block asked for a round before it is multiplied.  c[i, j] = sum over l of a[i, l] b[l, j]
#pragma once
#include "interp/tl.h"
#include "kernels/offsets.h"

namespace tl::kernels {

struct pipelined_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, int_ auto m, int_ auto n, int_ auto k,
                  int_ auto stride_am, int_ auto stride_ak, int_ auto stride_bk, int_ auto stride_bn,
                  int_ auto stride_cm, int_ auto stride_cn, constexpr_ auto bm, constexpr_ auto bn,
                  constexpr_ auto bk) const {
    auto rm = get_1d_offset(tl, bm, tl.program_id(0));
    auto rn = get_1d_offset(tl, bn, tl.program_id(1));
    auto rk = get_1d_offset(tl, bk, 0);
    auto a_ptrs = a_ptr + get_2d_offset(tl, rm, rk, stride_am, stride_ak);
    auto b_ptrs = b_ptr + get_2d_offset(tl, rk, rn, stride_bk, stride_bn);
    auto acc = tl.zeros(tl.shape(bm, bn), tl.float32);
    auto a = tl.load(a_ptrs, {.mask = get_2d_mask(tl, rm, rk, m, k), .other = 0});  // fill
    auto b = tl.load(b_ptrs, {.mask = get_2d_mask(tl, rk, rn, k, n), .other = 0});
    for (auto k_start : tl.range(bk, k, bk)) {  // steady: of the block that is asked for
      a_ptrs += bk * stride_ak;
      b_ptrs += bk * stride_bk;
      auto next_a = tl.load(a_ptrs, {.mask = get_2d_mask(tl, rm, rk, m, k - k_start), .other = 0});
      auto next_b = tl.load(b_ptrs, {.mask = get_2d_mask(tl, rk, rn, k - k_start, n), .other = 0});
      acc = tl.dot(a, b, acc, tl.ieee);
      a = next_a;
      b = next_b;
    }
    acc = tl.dot(a, b, acc, tl.ieee);  // drain
    auto c_ptrs = c_ptr + get_2d_offset(tl, rm, rn, stride_cm, stride_cn);
    tl.store(c_ptrs, acc.to(c_ptr.dtype), {.mask = get_2d_mask(tl, rm, rn, m, n)});
  }
};

}  // namespace tl::kernels
