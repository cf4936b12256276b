// How long loads from L2 take, SM by SM and line by line: which half of L2 a line lives in, and which is near an SM.
#pragma once

#include "probe.cuh"

// One thread an SM: the shortest time of a load from L2 of each of some lines. The lines hold zeros, which the next
// address takes, so that loads wait for each other.
__global__ void probe_latency(const unsigned* data, int lines, int stride_words, int repeats, int* sm,
                              unsigned* cycles) {
  constexpr int chain = 16;
  if (threadIdx.x) return;
  sm[blockIdx.x] = static_cast<int>(sm_id());
  unsigned zero = 0;
  for (int i = 0; i < lines; ++i) {
    unsigned best = ~0u;
    for (int r = 0; r < repeats; ++r) {
      const long long begun = clock64();
      for (int k = 0; k < chain; ++k)
        asm volatile("ld.global.cg.u32 %0, [%1];"
                     : "=r"(zero)
                     : "l"(data + static_cast<size_t>(i) * stride_words + zero)
                     : "memory");
      best = min(best, static_cast<unsigned>((clock64() - begun) /
                                             (chain - 1)));  // when the last one is asked for all before it are there
    }
    cycles[static_cast<size_t>(blockIdx.x) * lines + i] = best + zero;
  }
}
