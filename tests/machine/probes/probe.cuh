// What the probes share: checked calls, the SM a CTA runs on, the clock that all SMs share, and a list of what was
// launched.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#define CHECK(call)                                                                                       \
  do {                                                                                                    \
    const cudaError_t e_ = (call);                                                                        \
    if (e_ != cudaSuccess) std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e_)), std::exit(1); \
  } while (0)

__device__ inline unsigned sm_id() {
  unsigned id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

__device__ inline unsigned long long now_ns() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

__device__ inline void wait_cycles(long long cycles) {
  for (const long long start = clock64(); clock64() - start < cycles;) {
  }
}

// All CTAs of the launch are resident: each waits for the last.
__device__ inline void wait_for_all(unsigned* arrived) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1u);
    while (*reinterpret_cast<volatile unsigned*>(arrived) < gridDim.x) {
    }
  }
  __syncthreads();
}

template <class T>
T* device_array(size_t n) {
  T* p = nullptr;
  CHECK(cudaMalloc(&p, n * sizeof(T)));
  CHECK(cudaMemset(p, 0, n * sizeof(T)));
  return p;
}

template <class T>
std::vector<T> to_host(const T* p, size_t n) {
  std::vector<T> v(n);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
  return v;
}

// One line of JSON a profiled launch, in launch order: the script lays ncu's rows beside them.
inline void print_launch(const std::string& json) { std::printf("LAUNCH %s\n", json.c_str()), std::fflush(stdout); }
