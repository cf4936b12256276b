// What a place on an SM loses from the end of a CTA to the first request of the next, by threads and CTAs an SM: CTAs
// that wait a fixed time, and CTAs that copy a number a thread. The time of twice as many less that of as many.
#include "probe.cuh"

__global__ void probe_wait(long long cycles) { wait_cycles(cycles); }

__global__ void probe_copy(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
}

template <class F>
float least_us(F launch) {
  cudaEvent_t from, to;
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&to));
  launch();
  float least = 1e9f;
  for (int round = 0; round < 5; ++round) {
    CHECK(cudaEventRecord(from));
    launch();
    CHECK(cudaEventRecord(to));
    CHECK(cudaEventSynchronize(to));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, from, to));
    least = ms * 1e3f < least ? ms * 1e3f : least;
  }
  return least;
}

void print(const char* kind, int threads, int per_sm, const char* by, int number, double period_ns) {
  std::printf("{\"kind\": \"%s\", \"threads\": %d, \"per_sm\": %d, \"%s\": %d, \"period_ns\": %.1f}\n", kind, threads,
              per_sm, by, number, period_ns);
}

int main() {
  int sms = 0, khz = 0;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  CHECK(cudaFuncSetAttribute(probe_wait, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 * 1024));
  for (const int threads : {32, 64, 128, 256, 512, 1024})
    for (const int most : {32, 16, 8, 4, 2}) {  // CTAs an SM, by their shared memory
      const size_t shared = most == 32 ? 0 : 227 * 1024 / most - 1024;
      int per_sm = 0;
      CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, probe_wait, threads, shared));
      if (most != 32 && per_sm != most) continue;
      for (const int ns : {500, 2000}) {
        constexpr int waves = 40;
        const auto time = [&](int ctas) {
          return least_us([&] { probe_wait<<<ctas, threads, shared>>>(static_cast<long long>(ns * 1e-6 * khz)); });
        };
        const int ctas = sms * per_sm * waves;
        print("spin", threads, per_sm, "spin_ns", ns, (time(2 * ctas) - time(ctas)) * 1e3 / waves);
      }
    }
  constexpr int most = 1 << 28;
  const auto* x = device_array<float>(most);
  auto* y = device_array<float>(most);
  for (const int threads : {32, 64, 128, 256, 512, 1024})
    for (const int n : {1 << 24, 1 << 27}) {
      int per_sm = 0;
      CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, probe_copy, threads, 0));
      const auto time = [&](int ctas) { return least_us([&] { probe_copy<<<ctas, threads>>>(x, y); }); };
      const int ctas = n / threads;
      print("copy", threads, per_sm, "n", n, (time(2 * ctas) - time(ctas)) * 1e3 * sms * per_sm / ctas);
    }
}
