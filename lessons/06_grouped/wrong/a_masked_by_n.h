// Says: nobody loads a[60, 0]
#pragma once
#include "interp/tl.h"
#include "kernels/offsets.h"

namespace tl::kernels {

struct grouped_matmul_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, int_ auto m, int_ auto n, int_ auto k,
                  int_ auto stride_am, int_ auto stride_ak, int_ auto stride_bk, int_ auto stride_bn,
                  int_ auto stride_cm, int_ auto stride_cn,
                  constexpr_ auto bm, constexpr_ auto bn, constexpr_ auto bk, constexpr_ auto group_size) const {
    auto pid = tl.program_id(0);
    auto num_pid_m = tl.cdiv(m, bm);
    auto num_pid_n = tl.cdiv(n, bn);
    auto pid_m = pid / num_pid_n;  // row by row of blocks
    auto pid_n = pid % num_pid_n;
    // Yours: pid_m and pid_n in groups of group_size rows of blocks, without tl.swizzle2d. The last group may have
    // fewer rows.
    auto per_group = group_size * num_pid_n;  // programs
    auto first = pid / per_group * group_size;  // the group's first row of blocks
    auto rows = tl.minimum(num_pid_m - first, group_size);
    pid_m = first + pid % per_group % rows;
    pid_n = pid % per_group / rows;

    auto rm = get_1d_offset(tl, bm, pid_m);
    auto rn = get_1d_offset(tl, bn, pid_n);
    auto rk = get_1d_offset(tl, bk, 0);
    auto a_ptrs = a_ptr + get_2d_offset(tl, rm, rk, stride_am, stride_ak);
    auto b_ptrs = b_ptr + get_2d_offset(tl, rk, rn, stride_bk, stride_bn);
    auto acc = tl.zeros(tl.shape(bm, bn), tl.float32);
    for (auto k_start : tl.range(0, k, bk)) {
      auto a = tl.load(a_ptrs, {
          .mask = get_2d_mask(tl, rm, rk, n, k - k_start),
          .other = 0,
      });
      auto b = tl.load(b_ptrs, {.mask = get_2d_mask(tl, rk, rn, k - k_start, n), .other = 0});
      acc = tl.dot(a, b, acc, tl.ieee);
      a_ptrs += bk * stride_ak;
      b_ptrs += bk * stride_bk;
    }
    auto c_ptrs = c_ptr + get_2d_offset(tl, rm, rn, stride_cm, stride_cn);
    tl.store(c_ptrs, acc.to(c_ptr.dtype), {.mask = get_2d_mask(tl, rm, rn, m, n)});
  }
};

}  // namespace tl::kernels
