// The loop of a product by cp.async as kernels have it: A is m x k and B k x n in C order, addresses are stepped, some
// index work stands beside the dots, and each CTA writes its tile of the product.
#pragma once

#include "product_loop.cuh"

// `index_work`: rounds of four multiplications a thread and step. With 8 to 16 a step takes as long as a compiled
// kernel's, 1.55 to 1.72 us where 16 warps share an SM; the shorter the steps, the more power they take, and the more
// the GPCs' clocks differ.
template <int BM, int BN, int BK, int WARPS, int STAGES>
__global__ void __launch_bounds__(WARPS * 32)
    probe_matrices(const char* a, const char* b, __half* c, long long k_bytes, long long n_bytes, int index_work,
                   const Role* roles, int* sm, unsigned long long* stamps, unsigned long long* cycles) {
  constexpr int threads = WARPS * 32, a_row = BK * 2, b_row = BN * 2, a_bytes = BM * a_row, b_bytes = BK * b_row,
                stage_bytes = a_bytes + b_bytes;
  extern __shared__ __align__(1024) char ring[];
  const Role role = roles[blockIdx.x];
  if (threadIdx.x == 0) sm[blockIdx.x] = static_cast<int>(sm_id());
  const long long row = role.a_first / role.length * BM, column = role.b_first / role.length * BN;
  const int at = threadIdx.x * 16;
  const char* a_from = a + (row + at / a_row) * k_bytes + at % a_row;
  const char* b_from = b + at / b_row * n_bytes + column * 2 + at % b_row;
  const auto copy = [&](int k) {
    const unsigned to = shared_address(ring + k % STAGES * stage_bytes) + at;
#pragma unroll
    for (int i = 0; i < a_bytes / 16 / threads; ++i)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + i * threads * 16),
                   "l"(a_from + i * (threads * 16 / a_row) * k_bytes)
                   : "memory");
#pragma unroll
    for (int i = 0; i < b_bytes / 16 / threads; ++i)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + a_bytes + i * threads * 16),
                   "l"(b_from + i * (threads * 16 / b_row) * n_bytes)
                   : "memory");
    a_from += a_row, b_from += BK * n_bytes;
  };
  WarpTile<BM, BN, BK, WARPS> tile;
  unsigned x[4] = {threadIdx.x, threadIdx.x + 1, threadIdx.x + 2, threadIdx.x + 3};
  for (int s = 0; s < STAGES - 1; ++s) {
    copy(s);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  for (int k = 0; k < role.length; ++k) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) stamp(stamps, k, role.length - 1);
    if (threadIdx.x == 0 && k % (role.length - 1) == 0)
      cycles[size_t(blockIdx.x) * stamps_a_cta + k / (role.length - 1)] = clock64();
    if (k + STAGES - 1 < role.length) copy(k + STAGES - 1);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int w = 0; w < index_work; ++w)
      for (unsigned& each : x) asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(each) : "r"(threadIdx.x));
    tile.multiply(shared_address(ring + k % STAGES * stage_bytes));
  }
  if (x[0] + x[1] + x[2] + x[3] == 12345) sm[0] = 1;
  using Tile = WarpTile<BM, BN, BK, WARPS>;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = 0; i < Tile::mt; ++i)
    for (int j = 0; j < Tile::nt; ++j)
      for (int h = 0; h < 2; ++h) {
        const long long r = row + warp % 2 * (BM / 2) + i * 16 + h * 8 + lane / 4,
                        at_column = column + warp / 2 * Tile::columns + j * 8 + lane % 4 * 2;
        *reinterpret_cast<__half2*>(reinterpret_cast<char*>(c) + r * n_bytes + at_column * 2) =
            __floats2half2_rn(tile.sum[i][j][2 * h], tile.sum[i][j][2 * h + 1]);
      }
}
