// The next event of many slots: a tournament, the winner at the root. Moving the winner's time replays the log2(slots) matches on its way up. A
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
  }
  std::size_t first_slot() const { return winners_[1] & (leaves_ - 1); }
  double first_time() const { return times_[first_slot()]; }
  bool is_over() const { return first_time() == never; }

  void move_first(double time) {
    const std::size_t slot = first_slot();
    times_[slot] = time;
    std::uint64_t winner = player(slot);
    for (std::size_t node = leaves_ + slot; node > 1; node /= 2) {
      winners_[node] = winner;
      winner = std::min(winner, winners_[node ^ 1]);
    }
    winners_[1] = winner;
  }

 private:
  std::uint64_t player(std::size_t slot) const { return (std::bit_cast<std::uint64_t>(times_[slot] + 0.0) & ~static_cast<std::uint64_t>(leaves_ - 1)) | slot; }

  std::vector<double> times_;
  std::size_t leaves_;
  std::vector<std::uint64_t> winners_;  // node i's children are 2 i and 2 i + 1; the leaves come last
};

}  // namespace tl::machine
