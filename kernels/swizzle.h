// Moves element (i, j) of a matrix to where swizzle2d sends program (i, j).  z[swizzle2d(i, j)] = x[i, j]
#pragma once
#include "interp/tl.h"
#include "kernels/offsets.h"

namespace tl::kernels {

struct swizzle_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, constexpr_ auto group_sz) const {
    auto pid_m = tl.program_id(0);
    auto pid_n = tl.program_id(1);
    auto num_pid_m = tl.num_programs(0);
    auto num_pid_n = tl.num_programs(1);

    auto [pid_m_, pid_n_] = tl.swizzle2d(pid_m, pid_n, num_pid_m, num_pid_n, group_sz);

    auto offs_m = get_1d_offset(tl, 1_c, pid_m);
    auto offs_n = get_1d_offset(tl, 1_c, pid_n);
    auto offs = get_2d_offset(tl, offs_m, offs_n, num_pid_n, 1);
    auto mask = get_2d_mask(tl, offs_m, offs_n, num_pid_m, num_pid_n);

    auto offs_sw_m = get_1d_offset(tl, 1_c, pid_m_);
    auto offs_sw_n = get_1d_offset(tl, 1_c, pid_n_);
    auto offs_sw = get_2d_offset(tl, offs_sw_m, offs_sw_n, num_pid_n, 1);
    auto mask_sw = get_2d_mask(tl, offs_sw_m, offs_sw_n, num_pid_m, num_pid_n);

    auto x = tl.load(x_ptr + offs, {.mask = mask});
    tl.store(z_ptr + offs_sw, x, {.mask = mask_sw});
  }
};

}  // namespace tl::kernels
