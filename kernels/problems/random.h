// Random inputs by counter: element i of a tensor depends on the seed and i alone, whatever the threads.
#pragma once

#include <cstdint>

#include "interp/lang/tensor.h"

namespace tl::problems {

// splitmix64 (Steele, Lea, Flood 2014) of seed and counter.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t z = seed * 0xd1342543de82ef95 + (counter + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Uniform in [-1, 1], then rounded to the dtype. Tensors of one problem take different `stream`s.
void fill_uniform(const Tensor& t, std::uint64_t seed, std::uint64_t stream);
// Uniform multiples of 1/128 in [-1, 1]: sums of up to 2^17 of them are exact in f32 in any order, and far more where
// signs alternate.
void fill_uniform_coarse(const Tensor& t, std::uint64_t seed, std::uint64_t stream);

}  // namespace tl::problems
