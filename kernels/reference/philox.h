// Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011), and Triton's rand on top of it.
#pragma once

#include <array>
#include <cstdint>

namespace tl::reference {

std::array<std::uint32_t, 4> philox(std::uint64_t seed, std::array<std::uint32_t, 4> counter);
// tl.rand(seed, offset): the first word of counter (offset, 0, 0, 0), as a float in [0, 1).
float rand(std::uint64_t seed, std::uint32_t offset);

}  // namespace tl::reference
