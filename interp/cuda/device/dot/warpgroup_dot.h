// c[M x N] += a[M x K] b[K x N] by whole warpgroups: which registers, which bytes of shared memory, which wgmma.
//
// Warpgroups stack along M in slabs of 64 rows; those left over share N. A thread's accumulators are sorted by their
// row-major index: columns 1, 8, 16, ..., then row 8, then the slabs of 64 rows.
#pragma once

#include "interp/cuda/device/dot/wgmma.h"
#include "interp/cuda/device/memory/mbarrier.h"

namespace tl::cuda {

using MatrixDescriptor = unsigned long long;

// What wgmma is told about a tile: where it starts, its strides in 16-byte units, its swizzle. K along the stored rows:
// 8 rows a step. `Mn`, K down the stored rows: 8 rows a step of K, a box a step of M or N.
template <class Format, bool Mn>
__forceinline__ MatrixDescriptor matrix_descriptor(SharedAddress at) {
  constexpr MatrixDescriptor mode = Format::row_bytes == 128 ? 1 : Format::row_bytes == 64 ? 2 : 3;
  constexpr MatrixDescriptor leading = Mn ? Format::box_bytes >> 4 : 1, stride = 8 * Format::row_bytes >> 4;
  return (at & 0x3ffff) >> 4 | leading << 16 | stride << 32 | mode << 62;
}

template <int M, int N, int Warps>
struct AccumulatorPlan {
  static_assert(Warps % 4 == 0, "wgmma wants whole warpgroups: num_warps = 4, 8 or 16");
  static constexpr rules::WgmmaPlan plan{M, N, Warps};
  static constexpr int along_m = plan.along_m, along_n = plan.along_n;
  static constexpr int n = plan.cols;                      // columns a warpgroup
  static constexpr int instruction_n = n < 256 ? n : 256;  // columns a wgmma
  static constexpr int slabs = M / (64 * along_m), strips = n / instruction_n;
  static constexpr int registers = slabs * n / 2;
  // Where the sorted order keeps register `r` of the wgmma of one slab and strip (its order: column 1, row 8, columns
  // 8, 16, ...).
  static constexpr int sorted(int slab, int strip, int r) {
    return (r & 1) + (r >> 2) * 2 + strip * (instruction_n / 4) + n / 4 * ((r >> 1 & 1) + 2 * slab);
  }
};

// An operand as it lies in shared memory. `outer` counts along M or N.
template <DType D, class Format, bool Mn>
struct SharedOperand {
  static constexpr DType dtype = D;
  SharedAddress at;
  __forceinline__ MatrixDescriptor descriptor(int outer, int k) const {
    return matrix_descriptor<Format, Mn>(at + (Mn ? Format::plain(k, outer) : Format::plain(outer, k)));
  }
};

// A in registers, 16 bits an element, two a word, sorted as an accumulator of M x K is.
template <DType D, int Words>
struct RegisterOperand {
  static constexpr DType dtype = D;
  unsigned words[Words];
};

template <class Plan, int K, bool Accumulate, class A, class B>
struct WarpgroupDot;

template <class Plan, int K, bool Accumulate, DType DA, class FormatA, bool AMn, DType DB, class FormatB, bool BMn>
struct WarpgroupDot<Plan, K, Accumulate, SharedOperand<DA, FormatA, AMn>, SharedOperand<DB, FormatB, BMn>> {
  using A = SharedOperand<DA, FormatA, AMn>;
  using B = SharedOperand<DB, FormatB, BMn>;
  static __forceinline__ void issue(float (&d)[Plan::slabs * Plan::strips][Plan::instruction_n / 2], const A& a,
                                    const B& b, int row0, int col0) {
    constexpr int step = wgmma_k<DA>;
#pragma unroll
    for (int k = 0; k < K; k += step)
#pragma unroll
      for (int slab = 0; slab < Plan::slabs; ++slab)
#pragma unroll
        for (int strip = 0; strip < Plan::strips; ++strip)
          Wgmma<Plan::instruction_n>::template ss<DA, DB, AMn, BMn>(
              d[slab * Plan::strips + strip], a.descriptor(row0 + slab * 64 * Plan::along_m, k),
              b.descriptor(col0 + strip * Plan::instruction_n, k), Accumulate || k > 0);
  }
};

template <class Plan, int K, bool Accumulate, DType D, int Words, DType DB, class FormatB, bool BMn>
struct WarpgroupDot<Plan, K, Accumulate, RegisterOperand<D, Words>, SharedOperand<DB, FormatB, BMn>> {
  using A = RegisterOperand<D, Words>;
  using B = SharedOperand<DB, FormatB, BMn>;
  static __forceinline__ void issue(float (&d)[Plan::slabs * Plan::strips][Plan::instruction_n / 2], const A& a,
                                    const B& b, int, int col0) {
#pragma unroll
    for (int k = 0; k < K / 16; ++k)
#pragma unroll
      for (int slab = 0; slab < Plan::slabs; ++slab)
#pragma unroll
        for (int strip = 0; strip < Plan::strips; ++strip) {
          // Words of a slab: K / 8 of row 0, then as many of row 8.
          const unsigned* w = a.words + slab * (K / 4) + 2 * k;
          Wgmma<Plan::instruction_n>::template rs<D, DB, BMn>(
              d[slab * Plan::strips + strip], w[0], w[K / 8], w[1], w[K / 8 + 1],
              b.descriptor(col0 + strip * Plan::instruction_n, 16 * k), Accumulate || k > 0);
        }
  }
};

// c = a b (+ c), issued when it returns, neither committed nor waited for. `c` is sorted. `warpgroup` is uniform in a
// warp, so that descriptors are, too.
template <class Plan, int K, bool Accumulate, class A, class B>
__forceinline__ void issue_warpgroup_dot(int warpgroup, float (&c)[Plan::registers], const A& a, const B& b) {
  const int row0 = warpgroup % Plan::along_m * 64, col0 = warpgroup / Plan::along_m * Plan::n;
  float d[Plan::slabs * Plan::strips][Plan::instruction_n / 2];
#pragma unroll
  for (int tile = 0; tile < Plan::slabs * Plan::strips; ++tile)
#pragma unroll
    for (int r = 0; r < Plan::instruction_n / 2; ++r)
      if constexpr (Accumulate) d[tile][r] = c[Plan::sorted(tile / Plan::strips, tile % Plan::strips, r)];
      else asm volatile("" : "=f"(d[tile][r]));  // any value: wgmma does not read it; not set after the fence
  wgmma_fence();
  WarpgroupDot<Plan, K, Accumulate, A, B>::issue(d, a, b, row0, col0);
#pragma unroll
  for (int tile = 0; tile < Plan::slabs * Plan::strips; ++tile)
#pragma unroll
    for (int r = 0; r < Plan::instruction_n / 2; ++r)
      c[Plan::sorted(tile / Plan::strips, tile % Plan::strips, r)] = d[tile][r];
}

}  // namespace tl::cuda
