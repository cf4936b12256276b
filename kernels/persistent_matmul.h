// C = A B by persistent programs: descriptors, an epilogue in two halves.
// c[i, j] = sum over l of a[i, l] b[l, j]
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

// Block row and block column of tile number tile_id, in groups of GROUP_SIZE rows of blocks.
auto grouped_tile(auto& tl, auto tile_id, auto num_pid_m, auto num_pid_n, constexpr_ auto GROUP_SIZE) {
  return tl.swizzle2d(tile_id / num_pid_n, tile_id % num_pid_n, num_pid_m, num_pid_n, GROUP_SIZE);
}

// B_IS_NK: B is stored n x k, as a linear layer's weight is; otherwise k x n.
struct persistent_matmul_kernel {
  void operator()(auto& tl, descriptor auto a_desc, descriptor auto b_desc, descriptor auto c_desc,
                  int_ auto m, int_ auto n, int_ auto k, constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK,
                  constexpr_ auto GROUP_SIZE, constexpr_ auto B_IS_NK) const {
    auto num_pid_m = tl.cdiv(m, BM);
    auto num_pid_n = tl.cdiv(n, BN);
    auto start_pid = tl.program_id(0);
    auto num_programs = tl.num_programs(0);

    // The epilogue counts its tiles by itself, so that the next tile's loads need not wait for it.
    auto tile_id_c = start_pid - num_programs;
    for (auto tile_id : tl.range(start_pid, num_pid_m * num_pid_n, num_programs)) {
      auto [pid_m, pid_n] = grouped_tile(tl, tile_id, num_pid_m, num_pid_n, GROUP_SIZE);
      auto offs_m = pid_m * BM;
      auto offs_n = pid_n * BN;

      auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
      for (auto offs_k : tl.range(0, k, BK)) {
        auto a = a_desc.load({offs_m, offs_k});
        auto b = tl.static_if(B_IS_NK, [&] { return tl.trans(b_desc.load({offs_n, offs_k})); },
                                       [&] { return b_desc.load({offs_k, offs_n}); });
        acc = tl.dot(a, b, acc);
      }

      tile_id_c += num_programs;
      auto [pid_m_c, pid_n_c] = grouped_tile(tl, tile_id_c, num_pid_m, num_pid_n, GROUP_SIZE);
      auto offs_cm = pid_m_c * BM;
      auto offs_cn = pid_n_c * BN;
      auto [left, right] = tl.split(tl.permute(tl.reshape(acc, tl.shape(BM, 2_c, BN / 2_c)), tl.axes(0_c, 2_c, 1_c)));
      c_desc.store({offs_cm, offs_cn}, left.to(c_desc.dtype));
      c_desc.store({offs_cm, offs_cn + BN / 2_c}, right.to(c_desc.dtype));
    }
  }
};

}  // namespace tl::kernels
