// A priority queue of slots by the time of their next event: a tree in which each node is the least of its eight
// children. Time and slot are one double, the key, so that choosing is a minimum: the upper bits are the time's
// (doubles that are not negative are ordered like their bits), the lowest ones the slot's number.
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
    while (leaves_ < times.size()) leaves_ *= 8;
    tree_.assign(2 * leaves_, never);  // above 8 n to 8 n + 7 stands n; the leaves are the last
    for (std::size_t slot = 0; slot < times.size(); ++slot) tree_[leaves_ + slot] = key_of(slot, times[slot]);
    for (std::size_t first = leaves_; first > 1; first /= 8)
      for (std::size_t node = first / 8; node < first / 4; ++node) tree_[node] = least_below(node);
    first_ = tree_[1];
  }
  std::size_t first_slot() const { return slot_of(first_); }
  double first_time() const { return first_; }  // to some 1e-13 of it
  bool is_over() const { return first_ >= never / 2; }

  // The slot whose event comes next unless the first slot's new time is earlier still; none if there is only one slot.
  // The tree is left without the first slot.
  std::size_t second_slot() {
    std::size_t node = leaves_ + first_slot();
    tree_[node] = never;
    double least = never;
    do {
      node >>= 3;
      tree_[node] = least = least_below(node);
    } while (node > 1);
    second_ = least;
    return second_ >= never / 2 ? ~std::size_t{0} : slot_of(second_);
  }
  // After second_slot().
  void move_first(double time) {
    const double moved = key_of(first_slot(), time);
    std::size_t node = leaves_ + first_slot();
    tree_[node] = moved;
    // Branches, not minima: the moved slot is nearly always behind the second, and a processor that predicts so begins
    // the next event before `time` is known.
    while (node >>= 3, node > 1 && __builtin_expect(moved < tree_[node], false)) tree_[node] = moved;
    first_ = second_;
    if (__builtin_expect(moved < second_, false)) first_ = moved;
  }

 private:
  static double lesser(double a, double b) { return a < b ? a : b; }
  double least_below(std::size_t node) const {
    const double* const of = &tree_[8 * node];
    return lesser(lesser(lesser(of[0], of[1]), lesser(of[2], of[3])),
                  lesser(lesser(of[4], of[5]), lesser(of[6], of[7])));
  }
  double key_of(std::size_t slot, double time) const {
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(time) & ~slot_mask_) | slot);
  }
  std::size_t slot_of(double key) const { return std::bit_cast<std::uint64_t>(key) & slot_mask_; }

  std::uint64_t slot_mask_;
  std::size_t leaves_ = 8;
  double first_ = never, second_ = never;
  std::vector<double> tree_;
};

}  // namespace tl::machine
