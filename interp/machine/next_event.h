// The next event of many slots: a tree of fours, each node the least of its four. A slot's time and its number are one double, so that choosing is a
// minimum: the time's upper bits (times that are not negative are ordered like their bits), then the slot.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace tl::machine {

class NextEvent {
 public:
  static constexpr double never = 1e300;

  // A slot each, in order. Times are not negative.
  explicit NextEvent(const std::vector<double>& times) : slot_mask_(std::bit_ceil(times.size() + 1) - 1) {
    while (leaves() < times.size()) ++levels_;
    tree_.assign(2 * leaves(), never);  // the nodes of level k, leaves first, begin at leaves() >> 2 k
    for (std::size_t slot = 0; slot < times.size(); ++slot) tree_[leaves() + slot] = player(slot, times[slot]);
    for (std::size_t node = 2 * leaves() - 4; node >= 4; node -= 4)
      if (is_node(node)) tree_[node >> 2] = lesser(lesser(tree_[node], tree_[node + 1]), lesser(tree_[node + 2], tree_[node + 3]));
    first_ = tree_[1];
  }
  std::size_t first_slot() const { return slot_of(first_); }
  double first_time() const { return first_; }  // to some 1e-13 of it
  bool is_over() const { return first_ >= never / 2; }

  // Whose event comes next unless the first slot's new time is earlier still; no slot at all, where there is but one.
  std::size_t second_slot() {
    double least = never;
    std::size_t node = leaves() + first_slot();
    for (int level = 0; level < levels_; ++level, node >>= 2) others_[level] = least = lesser(least, lesser(lesser(tree_[node ^ 1], tree_[node ^ 2]), tree_[node ^ 3]));
    second_ = least;
    return second_ >= never / 2 ? ~std::size_t{0} : slot_of(second_);
  }
  // After second_slot().
  void move_first(double time) {
    std::size_t node = leaves() + first_slot();
    const double moved = player(first_slot(), time);
    tree_[node] = moved;
    for (int level = 0; level < levels_; ++level) tree_[node >>= 2] = lesser(moved, others_[level]);
    // Nearly always the second, which is known before `time` is: a branch lets the processor begin the next event meanwhile, a minimum would wait.
    first_ = second_;
    if (__builtin_expect(moved < second_, false)) first_ = moved;
  }

 private:
  static constexpr int most_levels = 16;
  static double lesser(double a, double b) { return a < b ? a : b; }
  std::size_t leaves() const { return std::size_t{1} << 2 * levels_; }
  static bool is_node(std::size_t node) { return std::bit_width(node) % 2 == 1; }  // levels begin at powers of four, and end where the next power of two begins
  double player(std::size_t slot, double time) const { return std::bit_cast<double>((std::bit_cast<std::uint64_t>(time + 0.0) & ~slot_mask_) | slot); }
  std::size_t slot_of(double player) const { return std::bit_cast<std::uint64_t>(player) & slot_mask_; }

  std::uint64_t slot_mask_;
  int levels_ = 1;
  double first_ = never, second_ = never;
  double others_[most_levels];  // the least of the subtree of each level above the first slot, but for it
  std::vector<double> tree_;
};

}  // namespace tl::machine
