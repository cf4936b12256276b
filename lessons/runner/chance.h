// Numbers drawn by chance: sizes, strides and scalars of a trial, and what its tensors hold. The same seed draws the
// same.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>

namespace tl::lessons {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : bits_(seed) {}
  // A whole number from `low` to `high`, both among them.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(bits_);
  }
  double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(bits_); }
  double normal() { return normal_(bits_); }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[between(0, static_cast<std::int64_t>(all.size()) - 1)];
  }
  // A power of two: how long a block is.
  std::int64_t block(std::int64_t low, std::int64_t high) {
    std::int64_t doublings = 0;
    while (low << (doublings + 1) <= high) ++doublings;
    return low << between(0, doublings);
  }

 private:
  std::mt19937_64 bits_;
  std::normal_distribution<double> normal_;
};

}  // namespace tl::lessons
