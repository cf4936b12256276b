// Dropout by a plain loop: Philox4x32-10 of each index, eight or sixteen indices at a time where the compiler
// vectorizes.
#include "kernels/peers/isa.h"

namespace tl::peers::TL_ISA {
namespace {

// The first word of Philox4x32-10 of counter (index, 0, 0, 0).
inline std::uint32_t philox_word(std::uint32_t index, std::uint32_t key0, std::uint32_t key1) {
  std::uint32_t c0 = index, c1 = 0, c2 = 0, c3 = 0;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c0, b = std::uint64_t{0xCD9E8D57} * c2;
    c0 = static_cast<std::uint32_t>(b >> 32) ^ c1 ^ key0;
    c2 = static_cast<std::uint32_t>(a >> 32) ^ c3 ^ key1;
    c1 = static_cast<std::uint32_t>(b);
    c3 = static_cast<std::uint32_t>(a);
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return c0;
}

inline float uniform(std::uint32_t word) {
  const auto x = static_cast<std::int32_t>(word);
  return static_cast<float>(x < 0 ? ~x : x) * 4.6566127342e-10f;
}

}  // namespace

void dropout(const float* x, std::uint8_t* keep, float* output, std::int64_t n, float p, std::uint64_t seed,
             int threads) {
  const auto key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
  const float rest = 1 - p;
  if (keep) {
#pragma omp parallel for simd schedule(static) num_threads(team(threads))
    for (std::int64_t i = 0; i < n; ++i) {
      const bool kept = uniform(philox_word(static_cast<std::uint32_t>(i), key0, key1)) > p;
      keep[i] = kept;
      output[i] = kept ? x[i] / rest : 0;
    }
    return;
  }
#pragma omp parallel for simd schedule(static) num_threads(team(threads))
  for (std::int64_t i = 0; i < n; ++i)
    output[i] = uniform(philox_word(static_cast<std::uint32_t>(i), key0, key1)) > p ? x[i] / rest : 0;
}

}  // namespace tl::peers::TL_ISA
