// C = A B, a block of BM x BN elements a program, programs row by row of blocks.
// c[i, j] = sum over l of a[i, l] b[l, j]
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct matmul_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, int_ auto m, int_ auto n, int_ auto k,
                  int_ auto stride_am, int_ auto stride_ak, int_ auto stride_bk, int_ auto stride_bn,
                  int_ auto stride_cm, int_ auto stride_cn,
                  constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK) const {
    auto pid = tl.program_id(0);
    auto num_pid_n = tl.cdiv(n, BN);
    auto pid_m = pid / num_pid_n;
    auto pid_n = pid % num_pid_n;

    auto offs_m = pid_m * BM + tl.arange(0, BM);
    auto offs_n = pid_n * BN + tl.arange(0, BN);
    auto offs_k = tl.arange(0, BK);
    auto a_ptrs = a_ptr + offs_m(_, None) * stride_am + offs_k(None, _) * stride_ak;
    auto b_ptrs = b_ptr + offs_k(_, None) * stride_bk + offs_n(None, _) * stride_bn;
    auto a_mask = offs_m(_, None) < m;
    auto b_mask = offs_n(None, _) < n;

    auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
    for (auto k_start : tl.range(0, k, BK)) {
      auto k_left = k - k_start;
      auto a = tl.load(a_ptrs, {.mask = a_mask & (offs_k(None, _) < k_left), .other = 0});
      auto b = tl.load(b_ptrs, {.mask = b_mask & (offs_k(_, None) < k_left), .other = 0});
      acc = tl.dot(a, b, acc, tl.ieee);  // ieee: f32 inputs are multiplied as they are, not as tf32
      a_ptrs += BK * stride_ak;
      b_ptrs += BK * stride_bk;
    }

    auto c_ptrs = c_ptr + offs_m(_, None) * stride_cm + offs_n(None, _) * stride_cn;
    tl.store(c_ptrs, acc.to(c_ptr.dtype), {.mask = a_mask & b_mask});
  }
};

}  // namespace tl::kernels
