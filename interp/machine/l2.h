// L2 as one or two partitions of sets and ways. A line has a home partition; a read from the other side looks into the near partition
// first, then goes over the fabric to the home, and both keep a copy. A written line is kept like a read one, dirty at its home; when
// more than `dirty_limit` units are dirty the oldest is written back and stays, clean. Units are lines, or pieces of tiles of equal size.
// Not recently used: a bit a way; the victim is drawn among the ways whose bit is clear; when all are set, all but the newest are cleared.
// Checked against sweeps on an H200 (calibration/capacity.cu) in tests/machine.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/machine/device.h"
#include "interp/machine/use_order.h"

namespace tl::machine {

enum class Found : unsigned char { near, far, miss };

class L2 {
 public:
  struct Shape {
    std::int64_t units = 0;  // that fit, in both partitions together
    int partitions = 1, ways = 16;
    Policy policy = Policy::not_recently_used;
    std::int64_t dirty_limit = 0;   // units; 0: none
    std::uint64_t seed = 1;
    std::uint32_t unit_count = 0;   // units that there are: 0 <= unit < unit_count
  };
  explicit L2(const Shape& shape);

  // Neighbouring units go to neighbouring sets, as the address hash of a GPU spreads a region evenly: hashing at random would overflow
  // some sets long before L2 is full, which no sweep shows.
  struct Sets {
    std::uint64_t count = 1, inverse = 0;  // inverse: 2^64 / count, rounded up
    int shift = 0;
    // x % count without a division, exact for 32 bits: Lemire, Kaser, Kurz, Faster remainder by direct computation, 2019.
    std::size_t of(std::uint32_t unit) const { return static_cast<std::size_t>((static_cast<unsigned __int128>(inverse * (unit >> shift)) * count) >> 64); }
  };
  // Of a set.
  struct Use {
    UseOrder order;                           // lru
    std::uint32_t referenced = 0, dirty = 0;  // a bit a way; referenced: not recently used
    void refer(int way, std::uint32_t full) {
      referenced |= 1u << way;
      if (referenced == full) referenced = 1u << way;
    }
  };

  // A read from `side`; `crossed` tells whether it went over the fabric.
  Found read(std::uint32_t unit, int side, bool& crossed) {
    crossed = false;
    return near(side).holds(unit) ? Found::near : fetch(unit, side, crossed);
  }
  // The two halves of read(): whether the near partition holds the unit, then, where it does not, the way to its home.
  struct Near {
    const std::uint8_t* ways;
    Use* uses;
    Sets sets;
    std::uint32_t full;
    Policy policy;
    bool holds(std::uint32_t unit) const {
      const std::uint8_t way = ways[unit];
      Use& use = uses[sets.of(unit)];
      if (policy == Policy::lru) use.order.use_if(way != nowhere, way & (UseOrder::most_ways - 1));  // no branch on what nothing foretells
      else if (way != nowhere) use.refer(way, full);
      return way != nowhere;
    }
  };
  Near near(int side) {
    Partition& p = parts_[side & (partitions_ - 1)];
    return {p.ways.data(), p.uses.data(), sets_, full_, policy_};
  }
  Found fetch(std::uint32_t unit, int side, bool& crossed) {
    const std::size_t set = sets_.of(unit);
    insert(parts_[side & (partitions_ - 1)], set, unit);
    const int home = home_of(unit);
    if (partitions_ == 1 || home == side) return Found::miss;
    crossed = true;
    return keep(parts_[home], set, unit) ? Found::far : Found::miss;
  }
  void prefetch(std::uint32_t unit, int side) const {
    const Partition& p = parts_[side & (partitions_ - 1)];
    __builtin_prefetch(&p.ways[unit], 1), __builtin_prefetch(&p.uses[sets_.of(unit)], 1);
  }
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
  static constexpr std::uint8_t nowhere = 255;
  static constexpr std::uint32_t nobody = UINT32_MAX;
  struct Tags {
    std::uint32_t units[UseOrder::most_ways];  // nobody: an empty way
  };
  // Where each unit stands is kept beside who stands where: a hit asks for one byte and searches no set.
  struct Partition {
    std::vector<std::uint8_t> ways;  // of the units: in which way of its set, or nowhere
    std::vector<Tags> tags;          // of the sets
    std::vector<Use> uses;
  };
  static std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 33, x *= 0xff51afd7ed558ccdull, x ^= x >> 33, x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ x >> 33;
  }

  // Whether it was there; it is kept now.
  bool keep(Partition& p, std::size_t set, std::uint32_t unit) {
    const std::uint8_t way = p.ways[unit];
    if (way == nowhere) return insert(p, set, unit), false;
    touch(p.uses[set], way);
    return true;
  }
  void touch(Use& use, int way) {
    if (policy_ == Policy::lru) use.order.use(way);
    else use.refer(way, full_);
  }
  int insert(Partition& p, std::size_t set, std::uint32_t unit) {  // returns its way
    Use& use = p.uses[set];
    const int way = policy_ == Policy::lru ? use.order.oldest(ways_) : not_recently_used(p.tags[set], use);
    std::uint32_t& holder = p.tags[set].units[way];
    if (use.dirty >> way & 1) {
      written_back_.push_back(holder);
      use.dirty ^= 1u << way;
      --dirty_;
    }
    if (holder != nobody) p.ways[holder] = nowhere;
    holder = unit, p.ways[unit] = static_cast<std::uint8_t>(way);
    touch(use, way);
    return way;
  }
  int not_recently_used(const Tags& tags, const Use& use);
  void clean_oldest();

  int partitions_, ways_;
  std::uint32_t full_;
  Policy policy_;
  Sets sets_;
  std::uint64_t salt_, random_;
  Partition parts_[2];
  std::int64_t dirty_ = 0, dirty_limit_;
  std::vector<std::uint32_t> dirty_order_;  // written units, oldest first
  std::size_t oldest_ = 0;
  std::vector<std::uint32_t> written_back_;
};

}  // namespace tl::machine
