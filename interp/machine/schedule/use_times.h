// When each of up to sixteen ways was last used: one time each, so that a use is a single store.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tl::machine {

// The ways of a set, in one line of the processor's cache. The caller keeps the clock: times grow from first_time on,
// and renumber() is due before most_time.
class alignas(64) UseTimes {
 public:
  static constexpr int most_ways = 16;
  static constexpr std::int32_t first_time = most_ways, most_time = INT32_MAX >> 4;

  // All unused: the last way is the oldest.
  explicit UseTimes(int ways) {
    std::ranges::fill(times_, INT32_MAX);
    for (int way = 0; way < ways; ++way) use(way, ways - 1 - way);
  }
  int oldest() const {
    std::int32_t least = INT32_MAX;
    for (const std::int32_t time : times_) least = time < least ? time : least;
    return least & 15;
  }
  void use(int way, std::int32_t time) { times_[way] = time << 4 | way; }
  // The same order, in times before first_time.
  void renumber(int ways) {
    std::int32_t ranks[most_ways] = {};
    for (int way = 0; way < ways; ++way)
      ranks[way] = static_cast<std::int32_t>(
          std::count_if(times_, times_ + ways, [&](std::int32_t t) { return t < times_[way]; }));
    for (int way = 0; way < ways; ++way) use(way, ranks[way]);
  }

 private:
  std::int32_t times_[most_ways];  // the way in the lowest four bits: the least tells who it is
};

}  // namespace tl::machine
