// Numbers for keys, given in the order in which the keys are first met.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tl::machine {

// Keys are integers: a table from the least key to the largest, or a hash where
// that table would be mostly empty.
class Numbers {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;
  void will_hold(std::int64_t least, std::int64_t most, std::int64_t meetings) {
    least_ = std::min(least_, least);
    most_ = std::max(most_, most);
    meetings_ += meetings;
  }
  // After the last will_hold; `none` where the key is new.
  std::uint32_t& operator[](std::int64_t key) {
    if (table_.empty() && most_ - least_ < 4 * meetings_)
      table_.assign(static_cast<std::size_t>(most_ - least_ + 1), none);
    return table_.empty() ? hash_.try_emplace(key, none).first->second : table_[key - least_];
  }

 private:
  std::int64_t least_ = INT64_MAX / 4, most_ = INT64_MIN / 4, meetings_ = 0;
  std::vector<std::uint32_t> table_;
  std::unordered_map<std::int64_t, std::uint32_t> hash_;
};

inline std::uint64_t hash_of(std::int64_t k) { return static_cast<std::uint64_t>(k) * 0x9E3779B97F4A7C15ull; }

// Keys numbered in the order in which they are first met: a launch of a million short programs has millions of them.
template <class Key>
class Interned {
 public:
  std::uint32_t number_of(const Key& key) {
    if (!keys_.empty() && keys_.back() == key) return static_cast<std::uint32_t>(keys_.size()) - 1;
    if (slots_.empty() && (keys_.empty() || keys_.back() < key)) {  // keys that only rise need no table
      keys_.push_back(key);
      return static_cast<std::uint32_t>(keys_.size()) - 1;
    }
    if (2 * keys_.size() >= slots_.size()) grow();
    std::uint32_t& slot = slot_of(key);
    if (slot == free) {
      slot = static_cast<std::uint32_t>(keys_.size());
      keys_.push_back(key);
    }
    return slot;
  }

 private:
  static constexpr std::uint32_t free = UINT32_MAX;
  std::uint32_t& slot_of(const Key& key) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash_of(key) >> shift_;
    while (slots_[at] != free && !(keys_[slots_[at]] == key)) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    slots_.assign(std::bit_ceil(std::max<std::size_t>(64, 4 * keys_.size())), free);
    shift_ = 64 - (std::bit_width(slots_.size()) - 1);
    for (std::size_t i = 0; i < keys_.size(); ++i) slot_of(keys_[i]) = static_cast<std::uint32_t>(i);
  }

  std::vector<Key> keys_;
  std::vector<std::uint32_t> slots_;  // a power of two of them, at most half taken
  int shift_ = 0;
};

}  // namespace tl::machine
