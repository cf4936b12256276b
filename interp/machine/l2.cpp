#include "interp/machine/l2.h"

#include <algorithm>
#include <bit>

namespace tl::machine {

L2::L2(const Shape& s)
    : partitions_(std::clamp(s.partitions, 1, 2)), ways_(std::clamp(s.ways, 1, CacheSet::most_ways)), full_((1u << ways_) - 1), policy_(s.policy), salt_(mix(s.seed) >> 8),
      random_(mix(s.seed + 17) | 1), dirty_limit_(s.dirty_limit) {
  const double sets = static_cast<double>(s.units) / partitions_ / ways_;
  sets_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(sets + 0.5));
  sets_inverse_ = ~std::uint64_t{0} / sets_ + 1;
  for (int p = 0; p < partitions_; ++p) parts_[p].sets.resize(sets_), parts_[p].uses.resize(sets_);
}

int L2::not_recently_used(const CacheSet& set, const Use& use) {
  if (const std::uint32_t empty = set.ways_with(0) & full_) return std::countr_zero(empty);
  std::uint32_t free = full_ & ~use.referenced;
  if (!free) free = full_;
  random_ ^= random_ << 13, random_ ^= random_ >> 7, random_ ^= random_ << 17;
  for (auto skip = static_cast<int>((random_ >> 33) % static_cast<unsigned>(std::popcount(free))); skip > 0; --skip) free &= free - 1;
  return std::countr_zero(free);
}

bool L2::write(std::uint32_t unit, int side) {
  const int home = home_of(unit);
  const std::size_t set = set_of(unit);
  if (partitions_ == 2 && home != side) look_up(parts_[side], set, unit);
  Partition& p = parts_[home];
  const std::uint32_t found = p.sets[set].ways_with(unit + 1);
  const int way = found ? std::countr_zero(found) : insert(p, set, unit);
  Use& use = p.uses[set];
  if (found) touch(use, way);
  if (use.dirty >> way & 1) return true;
  use.dirty |= 1u << way;
  ++dirty_;
  if (dirty_limit_ > 0) {
    dirty_order_.push_back(unit);
    while (dirty_ > dirty_limit_) clean_oldest();
  }
  return found != 0;
}

// Entries of units that left L2 or were cleaned in the meantime are skipped.
void L2::clean_oldest() {
  const std::uint32_t unit = dirty_order_[oldest_++];
  Partition& p = parts_[home_of(unit)];
  const std::size_t set = set_of(unit);
  if (const std::uint32_t dirty = p.sets[set].ways_with(unit + 1) & p.uses[set].dirty) {
    p.uses[set].dirty &= ~dirty;
    --dirty_;
    written_back_.push_back(unit);
  }
  if (oldest_ > 4096 && oldest_ * 2 > dirty_order_.size()) {
    dirty_order_.erase(dirty_order_.begin(), dirty_order_.begin() + static_cast<std::ptrdiff_t>(oldest_));
    oldest_ = 0;
  }
}

}  // namespace tl::machine
