// C = A B, a tile of bm x bn a program, and what it is tuned by.  c[i, j] = sum over l of a[i, l] b[l, j]
// case: a=f16[m, k]:normal b=f16[k, n]:normal c=out:f16[m, n] m=256 n=256 k=256 bm=32 bn=32 bk=32 stages=4
// case: stride_am=k stride_ak=1 stride_bk=n stride_bn=1 stride_cm=n stride_cn=1 grid='cdiv(m, bm) * cdiv(n, bn)'
// case: expect='c = dot(a, b)'
// Yours: three configs at most, and the key. As it stands one config serves all sizes, and a winner holds for its m.
// case: configs='bm=32 bn=32 bk=64 warps=4; bm=64 bn=64 bk=128 warps=4; bm=128 bn=64 bk=64 warps=4'
// case: config_key='m, n, k'
#pragma once
#include "interp/tl.h"
#include "kernels/offsets.h"

namespace tl::kernels {

struct tuned_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, int_ auto m, int_ auto n, int_ auto k,
                  int_ auto stride_am, int_ auto stride_ak, int_ auto stride_bk, int_ auto stride_bn,
                  int_ auto stride_cm, int_ auto stride_cn, constexpr_ auto bm, constexpr_ auto bn,
                  constexpr_ auto bk) const {
    auto rm = get_1d_offset(tl, bm, tl.program_id(0) / tl.cdiv(n, bn));
    auto rn = get_1d_offset(tl, bn, tl.program_id(0) % tl.cdiv(n, bn));
    auto rk = get_1d_offset(tl, bk, 0);
    auto a_ptrs = a_ptr + get_2d_offset(tl, rm, rk, stride_am, stride_ak);
    auto b_ptrs = b_ptr + get_2d_offset(tl, rk, rn, stride_bk, stride_bn);
    auto acc = tl.zeros(tl.shape(bm, bn), tl.float32);
    for (auto k_start : tl.range(0, k, bk)) {
      auto a = tl.load(a_ptrs, {.mask = get_2d_mask(tl, rm, rk, m, k - k_start), .other = 0});
      auto b = tl.load(b_ptrs, {.mask = get_2d_mask(tl, rk, rn, k - k_start, n), .other = 0});
      acc = tl.dot(a, b, acc);
      a_ptrs += bk * stride_ak;
      b_ptrs += bk * stride_bk;
    }
    auto c_ptrs = c_ptr + get_2d_offset(tl, rm, rn, stride_cm, stride_cn);
    tl.store(c_ptrs, acc.to(c_ptr.dtype), {.mask = get_2d_mask(tl, rm, rn, m, n)});
  }
};

}  // namespace tl::kernels
