// Numbers drawn by chance: sizes, strides and scalars of a trial, and what its tensors hold. The same seed draws the
// same. Numbers that stand in a kernel's own text are drawn as well, so that none can be known to stay away.
#pragma once

#include <algorithm>
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
  // How much there is of something, which may be any number from `low` on: elements, rows, programs, what lies between
  // rows. One of them is set where a trial is made for it.
  std::int64_t size(std::int64_t low, std::int64_t high) {
    const std::int64_t drawn = between(low, high);
    if (sizes_++ == set_.which) return std::max(low, set_.to);
    return set_.others > 0 ? std::max(low, set_.others) : drawn;
  }
  int sizes() const { return sizes_; }  // drawn so far

  enum class Blocks { any, smallest, largest };
  struct Set {
    int which = -1;                   // size, -1: none
    std::int64_t to = 0, others = 0;  // the others; 0: as drawn
    Blocks blocks = Blocks::any;      // small ones make many of a size, large ones few
  };
  void set(const Set& s) { set_ = s; }
  double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(bits_); }
  double normal() { return normal_(bits_); }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[between(0, static_cast<std::int64_t>(all.size()) - 1)];
  }
  std::int64_t lowest_block() const { return lowest_block_; }  // the largest of those that blocks may be at least
  // A power of two: how long a block is.
  std::int64_t block(std::int64_t low, std::int64_t high) {
    std::int64_t doublings = 0;
    while (low << (doublings + 1) <= high) ++doublings;
    const std::int64_t drawn = between(0, doublings);
    lowest_block_ = std::max(lowest_block_, low);
    return low << (set_.blocks == Blocks::smallest ? 0 : set_.blocks == Blocks::largest ? doublings : drawn);
  }

 private:
  std::mt19937_64 bits_;
  std::normal_distribution<double> normal_;
  std::vector<double> own_;
  int sizes_ = 0;
  std::int64_t lowest_block_ = 1;
  Set set_;
};

}  // namespace tl::lessons
