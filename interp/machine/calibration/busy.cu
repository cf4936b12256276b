// How fast SMs advance and how evenly, by how busy DRAM is: every CTA multiplies tiles of its own, so that nothing holds one to another. Of some CTAs the tiles of A
// come from DRAM, of the others out of L2. Loops by TMA, by cp.async, and by registers.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <unistd.h>

#include "probe.cuh"
#include "product_loop.cuh"

// The loop of a product whose loads go to registers and from there to shared memory, nothing fetched ahead.
template <int BM, int BN, int BK, int WARPS>
__global__ void __launch_bounds__(WARPS * 32) probe_registers(const char* a, const char* b, const Role* roles, unsigned* arrived, int* sm, unsigned long long* stamps, int every) {
  constexpr int threads = WARPS * 32, a_bytes = BM * BK * 2, b_bytes = BN * BK * 2, row_bytes = BK * 2;
  constexpr int columns = BN / (WARPS / 2), mt = BM / 32, nt = columns / 8, na = a_bytes / 16 / threads, nb = b_bytes / 16 / threads;
  extern __shared__ __align__(1024) char ring[];
  const Role role = roles[blockIdx.x];
  if (threadIdx.x == 0) sm[blockIdx.x] = static_cast<int>(sm_id());
  meet(arrived);
  float sum[mt][nt][4] = {};
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = warp % 2 * (BM / 2) + lane % 16, column = warp / 2 * columns + lane % 16;
  const auto place = [](int r, int chunk) { return r * row_bytes + (BK == 64 ? chunk ^ (r & 7) : chunk ^ (r >> 1 & 3)) * 16; };
  for (int k = 0; k < role.iterations; ++k) {
    if (threadIdx.x == 0) stamp(stamps, k, every);
    const uint4* a_from = reinterpret_cast<const uint4*>(a + (role.a_first + k % role.length) * a_bytes);
    const uint4* b_from = reinterpret_cast<const uint4*>(b + (role.b_first + k % 2) * b_bytes);
    uint4 ra[na], rb[nb];
    for (int i = 0; i < na; ++i) ra[i] = __ldcg(a_from + threadIdx.x + i * threads);
    for (int i = 0; i < nb; ++i) rb[i] = __ldcg(b_from + threadIdx.x + i * threads);
    __syncthreads();
    for (int i = 0; i < na; ++i) reinterpret_cast<uint4*>(ring)[threadIdx.x + i * threads] = ra[i];
    for (int i = 0; i < nb; ++i) reinterpret_cast<uint4*>(ring + a_bytes)[threadIdx.x + i * threads] = rb[i];
    __syncthreads();
    const unsigned at = shared_address(ring);
#pragma unroll
    for (int step = 0; step < BK / 16; ++step) {
      unsigned fa[mt][4], fb[nt / 2][4];
#pragma unroll
      for (int i = 0; i < mt; ++i)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3]) : "r"(at + place(row + i * 16, step * 2 + lane / 16)));
#pragma unroll
      for (int j = 0; j < nt / 2; ++j)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(fb[j][0]), "=r"(fb[j][1]), "=r"(fb[j][2]), "=r"(fb[j][3]) : "r"(at + a_bytes + place(column + j * 16, step * 2 + lane / 16)));
#pragma unroll
      for (int i = 0; i < mt; ++i)
#pragma unroll
        for (int j = 0; j < nt; ++j)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
                       : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j / 2][j % 2]), "r"(fb[j / 2][j % 2 + 2]));
    }
  }
  float all = 0;
  for (auto& i : sum)
    for (auto& j : i)
      for (float v : j) all += v;
  if (all == 12345.f) sm[0] = 1;
}

int main(int argc, char**) {
  const bool rested = argc > 1;  // an argument: a pause before each launch, as there is between launches under a profiler; else one after the other, until the chip's power limits its clocks
  const size_t bytes = size_t(2200) << 20;
  auto* a = device_array<char>(bytes);
  auto* b = device_array<char>(bytes / 8);
  fill<<<1024, 256>>>(reinterpret_cast<__half*>(a), bytes / 2);
  fill<<<1024, 256>>>(reinterpret_cast<__half*>(b), bytes / 16);
  auto* roles = device_array<Role>(1024);
  auto* arrived = device_array<unsigned>(4);
  auto* sm = device_array<int>(1024);
  auto* stamps = device_array<unsigned long long>(1024 * stamps_a_cta);
  // `quarters` of four CTAs of an SM's neighbourhood read A from DRAM: panels that are read again long after they left L2.
  const auto run = [&](const char* route, auto kernel, int bm, int bn, int bk, int threads, int layers, int shared, int quarters, int iterations) {
    const int ctas = 132 * layers, length = 512 / layers, every = iterations / stamps_a_cta;
    std::vector<Role> r;
    for (int i = 0; i < ctas; ++i) {
      const bool from_dram = (i / 4 + i % 4) % 4 < quarters;
      r.push_back({static_cast<long long>(i) * length, 2 * i, from_dram ? length : 2, iterations, 2});
    }
    CHECK(cudaMemcpy(roles, r.data(), r.size() * sizeof(Role), cudaMemcpyHostToDevice));
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    cudaEvent_t from, to;
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    for (int round = rested; round < 2; ++round) {  // the first warms up
      if (rested) usleep(150000);
      CHECK(cudaMemset(arrived, 0, 4));
      CHECK(cudaEventRecord(from));
      if constexpr (std::is_invocable_v<decltype(kernel), const char*, const char*, const Role*, unsigned*, int*, unsigned long long*, int>)
        kernel<<<ctas, threads, shared>>>(a, b, roles, arrived, sm, stamps, every);
      else kernel<<<ctas, threads, shared>>>(a, b, roles, true, arrived, sm, stamps, every);
      CHECK(cudaEventRecord(to));
      CHECK(cudaGetLastError());
      CHECK(cudaDeviceSynchronize());
    }
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, from, to));
    const auto s = to_host(stamps, size_t(ctas) * stamps_a_cta);
    const auto where = to_host(sm, ctas);
    double streaming = 0;
    for (const Role& role : r) streaming += role.length > 2;
    // Of each CTA: ns a step from stamp 8 to the last; and the spread (sd) of its stretches between stamps, ns a stretch.
    std::string steps, spreads, places, roles_text;
    for (int i = 0; i < ctas; ++i) {
      const auto at = [&](int k) { return static_cast<double>(s[size_t(i) * stamps_a_cta + k]); };
      const int last = stamps_a_cta - 1, n = last - 8;
      const double mean = (at(last) - at(8)) / n;
      double squares = 0;
      for (int k = 8; k < last; ++k) squares += (at(k + 1) - at(k) - mean) * (at(k + 1) - at(k) - mean);
      char text[32];
      std::snprintf(text, sizeof text, "%s%.2f", i ? "," : "", mean / every), steps += text;
      std::snprintf(text, sizeof text, "%s%.0f", i ? "," : "", std::sqrt(squares / n)), spreads += text;
      places += (i ? "," : "") + std::to_string(where[i]), roles_text += (i ? "," : "") + std::to_string(r[i].length > 2);
    }
    launched(std::string("{\"kind\": \"busy\", \"rested\": " + std::to_string(rested) + ", \"route\": \"") + route + "\", \"tile\": [" + std::to_string(bm) + "," + std::to_string(bn) + "," + std::to_string(bk) + "], \"layers\": " +
             std::to_string(layers) + ", \"quarters\": " + std::to_string(quarters) + ", \"iterations\": " + std::to_string(iterations) + ", \"every\": " + std::to_string(every) +
             ", \"ms\": " + std::to_string(ms) + ", \"dram_gb_per_s\": " + std::to_string(streaming * iterations * bm * bk * 2 / ms * 1e-6) + ", \"sm\": [" + places + "], \"streams\": [" +
             roles_text + "], \"step_ns\": [" + steps + "], \"spread_ns\": [" + spreads + "]}");
  };
  for (int quarters = 0; quarters < 5; quarters += 1 + rested) {
    run("tma", probe_bulk<256>, 128, 256, 64, 384, 1, 4 * 48 * 1024, quarters, 8192);
    run("tma", probe_bulk<128>, 128, 128, 64, 384, 1, 4 * 32 * 1024, quarters, 8192);
    run("staged", probe_staged<128, 256, 64, 8, 3>, 128, 256, 64, 256, 1, 3 * 48 * 1024, quarters, 4096);
    run("staged", probe_staged<128, 128, 64, 8, 3>, 128, 128, 64, 256, 2, 112 * 1024, quarters, 4096);
    run("staged", probe_staged<64, 256, 64, 8, 3>, 64, 256, 64, 256, 1, 216 * 1024, quarters, 4096);
    run("staged", probe_staged<64, 128, 64, 4, 3>, 64, 128, 64, 128, 3, 74 * 1024, quarters, 4096);
    run("registers", probe_registers<128, 128, 64, 8>, 128, 128, 64, 256, 1, 216 * 1024, quarters, 4096);
    run("registers", probe_registers<128, 128, 64, 8>, 128, 128, 64, 256, 2, 112 * 1024, quarters, 4096);
    run("registers", probe_registers<128, 128, 32, 8>, 128, 128, 32, 256, 1, 216 * 1024, quarters, 4096);
  }
}
