// A product whose last tiles are cut between programs by rounds of k, not by tiles: a program that ends a tile begun by
// another leaves its sum and sets a lock; who began the tile waits, and adds up.
// After python/perf-kernels/streamk/streamk_kernel.py of ROCm/triton at 6b49006b0394.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

auto grouped_tile(auto& tl, auto tile, auto num_pid_m, auto num_pid_n, constexpr_ auto GROUP_M) {
  auto first_m = tile / (GROUP_M * num_pid_n) * GROUP_M;
  auto rows = tl.minimum(num_pid_m - first_m, GROUP_M);
  auto pid_m = first_m + tile % (GROUP_M * num_pid_n) % rows;
  auto pid_n = tile % (GROUP_M * num_pid_n) / rows;
  return tl.tuple(pid_m, pid_n);
}

// case: m=44 n=60 k=72 a=f16[m,k] b=f16[k,n] c=out:f16[m,n] p=inout:f32[4,256]:zeros locks=inout:i32[4]:zeros
// case: bias=f16[m] m_rows=m n_cols=n k_rows=k stride_am=k stride_ak=1 stride_bk=n stride_bn=1 stride_cm=n stride_cn=1
// case: BM=16 BN=16 BK=16 GROUP_M=2 NUM_SMS=4 STREAMK_TILES=7 grid=NUM_SMS tolerance=2e-3 expect=streamk_loop
struct streamk_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, ptr auto bias_ptr, ptr auto p_ptr,
                  ptr auto locks_ptr, int_ auto m_rows, int_ auto n_cols, int_ auto k_rows, int_ auto stride_am,
                  int_ auto stride_ak, int_ auto stride_bk, int_ auto stride_bn, int_ auto stride_cm,
                  int_ auto stride_cn, constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK,
                  constexpr_ auto GROUP_M, constexpr_ auto NUM_SMS, constexpr_ auto STREAMK_TILES) const {
    // Programs begin in their order, and those that wait do so for higher numbers.
    auto pid = NUM_SMS - 1 - tl.program_id(0);
    auto num_pid_m = tl.cdiv(m_rows, BM);
    auto num_pid_n = tl.cdiv(n_cols, BN);
    auto rounds = tl.cdiv(k_rows, BK);
    auto full_tiles = num_pid_m * num_pid_n - STREAMK_TILES;
    auto offs_k = tl.arange(0, BK);
    auto in_block = tl.arange(0, BM)(_, None) * BN + tl.arange(0, BN)(None, _);

    // rounds [from, to) of a tile
    auto sum_of = [&](auto pid_m, auto pid_n, auto from, auto to) {
      auto rm = pid_m * BM + tl.arange(0, BM);
      auto rn = pid_n * BN + tl.arange(0, BN);
      auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
      for (auto round : tl.range(from, to)) {
        auto k = round * BK + offs_k;
        auto a = tl.load(a_ptr + rm(_, None) * stride_am + k(None, _) * stride_ak,
                         {.mask = (rm < m_rows)(_, None) & (k < k_rows)(None, _), .other = 0});
        auto b = tl.load(b_ptr + k(_, None) * stride_bk + rn(None, _) * stride_bn,
                         {.mask = (k < k_rows)(_, None) & (rn < n_cols)(None, _), .other = 0});
        acc = tl.dot(a, b, acc);
      }
      return acc;
    };
    auto store = [&](auto pid_m, auto pid_n, auto acc) {
      auto rm = pid_m * BM + tl.arange(0, BM);
      auto rn = pid_n * BN + tl.arange(0, BN);
      if (!tl.is_none(bias_ptr))
        acc += tl.load(bias_ptr + rm, {.mask = rm < m_rows, .other = 0}).to(tl.float32)(_, None);
      tl.store(c_ptr + rm(_, None) * stride_cm + rn(None, _) * stride_cn, acc.to(c_ptr.dtype),
               {.mask = (rm < m_rows)(_, None) & (rn < n_cols)(None, _)});
    };

    for (auto tile : tl.range(pid, full_tiles, NUM_SMS)) {
      auto [pid_m, pid_n] = grouped_tile(tl, tile, num_pid_m, num_pid_n, GROUP_M);
      store(pid_m, pid_n, sum_of(pid_m, pid_n, 0, rounds));
    }
    auto each = STREAMK_TILES * rounds / NUM_SMS;
    auto left = STREAMK_TILES * rounds % NUM_SMS;
    auto start = full_tiles * rounds + pid * each + tl.minimum(pid, left);
    auto last = full_tiles * rounds + (pid + 1) * each + tl.minimum(pid + 1, left);
    while (start < last) {
      auto tile = start / rounds;
      auto end = tl.minimum((tile + 1) * rounds, last);
      auto [pid_m, pid_n] = grouped_tile(tl, tile, num_pid_m, num_pid_n, GROUP_M);
      auto acc = sum_of(pid_m, pid_n, start - tile * rounds, end - tile * rounds);
      if (start != tile * rounds) {
        tl.store(p_ptr + pid * (BM * BN) + in_block, acc, {.cache_modifier = ".wt"});
        tl.debug_barrier();
        tl.atomic_xchg(locks_ptr + pid, 1);
      } else {
        auto next = pid + 1;
        auto known = end + 0;
        while ((known < (tile + 1) * rounds) & (next < NUM_SMS)) {
          while (tl.atomic_cas(locks_ptr + next, 1, 1) != 1) {
          }
          acc += tl.load(p_ptr + next * (BM * BN) + in_block, {.cache_modifier = ".cv"});
          known += each + (next < left).to(tl.int32);
          next += 1;
        }
        store(pid_m, pid_n, acc);
      }
      start = end;
    }
  }
};

void streamk_loop(auto& args) {
  auto a = args["a"], b = args["b"], c = args["c"];
  for (int i = 0; i < c.size(0); ++i)
    for (int j = 0; j < c.size(1); ++j) {
      c(i, j) = args["bias"](i);
      for (int l = 0; l < a.size(1); ++l) c(i, j) += a(i, l) * b(l, j);
    }
}

}  // namespace tl::ports
