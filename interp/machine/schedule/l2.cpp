#include "interp/machine/schedule/l2.h"

#include <algorithm>
#include <bit>

namespace tl::machine {

L2::L2(const Shape& s)
    : partitions_(std::clamp(s.partitions, 1, 2)),
      ways_(std::clamp(s.ways, 1, UseTimes::most_ways)),
      full_((1u << ways_) - 1),
      policy_(s.policy),
      salt_(mix(s.seed) >> 8),
      random_(mix(s.seed + 17) | 1),
      dirty_limit_(s.dirty_limit) {
  const double sets = static_cast<double>(s.units) / partitions_ / ways_;
  sets_.count = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(sets + 0.5));
  sets_.inverse = ~std::uint64_t{0} / sets_.count + 1, sets_.shift = partitions_ - 1,
  sets_.low = (1u << sets_.shift) - 1;
  Tags empty;
  std::ranges::fill(empty.units, nobody);
  for (int i = 0; i < partitions_; ++i) {
    Partition& p = parts_[i];
    p.ways.resize(s.unit_count, nowhere);
    p.tags.resize(sets_.count, empty);
    p.bits.resize(sets_.count);
    if (policy_ == Policy::lru) p.times.resize(sets_.count, UseTimes(ways_));
  }
}

int L2::not_recently_used(const Tags& tags, const Bits& bits) {
  if (const auto empty = std::find(tags.units, tags.units + ways_, nobody); empty != tags.units + ways_)
    return static_cast<int>(empty - tags.units);
  std::uint32_t free = full_ & ~bits.referenced;
  if (!free) free = full_;
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  for (auto skip = static_cast<int>((random_ >> 33) % static_cast<unsigned>(std::popcount(free))); skip > 0; --skip)
    free &= free - 1;
  return std::countr_zero(free);
}

void L2::note(int side, std::uint32_t leaves, std::uint32_t enters) {
  const auto add = [&](std::uint32_t unit, bool is_entering) {
    if ((unit & unnoted_) == 0) changes_->push_back({0, unit, static_cast<unsigned char>(side), is_entering});
  };
  if (leaves != nobody) add(leaves, false);
  add(enters, true);
}

void L2::renumber() {
  for (Partition& p : parts_)
    for (UseTimes& times : p.times) times.renumber(ways_);
  clock_ = UseTimes::first_time;
}

bool L2::write(std::uint32_t unit, int side) {
  const int home = home_of(unit);
  const std::size_t set = sets_.of(unit);
  if (partitions_ == 2 && home != side) keep(parts_[side], set, unit);
  Partition& p = parts_[home];
  const bool was_there = keep(p, set, unit);
  const std::uint32_t bit = 1u << p.ways[unit];
  if (p.bits[set].dirty & bit) return true;
  p.bits[set].dirty |= bit;
  ++dirty_;
  if (dirty_limit_ > 0) {
    dirty_order_.push_back(unit);
    while (dirty_ > dirty_limit_) clean_oldest();
  }
  return was_there;
}

// Entries of units that left L2 or were cleaned in the meantime are skipped.
void L2::clean_oldest() {
  const std::uint32_t unit = dirty_order_[oldest_++];
  Partition& p = parts_[home_of(unit)];
  std::uint32_t& dirty = p.bits[sets_.of(unit)].dirty;
  if (p.ways[unit] != nowhere && dirty >> p.ways[unit] & 1) {
    dirty ^= 1u << p.ways[unit];
    --dirty_;
    written_back_.push_back(unit);
  }
  if (oldest_ > 4096 && oldest_ * 2 > dirty_order_.size()) {
    dirty_order_.erase(dirty_order_.begin(), dirty_order_.begin() + static_cast<std::ptrdiff_t>(oldest_));
    oldest_ = 0;
  }
}

}  // namespace tl::machine
