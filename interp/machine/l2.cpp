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
    if (policy_ == Policy::lru) parts_[p].used.assign(parts_[p].tags.size(), 0);
    parts_[p].sets.assign(sets_, {});
  }
}

int L2::find(const Partition& p, std::size_t set, std::uint32_t unit) const {
  const std::uint32_t* tags = p.tags.data() + set * static_cast<std::size_t>(ways_);
  for (int way = 0; way < ways_; ++way)
    if (tags[way] == unit + 1) return way;
  return -1;
}

void L2::touch(Partition& p, std::size_t set, int way) {
  Set& s = p.sets[set];
  s.referenced |= 1u << way;
  if (s.referenced == full_) s.referenced = 1u << way;
  if (policy_ == Policy::lru) p.used[set * static_cast<std::size_t>(ways_) + static_cast<std::size_t>(way)] = static_cast<std::uint32_t>(++now_);
}

int L2::victim_of(Partition& p, std::size_t set) {
  const std::size_t first = set * static_cast<std::size_t>(ways_);
  for (int way = 0; way < ways_; ++way)
    if (p.tags[first + static_cast<std::size_t>(way)] == 0) return way;
  if (policy_ == Policy::lru)
    return static_cast<int>(std::min_element(p.used.begin() + static_cast<std::ptrdiff_t>(first), p.used.begin() + static_cast<std::ptrdiff_t>(first) + ways_) -
                            p.used.begin() - static_cast<std::ptrdiff_t>(first));
  std::uint32_t free = full_ & ~p.sets[set].referenced;
  if (!free) free = full_;
  random_ ^= random_ << 13, random_ ^= random_ >> 7, random_ ^= random_ << 17;
  for (auto skip = static_cast<int>((random_ >> 33) % static_cast<unsigned>(std::popcount(free))); skip > 0; --skip) free &= free - 1;
  return std::countr_zero(free);
}

int L2::insert(Partition& p, std::size_t set, std::uint32_t unit) {
  const int way = victim_of(p, set);
  std::uint32_t& tag = p.tags[set * static_cast<std::size_t>(ways_) + static_cast<std::size_t>(way)];
  if (p.sets[set].dirty >> way & 1) {
    written_back_.push_back(tag - 1);
    p.sets[set].dirty &= ~(1u << way);
    --dirty_;
  }
  tag = unit + 1;
  touch(p, set, way);
  return way;
}

bool L2::look_up(Partition& p, std::uint32_t unit) {
  const std::size_t set = set_of(unit);
  const int way = find(p, set, unit);
  if (way >= 0) return touch(p, set, way), true;
  insert(p, set, unit);
  return false;
}

Found L2::read(std::uint32_t unit, int side, bool& crossed) {
  crossed = false;
  if (partitions_ == 1) return look_up(parts_[0], unit) ? Found::near : Found::miss;
  if (look_up(parts_[side], unit)) return Found::near;
  const int home = home_of(unit);
  if (home == side) return Found::miss;
  crossed = true;
  return look_up(parts_[home], unit) ? Found::far : Found::miss;
}

void L2::write(std::uint32_t unit, int side) {
  const int home = home_of(unit);
  if (partitions_ == 2 && home != side) look_up(parts_[side], unit);
  Partition& p = parts_[home];
  const std::size_t set = set_of(unit);
  int way = find(p, set, unit);
  if (way < 0) way = insert(p, set, unit);
  else touch(p, set, way);
  if (p.sets[set].dirty >> way & 1) return;
  p.sets[set].dirty |= 1u << way;
  ++dirty_;
  if (dirty_limit_ == 0) return;
  dirty_order_.push_back(unit);
  while (dirty_ > dirty_limit_) clean_oldest();
}

// Entries of units that left L2 or were cleaned in the meantime are skipped.
void L2::clean_oldest() {
  const std::uint32_t unit = dirty_order_[oldest_++];
  Partition& p = parts_[home_of(unit)];
  const std::size_t set = set_of(unit);
  const int way = find(p, set, unit);
  if (way >= 0 && (p.sets[set].dirty >> way & 1)) {
    p.sets[set].dirty &= ~(1u << way);
    --dirty_;
    written_back_.push_back(unit);
  }
  if (oldest_ > 4096 && oldest_ * 2 > dirty_order_.size()) {
    dirty_order_.erase(dirty_order_.begin(), dirty_order_.begin() + static_cast<std::ptrdiff_t>(oldest_));
    oldest_ = 0;
  }
}

}  // namespace tl::machine
