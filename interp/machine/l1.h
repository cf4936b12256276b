// The L1 caches of the SMs: sets of up to 8 ways, the oldest leaves first. Units as in L2.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tl::machine {

class L1 {
 public:
  L1(std::size_t sms, std::size_t units_per_sm)
      : ways_(std::min<std::size_t>(8, units_per_sm)), sets_(ways_ ? units_per_sm / ways_ : 0), tags_(sms * sets_ * ways_), oldest_(sms * sets_) {}

  // Whether `sm` holds the unit; it does afterwards, where it has an L1 at all.
  bool read(std::size_t sm, std::uint32_t unit) {
    if (sets_ == 0) return false;
    const std::size_t set = sm * sets_ + unit % sets_;
    std::uint32_t* tags = tags_.data() + set * ways_;
    bool found = false;
    for (std::size_t way = 0; way < ways_; ++way) found |= tags[way] == unit + 1;
    if (found) return true;
    tags[oldest_[set]] = unit + 1;
    oldest_[set] = static_cast<unsigned char>((oldest_[set] + 1u) % ways_);
    return false;
  }

 private:
  std::size_t ways_, sets_;
  std::vector<std::uint32_t> tags_;    // unit + 1; 0: empty
  std::vector<unsigned char> oldest_;  // way of each set
};

}  // namespace tl::machine
