// Numbers drawn by chance: sizes, strides and scalars of a trial, and what its tensors hold. The same seed draws the
// same. Numbers that stand in a kernel's own text are drawn as well, so that none can be known to stay away.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

namespace tl::lessons {

class Chance {
 public:
  // `own`: numbers of the kernel's text.
  explicit Chance(std::uint64_t seed, std::vector<double> own = {}) : bits_(seed), own_(std::move(own)) {}
  const std::vector<double>& own() const { return own_; }
  // A whole number from `low` to `high`, both among them.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(bits_);
  }
  // A length of the trial's data, which may be any number; one of them is set where a trial is made for it.
  std::int64_t size(std::int64_t low, std::int64_t high) {
    const std::int64_t drawn = between(low, high);
    return sizes_++ == set_ ? set_to_ : drawn;
  }
  void set_size(int which, std::int64_t to) {
    set_ = which;
    set_to_ = to;
  }
  int sizes() const { return sizes_; }  // drawn so far
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
  std::vector<double> own_;
  int sizes_ = 0, set_ = -1;
  std::int64_t set_to_ = 0;
};

}  // namespace tl::lessons
