// What a time between two events has beside the launch: the events, and what a flush by writing left dirty in L2.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "probe.cuh"

__global__ void probe_empty() {}
__global__ void probe_copy(const float4* from, float4* to, size_t n) {
  const size_t i = blockIdx.x * size_t{256} + threadIdx.x;
  if (i < n) to[i] = from[i];
}
__global__ void probe_read(const float4* from, size_t n, float* out) {
  float sum = 0;
  for (size_t i = blockIdx.x * size_t{256} + threadIdx.x; i < n; i += gridDim.x * size_t{256}) sum += from[i].x;
  if (sum == 1.25f) *out = sum;
}

template <class Before, class Launch>
double median_us(Before before, Launch launch) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> ms(21);
  for (float& one : ms) {
    before();
    CHECK(cudaEventRecord(begin));
    launch();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&one, begin, end));
  }
  std::sort(ms.begin(), ms.end());
  return 1e3 * double(ms[10]);
}

int main() {
  const size_t flushed = size_t{120} << 20, most = size_t{256} << 20;
  auto* from = device_array<float4>(most / 16);
  auto* to = device_array<float4>(most / 16);
  auto* other = device_array<float4>(2 * flushed / 16);
  auto* out = device_array<float>(1);
  const auto write = [&] { CHECK(cudaMemsetAsync(other, 0, flushed)); };
  const auto read = [&] { probe_read<<<1056, 256>>>(other, 2 * flushed / 16, out); };
  std::printf("LAUNCH {\"kind\": \"empty\", \"us\": %.2f}\n", median_us(read, [] { probe_empty<<<1, 32>>>(); }));
  for (size_t mb = 1; mb <= 256; mb *= 4) {
    const size_t n = (mb << 20) / 16;
    const auto copy = [&] {
      probe_copy < < < (n + 255) / 256;
      256 >>> (from, to, n);
    };
    std::printf("LAUNCH {\"kind\": \"copy\", \"mb\": %zu, \"after_writes_us\": %.2f, \"after_reads_us\": %.2f}\n", mb,
                median_us(write, copy), median_us(read, copy));
  }
}
