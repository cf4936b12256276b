// Who of up to sixteen was used when, in one word: numbers of four bits each, so that a use moves four bits.
#pragma once

#include <cstdint>

namespace tl::machine {

// The ways of a set, the one used last in the lowest bits.
class UseOrder {
 public:
  static constexpr int most_ways = 16;
  int oldest(int ways) const { return static_cast<int>(order_ >> (4 * (ways - 1)) & 15); }
  void use(int way) { order_ = used(way); }
  // The same without a branch.
  void use_if(bool does, int way) {
    const std::uint64_t order = used(way);
    order_ = does ? order : order_;
  }

 private:
  static constexpr std::uint64_t ones = 0x1111111111111111;
  std::uint64_t used(int way) const {
    const std::uint64_t number = static_cast<std::uint64_t>(way), differ = order_ ^ number * ones;
    const std::uint64_t equal = (differ - ones) & ~differ & 8 * ones;  // its lowest bit: of the lowest four bits of `differ` that are none
    const std::uint64_t up_to = equal ^ (equal - 1);
    return (order_ ^ ((order_ ^ order_ << 4) & up_to)) | number;
  }
  std::uint64_t order_ = 0xfedcba9876543210;
};

}  // namespace tl::machine
