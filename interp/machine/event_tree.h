// The next event of many slots: a tournament. Moving the winner's time replays the log2(slots) matches on its way up. A
// player is one number, so that a match is a minimum: the time's upper bits (times that are not negative are ordered like their bits), then the slot.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace tl::machine {

class EventTree {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  // A slot each, in order. Times are not negative.
  explicit EventTree(std::vector<double> times) : times_(std::move(times)), leaves_(std::bit_ceil(std::max<std::size_t>(1, times_.size()))), winners_(2 * leaves_) {
    times_.resize(leaves_, never);
    for (std::size_t i = 0; i < leaves_; ++i) winners_[leaves_ + i] = player(i);
    for (std::size_t node = leaves_ - 1; node > 0; --node) winners_[node] = std::min(winners_[2 * node], winners_[2 * node + 1]);
    first_ = winners_[1];
  }
  std::size_t first_slot() const { return first_ & (leaves_ - 1); }
  double first_time() const { return times_[first_slot()]; }
  bool is_over() const { return first_time() == never; }

  // Whose event comes next unless the first slot's new time is earlier still; no slot at all, where there is but one.
  std::size_t second_slot() {
    second_ = ~std::uint64_t{0};
    for (std::size_t node = leaves_ + first_slot(); node > 1; node /= 2) second_ = std::min(second_, winners_[node ^ 1]);
    return second_ & (leaves_ - 1);
  }
  // After second_slot().
  void move_first(double time) {
    const std::size_t slot = first_slot();
    times_[slot] = time;
    const std::uint64_t moved = player(slot);
    std::uint64_t winner = moved;
    for (std::size_t node = leaves_ + slot; node > 1; node /= 2) {
      winners_[node] = winner;
      winner = std::min(winner, winners_[node ^ 1]);
    }
    // Nearly always the second, which is known before `time` is: a branch lets the processor begin the next event meanwhile, a minimum would wait.
    first_ = second_;
    if (__builtin_expect(moved < second_, false)) first_ = moved;
  }

 private:
  std::uint64_t player(std::size_t slot) const { return (std::bit_cast<std::uint64_t>(times_[slot] + 0.0) & ~static_cast<std::uint64_t>(leaves_ - 1)) | slot; }

  std::vector<double> times_;
  std::size_t leaves_;
  std::uint64_t first_ = 0, second_ = 0;  // players
  std::vector<std::uint64_t> winners_;  // node i's children are 2 i and 2 i + 1; the leaves come last
};

}  // namespace tl::machine
