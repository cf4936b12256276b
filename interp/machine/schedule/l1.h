// The L1 caches of the SMs: sets of a few ways, the least recently used leaves. Units as in L2. That what is read
// again and again stays while other lines stream by is seen on an H200: layernorm's weights are fetched once an SM
// (tests/machine/recorded).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tl::machine {

class L1 {
 public:
  L1(std::size_t sms, std::size_t units_per_sm, std::size_t ways)
      : ways_(std::min(ways, units_per_sm)), sets_(ways_ ? units_per_sm / ways_ : 0), tags_(sms * sets_ * ways_) {}

  // Whether `sm` holds the unit, or of a line these quarters of it; it does afterwards, where it has an L1 at all.
  bool read(std::size_t sm, std::uint32_t unit, unsigned quarters = 0) {
    if (sets_ == 0) return false;
    std::uint32_t* tags = tags_.data() + (sm * sets_ + unit % sets_) * ways_;
    const std::uint32_t tag = quarters ? unit << 4 | quarters : unit + 1;
    std::size_t way = 0;
    while (way + 1 < ways_ && tags[way] != tag) ++way;
    const bool found = tags[way] == tag;
    for (; way > 0; --way) tags[way] = tags[way - 1];
    tags[0] = tag;
    return found;
  }

 private:
  std::size_t ways_, sets_;
  std::vector<std::uint32_t> tags_;  // of a set the newest first; 0: empty
};

}  // namespace tl::machine
