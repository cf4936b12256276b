// Calls the peer that was compiled for the best instruction set of this machine.
#include "interp/lang/instruction_set.h"
#include "kernels/peers/peers.h"

namespace tl::peers {

namespace baseline {
#include "kernels/peers/functions.inl"
}
namespace avx2 {
#include "kernels/peers/functions.inl"
}
namespace avx512 {
#include "kernels/peers/functions.inl"
}

void copy(const std::int32_t* x, std::int32_t* z, std::int64_t n, int threads) { TL_BEST(copy)(x, z, n, threads); }
void add(const float* x, const float* y, float* z, std::int64_t n, int threads) { TL_BEST(add)(x, y, z, n, threads); }
float sum(const float* x, std::int64_t n, int threads) { return TL_BEST(sum)(x, n, threads); }
void transpose(const float* x, float* y, std::int64_t m, std::int64_t n, int threads) {
  TL_BEST(transpose)(x, y, m, n, threads);
}
void grey(const std::uint8_t* x, std::uint8_t* out, std::int64_t pixels, int threads) {
  TL_BEST(grey)(x, out, pixels, threads);
}
void dropout(const float* x, std::uint8_t* keep, float* output, std::int64_t n, float p, std::uint64_t seed,
             int threads) {
  TL_BEST(dropout)(x, keep, output, n, p, seed, threads);
}
void softmax(const float* x, float* y, std::int64_t rows, std::int64_t cols, int threads) {
  if constexpr (has_eigen) TL_BEST(softmax)(x, y, rows, cols, threads);
}
void unfused_softmax(const float* x, float* scratch, float* y, std::int64_t rows, std::int64_t cols, int threads) {
  if constexpr (has_eigen) TL_BEST(unfused_softmax)(x, scratch, y, rows, cols, threads);
}
void layernorm(DType dtype, const void* x, const void* w, const void* b, void* y, std::int64_t rows, std::int64_t cols,
               float eps, int threads) {
  if constexpr (has_eigen) TL_BEST(layernorm)(dtype, x, w, b, y, rows, cols, eps, threads);
}
void matmul(DType dtype, const void* a, const void* b, bool b_is_nk, void* c, std::int64_t m, std::int64_t n,
            std::int64_t k, int threads) {
  if constexpr (has_eigen) TL_BEST(matmul)(dtype, a, b, b_is_nk, c, m, n, k, threads);
}
void attention(DType dtype, const void* q, const void* k, const void* v, void* o, std::int64_t heads, std::int64_t seq,
               std::int64_t head_dim, float scale, bool causal, int threads) {
  if constexpr (has_eigen) TL_BEST(attention)(dtype, q, k, v, o, heads, seq, head_dim, scale, causal, threads);
}

}  // namespace tl::peers
