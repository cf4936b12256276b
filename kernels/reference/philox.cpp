#include "kernels/reference/philox.h"

#include <bit>

namespace tl::reference {

std::array<std::uint32_t, 4> philox(std::uint64_t seed, std::array<std::uint32_t, 4> counter) {
  std::uint32_t key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key0, static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key1, static_cast<std::uint32_t>(product0)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return counter;
}

float rand(std::uint64_t seed, std::uint32_t offset) {
  const auto word = std::bit_cast<std::int32_t>(philox(seed, {offset, 0, 0, 0})[0]);
  return static_cast<float>(word < 0 ? ~word : word) * 4.6566127342e-10f;
}

}  // namespace tl::reference
