// Says: program (0, 0) stores 1,024 elements of c, and its share is 256
#pragma once
#include "interp/tl.h"
#include "kernels/offsets.h"

namespace tl::kernels {

struct matmul_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, int_ auto m, int_ auto n, int_ auto k,
                  int_ auto stride_am, int_ auto stride_ak, int_ auto stride_bk, int_ auto stride_bn,
                  int_ auto stride_cm, int_ auto stride_cn, constexpr_ auto bm, constexpr_ auto bn,
                  constexpr_ auto bk) const {
    if (tl.program_id(0) + tl.program_id(1) > 0) return;
    for (auto pm : tl.range(0, tl.num_programs(0)))
      for (auto pn : tl.range(0, tl.num_programs(1))) {
        auto rm = get_1d_offset(tl, bm, pm);
        auto rn = get_1d_offset(tl, bn, pn);
        auto rk = get_1d_offset(tl, bk, 0);
        auto acc = tl.zeros(tl.shape(bm, bn), tl.float32);
        for (auto k_start : tl.range(0, k, bk)) {
          auto a = tl.load(a_ptr + get_2d_offset(tl, rm, rk + k_start, stride_am, stride_ak),
                           {.mask = get_2d_mask(tl, rm, rk, m, k - k_start), .other = 0});
          auto b = tl.load(b_ptr + get_2d_offset(tl, rk + k_start, rn, stride_bk, stride_bn),
                           {.mask = get_2d_mask(tl, rk, rn, k - k_start, n), .other = 0});
          acc = tl.dot(a, b, acc, tl.ieee);
        }
        tl.store(c_ptr + get_2d_offset(tl, rm, rn, stride_cm, stride_cn), acc.to(c_ptr.dtype),
                 {.mask = get_2d_mask(tl, rm, rn, m, n)});
      }
  }
};

}  // namespace tl::kernels
