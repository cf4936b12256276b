// L2 as one or two partitions of sets and ways. A line has a home partition; a read from the other side looks into the near partition
// first, then goes over the fabric to the home, and both keep a copy. A written line is kept like a read one, dirty at its home; when
// more than `dirty_limit` units are dirty the oldest is written back and stays, clean. Units are lines, or pieces of tiles of equal size.
// Not recently used: a bit a way; the victim is drawn among the ways whose bit is clear; when all are set, all but the newest are cleared.
// Checked against sweeps on an H200 (calibration/capacity.cu) in tests/machine.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/machine/cache_set.h"
#include "interp/machine/device.h"

namespace tl::machine {

enum class Found : unsigned char { near, far, miss };

class L2 {
 public:
  struct Shape {
    std::int64_t units = 0;  // of both partitions together
    int partitions = 1, ways = 16;
    Policy policy = Policy::not_recently_used;
    std::int64_t dirty_limit = 0;  // units; 0: none
    std::uint64_t seed = 1;
  };
  explicit L2(const Shape& shape);

  // A read from `side`; `crossed` tells whether it went over the fabric.
  Found read(std::uint32_t unit, int side, bool& crossed) { return read(unit, set_of(unit), side, crossed); }
  Found read(std::uint32_t unit, std::size_t set, int side, bool& crossed) {
    crossed = false;
    if (partitions_ == 1) return look_up(parts_[0], set, unit) ? Found::near : Found::miss;
    if (look_up(parts_[side], set, unit)) return Found::near;
    const int home = home_of(unit);
    if (home == side) return Found::miss;
    crossed = true;
    return look_up(parts_[home], set, unit) ? Found::far : Found::miss;
  }
  // Neighbouring units go to neighbouring sets, as the address hash of a GPU spreads a region evenly: hashing at random would overflow
  // some sets long before L2 is full, which no sweep shows.
  std::size_t set_of(std::uint32_t unit) const { return remainder_of_sets(unit >> (partitions_ - 1)); }
  void prefetch(std::size_t set, int side) const { __builtin_prefetch(&parts_[partitions_ == 1 ? 0 : side].sets[set], 1), __builtin_prefetch(&parts_[partitions_ == 1 ? 0 : side].uses[set], 1); }
  bool write(std::uint32_t unit, int side);  // whether its home held it
  // Units that left L2 dirty or were cleaned since the last call.
  template <class Visit>
  void take_written_back(Visit visit) {
    for (const std::uint32_t unit : written_back_) visit(unit);
    written_back_.clear();
  }
  bool has_written_back() const { return !written_back_.empty(); }
  std::int64_t dirty_units() const { return dirty_; }
  int home_of(std::uint32_t unit) const { return partitions_ == 1 ? 0 : static_cast<int>((unit ^ (mix((unit >> 1) + salt_) >> 63)) & 1); }

 private:
  struct Use {
    UseOrder order;                           // lru
    std::uint32_t referenced = 0, dirty = 0;  // a bit a way; referenced: not recently used
  };
  struct Partition {
    std::vector<CacheSet> sets;  // tags are units + 1
    std::vector<Use> uses;       // of the sets
  };
  static std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 33, x *= 0xff51afd7ed558ccdull, x ^= x >> 33, x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ x >> 33;
  }
  // x % sets_ without a division, exact for 32 bits: Lemire, Kaser, Kurz, Faster remainder by direct computation, 2019.
  std::size_t remainder_of_sets(std::uint32_t x) const {
    return static_cast<std::size_t>((static_cast<unsigned __int128>(sets_inverse_ * x) * sets_) >> 64);
  }

  // Whether it was there; it is kept now.
  bool look_up(Partition& p, std::size_t set, std::uint32_t unit) {
    const std::uint32_t found = p.sets[set].ways_with(unit + 1);
    if (!found) return insert(p, set, unit), false;
    touch(p.uses[set], std::countr_zero(found));
    return true;
  }
  void touch(Use& use, int way) {
    if (policy_ == Policy::lru) return use.order.use(way);
    use.referenced |= 1u << way;
    if (use.referenced == full_) use.referenced = 1u << way;
  }
  int insert(Partition& p, std::size_t set, std::uint32_t unit) {  // returns its way
    Use& use = p.uses[set];
    const int way = policy_ == Policy::lru ? use.order.oldest(ways_) : not_recently_used(p.sets[set], use);
    std::uint32_t& tag = p.sets[set].tags[way];
    if (use.dirty >> way & 1) {
      written_back_.push_back(tag - 1);
      use.dirty ^= 1u << way;
      --dirty_;
    }
    tag = unit + 1;
    touch(use, way);
    return way;
  }
  int not_recently_used(const CacheSet& set, const Use& use);
  void clean_oldest();

  int partitions_, ways_;
  std::uint32_t full_;
  Policy policy_;
  std::uint64_t sets_ = 1, sets_inverse_ = 0, salt_, random_;  // sets_inverse_: 2^64 / sets_, rounded up
  Partition parts_[2];
  std::int64_t dirty_ = 0, dirty_limit_;
  std::vector<std::uint32_t> dirty_order_;  // written units, oldest first
  std::size_t oldest_ = 0;
  std::vector<std::uint32_t> written_back_;
};

}  // namespace tl::machine
