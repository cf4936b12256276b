// Where CTAs go: the SM of each CTA of a launch and when it ran, which SMs share a GPC, and which L2 partition is near
// an SM.
#include <cooperative_groups.h>

#include "latency.cuh"
#include "probe.cuh"

__global__ void probe_order(int* sm, unsigned long long* begin, unsigned long long* end, int cycles, int spread) {
  if (threadIdx.x) return;
  sm[blockIdx.x] = static_cast<int>(sm_id());
  begin[blockIdx.x] = now_ns();
  wait_cycles(cycles + (blockIdx.x * 2654435761u >> 16) % (spread + 1));
  end[blockIdx.x] = now_ns();
}

__global__ void probe_cluster(int* sm) {
  if (threadIdx.x == 0) sm[blockIdx.x] = static_cast<int>(sm_id());
  cooperative_groups::this_cluster().sync();
  wait_cycles(20000);
}

template <class T>
void print_list(const char* name, const std::vector<T>& v) {
  std::printf("\"%s\": [", name);
  for (size_t i = 0; i < v.size(); ++i) std::printf("%s%lld", i ? "," : "", static_cast<long long>(v[i]));
  std::printf("]");
}

int main() {
  cudaDeviceProp p{};
  CHECK(cudaGetDeviceProperties(&p, 0));
  int driver = 0, clock_khz = 0;
  CHECK(cudaDriverGetVersion(&driver));
  CHECK(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0));
  std::printf("{\"device\": \"%s\", \"sms\": %d, \"l2_bytes\": %d, \"clock_khz\": %d", p.name, p.multiProcessorCount,
              p.l2CacheSize, clock_khz);

  CHECK(cudaFuncSetAttribute(probe_order, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  const int n = 6 * p.multiProcessorCount;
  int* sm = device_array<int>(n * 16);
  auto* begin = device_array<unsigned long long>(n);
  auto* end = device_array<unsigned long long>(n);
  for (int layers : {1, 2, 4})
    for (int spread : {0, 100000}) {
      for (int warm = 0; warm < 2; ++warm)
        probe_order<<<n, 128, (216 / layers - 1) * 1024>>>(sm, begin, end, 100000, spread);
      CHECK(cudaGetLastError());
      const auto s = to_host(sm, n);
      auto b = to_host(begin, n), e = to_host(end, n);
      unsigned long long first = b[0];
      for (auto t : b) first = t < first ? t : first;
      for (auto& t : b) t -= first;
      for (auto& t : e) t -= first;
      std::printf(",\n\"order_%d_%d\": {", layers, spread);
      print_list("sm", s);
      std::printf(", ");
      print_list("begin_ns", b);
      std::printf(", ");
      print_list("end_ns", e);
      std::printf("}");
    }

  // Clusters live in one GPC: CTAs of one cluster name its SMs.
  CHECK(cudaFuncSetAttribute(probe_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  CHECK(cudaFuncSetAttribute(probe_cluster, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  for (int size : {2, 4, 8, 16}) {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(size * 64));
    config.blockDim = dim3(32);
    config.dynamicSmemBytes = 120 * 1024;
    cudaLaunchAttribute a{};
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim.x = static_cast<unsigned>(size);
    a.val.clusterDim.y = a.val.clusterDim.z = 1;
    config.attrs = &a;
    config.numAttrs = 1;
    CHECK(cudaMemset(sm, 0, sizeof(int) * n * 16));
    const cudaError_t error = cudaLaunchKernelEx(&config, probe_cluster, sm);
    if (error != cudaSuccess) {
      cudaGetLastError();
      continue;
    }
    std::printf(",\n");
    print_list(("clusters_" + std::to_string(size)).c_str(), to_host(sm, static_cast<size_t>(size) * 64));
  }

  const int lines = 96;
  auto* data = device_array<unsigned>(size_t(lines) * 4096);
  auto* cycles = device_array<unsigned>(size_t(p.multiProcessorCount) * lines);
  CHECK(cudaFuncSetAttribute(probe_latency, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  probe_latency<<<p.multiProcessorCount, 32, 227 * 1024>>>(data, lines, 4096, 40, sm, cycles);
  CHECK(cudaGetLastError());
  std::printf(",\n\"latency\": {\"lines\": %d, ", lines);
  print_list("sm", to_host(sm, p.multiProcessorCount));
  std::printf(", ");
  print_list("cycles", to_host(cycles, size_t(p.multiProcessorCount) * lines));
  std::printf("}}\n");
}
