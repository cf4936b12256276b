#include "interp/machine/l2.h"

#include <algorithm>
#include <bit>

namespace tl::machine {

L2::L2(const Shape& s)
    : partitions_(std::clamp(s.partitions, 1, 2)), ways_(std::clamp(s.ways, 1, 32)), policy_(s.policy), salt_(mix(s.seed) >> 8), random_(mix(s.seed + 17) | 1),
      dirty_limit_(s.dirty_limit) {
  full_ = ways_ == 32 ? ~0u : (1u << ways_) - 1;
  const double sets = static_cast<double>(s.units) / partitions_ / ways_;
  sets_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(sets + 0.5));
  for (int p = 0; p < partitions_; ++p) {
    parts_[p].tags.assign(sets_ * static_cast<std::size_t>(ways_), 0);
    if (policy_ == Policy::not_recently_used) parts_[p].referenced.assign(sets_, 0);
  }
}

int L2::find(const Tag* tags, Tag tag) const {
  for (int way = 0; way < ways_; ++way)
    if ((tags[way] & ~1u) == tag) return way;
  return -1;
}

int L2::touch(Partition& p, std::size_t set, int way) {
  if (policy_ == Policy::lru) {
    Tag* tags = ways_of(p, set);
    const Tag newest = tags[way];
    for (; way > 0; --way) tags[way] = tags[way - 1];
    return tags[0] = newest, 0;
  }
  std::uint32_t& referenced = p.referenced[set];
  referenced |= 1u << way;
  if (referenced == full_) referenced = 1u << way;
  return way;
}

int L2::victim_of(Partition& p, std::size_t set) {
  if (policy_ == Policy::lru) return ways_ - 1;
  const Tag* tags = ways_of(p, set);
  for (int way = 0; way < ways_; ++way)
    if (tags[way] == 0) return way;
  std::uint32_t free = full_ & ~p.referenced[set];
  if (!free) free = full_;
  random_ ^= random_ << 13, random_ ^= random_ >> 7, random_ ^= random_ << 17;
  for (auto skip = static_cast<int>((random_ >> 33) % static_cast<unsigned>(std::popcount(free))); skip > 0; --skip) free &= free - 1;
  return std::countr_zero(free);
}

int L2::insert(Partition& p, std::size_t set, Tag tag) {
  const int way = victim_of(p, set);
  Tag& victim = ways_of(p, set)[way];
  if (victim & 1) {
    written_back_.push_back((victim >> 1) - 1);
    --dirty_;
  }
  victim = tag;
  return touch(p, set, way);
}

bool L2::look_up(Partition& p, std::size_t set, Tag tag) {
  const int way = find(ways_of(p, set), tag);
  if (way >= 0) return touch(p, set, way), true;
  insert(p, set, tag);
  return false;
}

Found L2::read(std::uint32_t unit, int side, bool& crossed) {
  crossed = false;
  const std::size_t set = set_of(unit);
  const Tag tag = tag_of(unit);
  if (partitions_ == 1) return look_up(parts_[0], set, tag) ? Found::near : Found::miss;
  if (look_up(parts_[side], set, tag)) return Found::near;
  const int home = home_of(unit);
  if (home == side) return Found::miss;
  crossed = true;
  return look_up(parts_[home], set, tag) ? Found::far : Found::miss;
}

void L2::write(std::uint32_t unit, int side) {
  const int home = home_of(unit);
  const std::size_t set = set_of(unit);
  const Tag tag = tag_of(unit);
  if (partitions_ == 2 && home != side) look_up(parts_[side], set, tag);
  Partition& p = parts_[home];
  int way = find(ways_of(p, set), tag);
  way = way < 0 ? insert(p, set, tag) : touch(p, set, way);
  Tag& kept = ways_of(p, set)[way];
  if (kept & 1) return;
  kept |= 1;
  ++dirty_;
  if (dirty_limit_ == 0) return;
  dirty_order_.push_back(unit);
  while (dirty_ > dirty_limit_) clean_oldest();
}

// Entries of units that left L2 or were cleaned in the meantime are skipped.
void L2::clean_oldest() {
  const std::uint32_t unit = dirty_order_[oldest_++];
  Partition& p = parts_[home_of(unit)];
  Tag* tags = ways_of(p, set_of(unit));
  const int way = find(tags, tag_of(unit));
  if (way >= 0 && (tags[way] & 1)) {
    tags[way] &= ~1u;
    --dirty_;
    written_back_.push_back(unit);
  }
  if (oldest_ > 4096 && oldest_ * 2 > dirty_order_.size()) {
    dirty_order_.erase(dirty_order_.begin(), dirty_order_.begin() + static_cast<std::ptrdiff_t>(oldest_));
    oldest_ = 0;
  }
}

}  // namespace tl::machine
