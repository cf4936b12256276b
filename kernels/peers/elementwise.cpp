// Peers that touch each element once: plain loops, shared out by OpenMP, vectorized by the compiler.
#include <algorithm>

#include "kernels/peers/isa.h"

namespace tl::peers::TL_ISA {

void copy(const std::int32_t* x, std::int32_t* z, std::int64_t n, int threads) {
#pragma omp parallel for simd schedule(static) num_threads(team(threads))
  for (std::int64_t i = 0; i < n; ++i) z[i] = x[i];
}

void add(const float* x, const float* y, float* z, std::int64_t n, int threads) {
#pragma omp parallel for simd schedule(static) num_threads(team(threads))
  for (std::int64_t i = 0; i < n; ++i) z[i] = x[i] + y[i];
}

float sum(const float* x, std::int64_t n, int threads) {
  float total = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : total) num_threads(team(threads))
  for (std::int64_t i = 0; i < n; ++i) total += x[i];
  return total;
}

// Tiles of 32 x 32 by way of a padded buffer: both matrices are walked along rows, and a large power of two as row
// length does no harm.
void transpose(const float* x, float* y, std::int64_t m, std::int64_t n, int threads) {
  constexpr std::int64_t tile = 32;
#pragma omp parallel for collapse(2) schedule(static) num_threads(team(threads))
  for (std::int64_t i0 = 0; i0 < m; i0 += tile)
    for (std::int64_t j0 = 0; j0 < n; j0 += tile) {
      float buffer[tile][tile + 1];
      const std::int64_t rows = std::min(tile, m - i0), cols = std::min(tile, n - j0);
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < cols; ++j) buffer[i][j] = x[(i0 + i) * n + j0 + j];
      for (std::int64_t j = 0; j < cols; ++j)
        for (std::int64_t i = 0; i < rows; ++i) y[(j0 + j) * m + i0 + i] = buffer[i][j];
    }
}

void grey(const std::uint8_t* x, std::uint8_t* out, std::int64_t pixels, int threads) {
  const std::uint8_t *r = x, *g = x + pixels, *b = x + 2 * pixels;
#pragma omp parallel for simd schedule(static) num_threads(team(threads))
  for (std::int64_t i = 0; i < pixels; ++i)
    out[i] = static_cast<std::uint8_t>(static_cast<int>(
        0.2989f * static_cast<float>(r[i]) + 0.5870f * static_cast<float>(g[i]) + 0.1140f * static_cast<float>(b[i])));
}

}  // namespace tl::peers::TL_ISA
