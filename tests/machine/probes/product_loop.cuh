// The loop of a product: tiles through a ring of shared memory into the tensor cores, without the index work and the
// epilogue of one. Which panels of tiles a CTA multiplies is given, so that an order is only a list.
#pragma once

#include <cuda_fp16.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "probe.cuh"

constexpr int stamps_a_cta = 64, bulk_stages = 4;

// Panels of tiles: iteration k reads tile first + k % length. A CTA that has more than one pair of panels finds the
// next one gridDim.x roles on.
struct Role {
  long long a_first, b_first;
  int length, iterations;
  int b_length = 0;  // of B's panel, where it is another
  __device__ int of_b() const { return b_length ? b_length : length; }
};

// Over all the panels of a product, in rows or groups of rows.
struct Order {
  int rows, columns, length, group;  // panels of A, of B, tiles a panel, rows a group
};

inline std::vector<Role> roles_of(const Order& o) {
  std::vector<Role> r;
  for (int first = 0; first < o.rows; first += o.group) {
    const int rows = std::min(o.group, o.rows - first);
    for (int c = 0; c < o.columns; ++c)
      for (int i = 0; i < rows; ++i)
        r.push_back(
            {(first + i) * static_cast<long long>(o.length), c * static_cast<long long>(o.length), o.length, o.length});
  }
  return r;
}

__device__ inline unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ inline void stamp(unsigned long long* stamps, int k, int every) {
  if (k % every == 0) stamps[size_t(blockIdx.x) * stamps_a_cta + k / every] = now_ns();
}

// One step of dots by mma.sync: two rows of warps, each BM / 2 x BN / (WARPS / 2) of the product. `at`: where A's tile
// stands in shared memory, B's follows.
template <int BM, int BN, int BK, int WARPS>
struct WarpTile {
  static constexpr int row_bytes = BK * 2, a_bytes = BM * row_bytes, columns = BN / (WARPS / 2), mt = BM / 32,
                       nt = columns / 8;
  float sum[mt][nt][4] = {};

  __device__ static int place(int r, int chunk) {
    return r * row_bytes + (BK == 64 ? chunk ^ (r & 7) : chunk ^ (r >> 1 & 3)) * 16;
  }
  __device__ void multiply(unsigned at) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = warp % 2 * (BM / 2) + lane % 16,
              column = warp / 2 * columns + lane % 16;
#pragma unroll
    for (int step = 0; step < BK / 16; ++step) {
      unsigned ra[mt][4], rb[nt / 2][4];
#pragma unroll
      for (int i = 0; i < mt; ++i)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(ra[i][0]), "=r"(ra[i][1]), "=r"(ra[i][2]), "=r"(ra[i][3])
                     : "r"(at + place(row + i * 16, step * 2 + lane / 16)));
#pragma unroll
      for (int j = 0; j < nt / 2; ++j)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(rb[j][0]), "=r"(rb[j][1]), "=r"(rb[j][2]), "=r"(rb[j][3])
                     : "r"(at + a_bytes + place(column + j * 16, step * 2 + lane / 16)));
#pragma unroll
      for (int i = 0; i < mt; ++i)
#pragma unroll
        for (int j = 0; j < nt; ++j)
          asm volatile(
              "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
              : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
              : "r"(ra[i][0]), "r"(ra[i][1]), "r"(ra[i][2]), "r"(ra[i][3]), "r"(rb[j / 2][j % 2]),
                "r"(rb[j / 2][j % 2 + 2]));
    }
  }
  // So that the compiler keeps the dots.
  __device__ void use(int* somewhere) const {
    float all = 0;
    for (auto& i : sum)
      for (auto& j : i)
        for (float v : j) all += v;
    if (all == 12345.f) *somewhere = 1;
  }
};

// cp.async and mma.sync. `together`: all CTAs are resident and begin at once.
template <int BM, int BN, int BK, int WARPS, int STAGES>
__global__ void __launch_bounds__(WARPS * 32)
    probe_staged(const char* a, const char* b, const Role* roles, bool together, unsigned* arrived, int* sm,
                 unsigned long long* stamps, int every) {
  constexpr int threads = WARPS * 32, a_bytes = BM * BK * 2, b_bytes = BN * BK * 2, stage_bytes = a_bytes + b_bytes;
  extern __shared__ __align__(1024) char ring[];
  const Role role = roles[blockIdx.x];
  if (threadIdx.x == 0) sm[blockIdx.x] = static_cast<int>(sm_id());
  const auto copy = [&](int k) {
    const unsigned to = shared_address(ring + k % STAGES * stage_bytes);
    const char* a_from = a + (role.a_first + k % role.length) * a_bytes;
    const char* b_from = b + (role.b_first + k % role.of_b()) * b_bytes;
    for (int at = threadIdx.x * 16; at < a_bytes; at += threads * 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + at), "l"(a_from + at) : "memory");
    for (int at = threadIdx.x * 16; at < b_bytes; at += threads * 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + a_bytes + at), "l"(b_from + at) : "memory");
  };
  if (together) wait_for_all(arrived);
  WarpTile<BM, BN, BK, WARPS> tile;
  for (int s = 0; s < STAGES - 1; ++s) {
    copy(s);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  for (int k = 0; k < role.iterations; ++k) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) stamp(stamps, k, every);
    if (k + STAGES - 1 < role.iterations) copy(k + STAGES - 1);
    asm volatile("cp.async.commit_group;" ::: "memory");
    tile.multiply(shared_address(ring + k % STAGES * stage_bytes));
  }
  tile.use(sm);
}

// The loop of a product whose loads go to registers and from there to shared memory, nothing fetched ahead.
template <int BM, int BN, int BK, int WARPS>
__global__ void __launch_bounds__(WARPS * 32)
    probe_registers(const char* a, const char* b, const Role* roles, bool together, unsigned* arrived, int* sm,
                    unsigned long long* stamps, int every) {
  constexpr int threads = WARPS * 32, a_bytes = BM * BK * 2, b_bytes = BN * BK * 2;
  constexpr int na = a_bytes / 16 / threads, nb = b_bytes / 16 / threads;
  extern __shared__ __align__(1024) char ring[];
  const Role role = roles[blockIdx.x];
  if (threadIdx.x == 0) sm[blockIdx.x] = static_cast<int>(sm_id());
  if (together) wait_for_all(arrived);
  WarpTile<BM, BN, BK, WARPS> tile;
  for (int k = 0; k < role.iterations; ++k) {
    if (threadIdx.x == 0) stamp(stamps, k, every);
    const uint4* a_from = reinterpret_cast<const uint4*>(a + (role.a_first + k % role.length) * a_bytes);
    const uint4* b_from = reinterpret_cast<const uint4*>(b + (role.b_first + k % role.of_b()) * b_bytes);
    uint4 ra[na], rb[nb];
    for (int i = 0; i < na; ++i) ra[i] = a_from[threadIdx.x + i * threads];
    for (int i = 0; i < nb; ++i) rb[i] = b_from[threadIdx.x + i * threads];
    __syncthreads();
    for (int i = 0; i < na; ++i) reinterpret_cast<uint4*>(ring)[threadIdx.x + i * threads] = ra[i];
    for (int i = 0; i < nb; ++i) reinterpret_cast<uint4*>(ring + a_bytes)[threadIdx.x + i * threads] = rb[i];
    __syncthreads();
    tile.multiply(shared_address(ring));
  }
  tile.use(sm);
}

__device__ inline void wait_for(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra.uni done;\nbra.uni "
      "again;\ndone:\n}\n" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

__device__ inline uint64_t matrix_in(unsigned address) {  // K-major rows of 128 bytes, 128-byte swizzle
  return ((address & 0x3FFFF) >> 4) | uint64_t(1) << 16 | uint64_t(64) << 32 | uint64_t(1) << 62;
}

__device__ inline void multiply_64x128x16(float (&d)[64], uint64_t a, uint64_t b) {
#define F4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define F16(i) F4(i), F4(i + 4), F4(i + 8), F4(i + 12)
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,"
      "%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,"
      "%58,%59,%60,%61,%62,%63}, %64, %65, 1, 1, 1, 0, 0;"
      : F16(0), F16(16), F16(32), F16(48)
      : "l"(a), "l"(b));
}

// The producer of a loop by bulk copies: one pair of panels again and again, else pair after pair.
template <int BN>
__device__ void feed(const char* a, const char* b, const Role* roles, bool together, char* ring,
                     unsigned long long* full, unsigned long long* empty) {
  constexpr int a_bytes = 128 * 64 * 2, b_bytes = BN * 64 * 2, stage_bytes = a_bytes + b_bytes;
  Role role = roles[blockIdx.x];
  const int length = role.length, iterations = role.iterations;
  for (int k = 0; k < iterations; ++k) {
    const int s = k % bulk_stages;
    if (k % length == 0) role = roles[blockIdx.x + (together ? 0 : k / length * gridDim.x)];
    if (k >= bulk_stages) wait_for(shared_address(&empty[s]), (k / bulk_stages - 1) & 1);
    const unsigned to = shared_address(ring + s * stage_bytes), bar = shared_address(&full[s]);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(stage_bytes) : "memory");
    const char* a_from = a + (role.a_first + k % role.length) * a_bytes;
    const char* b_from = b + (role.b_first + k % role.of_b()) * b_bytes;
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(a_from), "r"(a_bytes), "r"(bar)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to + a_bytes),
        "l"(b_from), "r"(b_bytes), "r"(bar)
        : "memory");
  }
}

__device__ inline void begin_ring(unsigned long long* full, unsigned long long* empty) {
  for (int s = 0; s < bulk_stages; ++s) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[s])));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(shared_address(&empty[s])));
  }
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Bulk copies by a warp of its own, wgmma by two warpgroups, four stages. `together`: one pair of panels again and
// again, else pair after pair.
template <int BN>
__global__ void __launch_bounds__(384) probe_bulk(const char* a, const char* b, const Role* roles, bool together,
                                                  unsigned* arrived, int* sm, unsigned long long* stamps, int every) {
  constexpr int bk = 64, stages = bulk_stages, a_bytes = 128 * bk * 2, b_bytes = BN * bk * 2,
                stage_bytes = a_bytes + b_bytes;
  extern __shared__ __align__(1024) char ring[];
  __shared__ __align__(8) unsigned long long full[stages], empty[stages];
  const int iterations = roles[blockIdx.x].iterations;
  if (threadIdx.x == 0) {
    sm[blockIdx.x] = static_cast<int>(sm_id());
    begin_ring(full, empty);
  }
  wait_for_all(arrived);
  if (threadIdx.x < 128) {
    if (threadIdx.x == 0) feed<BN>(a, b, roles, together, ring, full, empty);
    return;
  }
  const int half = threadIdx.x / 128 - 1;
  float sum[BN / 128][64] = {};
  for (int k = 0; k < iterations; ++k) {
    const int s = k % stages;
    wait_for(shared_address(&full[s]), k / stages & 1);
    if (threadIdx.x == 128) stamp(stamps, k, every);
    const unsigned at = shared_address(ring + s * stage_bytes);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int step = 0; step < bk / 16; ++step)
#pragma unroll
      for (int j = 0; j < BN / 128; ++j)
        multiply_64x128x16(sum[j], matrix_in(at + half * 8192 + step * 32),
                           matrix_in(at + a_bytes + j * 16384 + step * 32));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (threadIdx.x % 128 == 0)
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&empty[s])) : "memory");
  }
  float all = 0;
  for (auto& j : sum)
    for (float v : j) all += v;
  if (all == 12345.f) sm[0] = 1;
}

__global__ void fill(__half* data, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
    const unsigned x = static_cast<unsigned>(i * 2654435761u) ^ static_cast<unsigned>(i >> 7) * 0x9E3779B9u;
    data[i] = __float2half((static_cast<int>(x >> 16) - 32768) / 32768.f);
  }
}
