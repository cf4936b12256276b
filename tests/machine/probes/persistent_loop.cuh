// The loop of a persistent product as kernels have it: tensor maps, wgmma as wide as the tile, a tile written out while
// the next panels come.
#pragma once

#include "probe.cuh"
#include "product_loop.cuh"
#include "tensor_map.cuh"

#define TEN(t) "%" #t "0,%" #t "1,%" #t "2,%" #t "3,%" #t "4,%" #t "5,%" #t "6,%" #t "7,%" #t "8,%" #t "9"

__device__ inline void multiply_64x256x16(float (&d)[128], uint64_t a, uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" TEN() "," TEN(1) "," TEN(2) "," TEN(3) "," TEN(4) "," TEN(5) "," TEN(6) "," TEN(7) "," TEN(8) "," TEN(9) "," TEN(
                   10) "," TEN(11) ",%120,%121,%122,%123,%124,%125,%126,%127}, %128, %129, 1, 1, 1, 0, 0;"
               : F16(0), F16(16), F16(32), F16(48), F16(64), F16(80), F16(96), F16(112)
               : "l"(a), "l"(b));
}

// The panels of A and of B of a tile, from its number alone: a kernel looks nothing up, and whatever the producer waits
// for keeps neighbours from one request.
__device__ inline int2 panels_of(const Order& o, int tile) {
  const int first = tile / (o.group * o.columns) * o.group, rows = min(o.group, o.rows - first),
            within = tile - first * o.columns;
  return {first + within % rows, within / rows};
}

// Boxes of tensor maps by a warp of its own, wgmma by two warpgroups, four stages; a step's dots are under way while
// the next one's begin, and tiles leave by the copy engine, in halves as wide as 128. A CTA stays for tile after tile,
// gridDim.x apart. As each tile begins it stamps the time and its SM's cycles.
template <int BN>
__global__ void __launch_bounds__(384)
    probe_mapped(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                 const __grid_constant__ CUtensorMap c, Order order, int* sm, unsigned long long* stamps,
                 unsigned long long* cycles) {
  constexpr int a_bytes = 128 * 128, stage_bytes = a_bytes + BN * 128, values = BN / 2;
  extern __shared__ __align__(1024) char ring[];
  __shared__ __align__(8) unsigned long long full[bulk_stages], empty[bulk_stages];
  const int tiles = order.rows * order.columns;
  if (threadIdx.x == 0) {
    sm[blockIdx.x] = static_cast<int>(sm_id());
    begin_ring(full, empty);
  }
  __syncthreads();  // and no meeting of all CTAs: kernels have none, and SMs keep the step that they began with
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (threadIdx.x == 0)
      for (int tile = blockIdx.x, k = 0; tile < tiles; tile += gridDim.x) {
        const int2 panels = panels_of(order, tile);
        for (int i = 0; i < order.length; ++i, ++k) {
          const int s = k % bulk_stages;
          if (k >= bulk_stages) wait_for(shared_address(&empty[s]), (k / bulk_stages - 1) & 1);
          const unsigned to = shared_address(ring + s * stage_bytes), bar = shared_address(&full[s]);
          asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(stage_bytes)
                       : "memory");
          asm volatile(
              "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
              "[%4];" ::"r"(to),
              "l"(&a), "r"(i * 64), "r"(panels.x * 128), "r"(bar)
              : "memory");
          asm volatile(
              "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
              "[%4];" ::"r"(to + a_bytes),
              "l"(&b), "r"(i * 64), "r"(panels.y * BN), "r"(bar)
              : "memory");
        }
      }
    if (threadIdx.x == 32)  // a warp that has nothing else to do: what the clock costs keeps no tile waiting
      for (int tile = blockIdx.x, k = 0; tile < tiles; tile += gridDim.x)
        for (int i = 0; i < order.length; ++i, ++k) {
          wait_for(shared_address(&full[k % bulk_stages]), k / bulk_stages & 1);
          const size_t at = size_t(blockIdx.x) * stamps_a_cta + tile / gridDim.x;
          if (i == 0) stamps[at] = now_ns(), cycles[at] = clock64();
        }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  const int half = threadIdx.x / 128 - 1, lane = threadIdx.x % 128;
  char* const leaving = ring + bulk_stages * stage_bytes + half * 16384;
  float sum[values] = {};
  for (int tile = blockIdx.x, k = 0; tile < tiles; tile += gridDim.x) {
    for (int i = 0; i < order.length; ++i, ++k) {
      const int s = k % bulk_stages;
      wait_for(shared_address(&full[s]), k / bulk_stages & 1);
      const unsigned at = shared_address(ring + s * stage_bytes);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
      for (int step = 0; step < 4; ++step) {
        const uint64_t left = matrix_in(at + half * 8192 + step * 32), right = matrix_in(at + a_bytes + step * 32);
        if constexpr (BN == 256) multiply_64x256x16(sum, left, right);
        else multiply_64x128x16(sum, left, right);
      }
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
      if (i > 0 && lane == 0)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&empty[(k - 1) % bulk_stages]))
                     : "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (lane == 0)
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&empty[(k - 1) % bulk_stages]))
                   : "memory");
    const int2 panels = panels_of(order, tile);
#pragma unroll
    for (int part = 0; part < BN / 128; ++part) {
      if (lane == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
      asm volatile("bar.sync %0, 128;" ::"r"(half + 1) : "memory");
#pragma unroll
      for (int i = 0; i < 64; i += 8) {
        __half2 h[4];
        for (int j = 0; j < 4; ++j)
          h[j] = __floats2half2_rn(sum[part * 64 + i + 2 * j], sum[part * 64 + i + 2 * j + 1]);
        reinterpret_cast<uint4*>(leaving)[i / 8 * 128 + lane] = *reinterpret_cast<uint4*>(h);
      }
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      asm volatile("bar.sync %0, 128;" ::"r"(half + 1) : "memory");
      if (lane == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&c),
                     "r"(panels.y * BN + part * 128), "r"(panels.x * 128 + half * 64), "r"(shared_address(leaving))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      }
    }
    for (float& v : sum) v = 0;
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
