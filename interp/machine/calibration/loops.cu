// Loops as kernels have them, over all the panels of a product as in walk.cu, of sizes and orders that nothing is judged on: by bulk copies with wgmma as wide as
// the tile, where a CTA writes its tile out while the next panels are on their way; and by loads to registers. What L2 and DRAM counted, and how CTAs kept in step.
#include <algorithm>

#include "probe.cuh"
#include "product_loop.cuh"

#define TEN(t) "%" #t "0,%" #t "1,%" #t "2,%" #t "3,%" #t "4,%" #t "5,%" #t "6,%" #t "7,%" #t "8,%" #t "9"

__device__ inline void multiply_64x256x16(float (&d)[128], uint64_t a, uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" TEN() "," TEN(1) "," TEN(2) "," TEN(3) "," TEN(4) "," TEN(5) "," TEN(6) "," TEN(7) "," TEN(8) "," TEN(9) "," TEN(
                   10) "," TEN(11) ",%120,%121,%122,%123,%124,%125,%126,%127}, %128, %129, 1, 1, 1, 0, 0;"
               : F16(0), F16(16), F16(32), F16(48), F16(64), F16(80), F16(96), F16(112)
               : "l"(a), "l"(b));
}

template <int BN>
__global__ void __launch_bounds__(384) probe_handed(const char* a, const char* b, const Role* roles, uint4* out, unsigned* arrived, int* sm, unsigned long long* stamps) {
  constexpr int a_bytes = 128 * 128, stage_bytes = a_bytes + BN * 128, values = BN / 2;
  extern __shared__ __align__(1024) char ring[];
  __shared__ __align__(8) unsigned long long full[bulk_stages], empty[bulk_stages];
  const int iterations = roles[blockIdx.x].iterations, length = roles[blockIdx.x].length;
  if (threadIdx.x == 0) {
    sm[blockIdx.x] = static_cast<int>(sm_id());
    begin_ring(full, empty);
  }
  meet(arrived);
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (threadIdx.x == 0) feed<BN>(a, b, roles, false, ring, full, empty);
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  const int half = threadIdx.x / 128 - 1, lane = threadIdx.x % 128;
  float sum[values] = {};
  for (int k = 0; k < iterations; ++k) {
    const int s = k % bulk_stages;
    wait_for(shared_address(&full[s]), k / bulk_stages & 1);
    if (threadIdx.x == 128) stamp(stamps, k, length);
    const unsigned at = shared_address(ring + s * stage_bytes);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      const uint64_t left = matrix_in(at + half * 8192 + step * 32), right = matrix_in(at + a_bytes + step * 32);
      if constexpr (BN == 256) multiply_64x256x16(sum, left, right);
      else multiply_64x128x16(sum, left, right);
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (lane == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&empty[s])) : "memory");
    if ((k + 1) % length == 0) {  // the tile, in halves of two bytes; in which order is all the same
      uint4* const to = out + ((size_t(k / length) * gridDim.x + blockIdx.x) * 2 + half) * (values / 8) * 128 + lane;
#pragma unroll
      for (int i = 0; i < values; i += 8) {
        __half2 h[4];
        for (int j = 0; j < 4; ++j) h[j] = __floats2half2_rn(sum[i + 2 * j], sum[i + 2 * j + 1]);
        to[i / 8 * 128] = *reinterpret_cast<uint4*>(h);
      }
      for (float& v : sum) v = 0;
    }
  }
}

struct Loops {
  static constexpr int most = 16384;
  size_t bytes = size_t(1) << 30;
  char* a = device_array<char>(bytes);
  char* b = device_array<char>(bytes);
  uint4* out = device_array<uint4>(bytes / 2 / 16);
  Role* roles = device_array<Role>(most);
  unsigned* arrived = device_array<unsigned>(4);
  int* sm = device_array<int>(most);
  unsigned long long* stamps = device_array<unsigned long long>(size_t(most) * stamps_a_cta);

  Loops() {
    fill<<<1024, 256>>>(reinterpret_cast<__half*>(a), bytes / 2);
    fill<<<1024, 256>>>(reinterpret_cast<__half*>(b), bytes / 2);
  }
  void give(const std::vector<Role>& r) {
    CHECK(cudaMemcpy(roles, r.data(), r.size() * sizeof(Role), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(arrived, 0, 4));
    CHECK(cudaMemset(stamps, 0, size_t(most) * stamps_a_cta * 8));
  }
  template <class Kernel>
  int resident(Kernel kernel, int threads, int shared) {
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    int fit = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, threads, shared));
    return fit;
  }
  template <int BN>
  void handed(const Order& o) {
    auto r = roles_of(o);
    const int tiles = static_cast<int>(r.size()), ctas = 132, waves = (tiles + ctas - 1) / ctas, shared = bulk_stages * (128 + BN) * 128;
    for (int i = 0; i < ctas; ++i) r[i].iterations = o.length * ((tiles - i + ctas - 1) / ctas);
    const int fit = resident(probe_handed<BN>, 384, shared);
    give(r);
    probe_handed<BN><<<ctas, 384, shared>>>(a, b, roles, out, arrived, sm, stamps);
    say("walk", "handed", 128, BN, 64, 8, fit, o, double(tiles) * o.length * (128 + BN) * 128, ctas, std::min(waves, stamps_a_cta));
  }
  template <int BM, int BN, int BK, int WARPS>
  void registers(const Order& o, int layers) {
    const int shared = (226 / layers) * 1024 - 1024, fit = resident(probe_registers<BM, BN, BK, WARPS>, WARPS * 32, shared);
    auto r = roles_of(o);
    give(r);
    probe_registers<BM, BN, BK, WARPS><<<static_cast<int>(r.size()), WARPS * 32, shared>>>(a, b, roles, false, arrived, sm, stamps, o.length - 1);
    say("walk", "registers", BM, BN, BK, WARPS, fit, o, double(r.size()) * o.length * (BM + BN) * BK * 2, static_cast<int>(r.size()), 2);
  }
  // All resident from the start: CTA i reads A's panel i % rows and B's panel i / rows.
  void together(int rows, int layers) {
    const int shared = (226 / layers) * 1024 - 1024, fit = resident(probe_registers<128, 128, 64, 8>, 256, shared), ctas = 132 * fit;
    std::vector<Role> r;
    for (int i = 0; i < ctas; ++i) r.push_back({i % rows * 512ll, i / rows * 512ll, 512, 512});
    give(r);
    probe_registers<128, 128, 64, 8><<<ctas, 256, shared>>>(a, b, roles, true, arrived, sm, stamps, 8);
    say("rows", "registers", 128, 128, 64, 8, fit, {rows, 0, 512, 0}, double(ctas) * 512 * 32768, ctas, 64);
  }
  void say(const char* kind, const char* route, int bm, int bn, int bk, int warps, int layers, const Order& o, double requested, int ctas, int count) {
    CHECK(cudaGetLastError());
    const auto s = to_host(stamps, size_t(ctas) * stamps_a_cta);
    const auto where = to_host(sm, ctas);
    unsigned long long first = ~0ull;
    for (int i = 0; i < ctas; ++i) first = std::min(first, s[size_t(i) * stamps_a_cta]);
    std::string text = ", \"sm\": [";
    for (int i = 0; i < ctas; ++i) text += (i ? "," : "") + std::to_string(where[i]);
    text += "], \"stamps_ns\": [";
    for (int k = 0; k < count; ++k) {
      text += k ? ",[" : "[";
      for (int i = 0; i < ctas; ++i) text += (i ? "," : "") + std::to_string(static_cast<long long>(s[size_t(i) * stamps_a_cta + k] - first));
      text += "]";
    }
    launched(std::string("{\"kind\": \"") + kind + "\", \"route\": \"" + route + "\", \"tile\": [" + std::to_string(bm) + "," + std::to_string(bn) + "," + std::to_string(bk) +
             "], \"warps\": " + std::to_string(warps) + ", \"layers\": " + std::to_string(layers) + ", \"rows\": " + std::to_string(o.rows) + ", \"columns\": " +
             std::to_string(o.columns) + ", \"length\": " + std::to_string(o.length) + ", \"group\": " + std::to_string(o.group) + ", \"requested_bytes\": " +
             std::to_string(requested) + text + "]}");
  }
};

int main() {
  Loops l;
  for (int n : {29, 37, 46, 59}) l.handed<256>({2 * n, n, 4 * n, 1});
  for (int group : {3, 10, 22}) l.handed<256>({74, 37, 148, group});
  for (int group : {2, 5, 14, 30}) l.handed<256>({118, 59, 236, group});
  for (int n : {46, 74}) l.handed<128>({n, n, 2 * n, 1});
  for (int group : {5, 20}) l.handed<128>({74, 74, 148, group});
  for (int layers : {1, 2}) {
    for (int n : {27, 38, 54}) l.registers<128, 128, 64, 8>({n, n, 2 * n, 1}, layers);
    for (int group : {3, 6, 13}) l.registers<128, 128, 64, 8>({54, 54, 108, group}, layers);
    for (int rows : {4, 8, 16, 32}) l.together(rows, layers);
  }
  l.registers<128, 128, 32, 8>({46, 46, 184, 1}, 2), l.registers<128, 128, 32, 8>({46, 46, 184, 9}, 2);
  l.registers<64, 128, 64, 4>({90, 45, 90, 1}, 3), l.registers<64, 128, 64, 4>({90, 45, 90, 6}, 3);
  l.registers<64, 64, 64, 4>({70, 70, 70, 1}, 4), l.registers<64, 64, 64, 4>({70, 70, 70, 8}, 4);
  CHECK(cudaDeviceSynchronize());
}
