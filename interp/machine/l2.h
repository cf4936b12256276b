// L2 as one or two partitions of sets and ways. A line has a home partition; a read from the other side looks into the near partition
// first, then goes over the fabric to the home, and both keep a copy. A written line is kept like a read one, dirty at its home; when
// more than `dirty_limit` units are dirty the oldest is written back and stays, clean. Units are lines, or pieces of tiles of equal size.
// Not recently used: a bit a way; the victim is drawn among the ways whose bit is clear; when all are set, all but the newest are cleared.
// Checked against sweeps on an H200 (calibration/capacity.cu) in tests/machine.
#pragma once

#include <cstdint>
#include <vector>

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
  Found read(std::uint32_t unit, int side, bool& crossed);
  void write(std::uint32_t unit, int side);
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
  // Of a unit: twice its number and 2, and 1 where it is dirty; 0: an empty way.
  using Tag = std::uint32_t;
  static Tag tag_of(std::uint32_t unit) { return (unit + 1) << 1; }
  struct Partition {
    std::vector<Tag> tags;                  // of a set's ways; lru: the newest first
    std::vector<std::uint32_t> referenced;  // not recently used: a bit a way
  };
  static std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 33, x *= 0xff51afd7ed558ccdull, x ^= x >> 33, x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ x >> 33;
  }
  // Neighbouring units go to neighbouring sets, as the address hash of a GPU spreads a region evenly: hashing at random would overflow
  // some sets long before L2 is full, which no sweep shows.
  std::size_t set_of(std::uint32_t unit) const { return (unit >> (partitions_ - 1)) % static_cast<std::uint32_t>(sets_); }
  Tag* ways_of(Partition& p, std::size_t set) const { return p.tags.data() + set * static_cast<std::size_t>(ways_); }
  int find(const Tag* tags, Tag tag) const;
  int touch(Partition& p, std::size_t set, int way);  // both return where the tag stands afterwards
  int insert(Partition& p, std::size_t set, Tag tag);
  bool look_up(Partition& p, std::size_t set, Tag tag);  // keeps it, if it was not there
  int victim_of(Partition& p, std::size_t set);
  void clean_oldest();

  int partitions_, ways_;
  std::uint32_t full_;
  Policy policy_;
  std::uint64_t sets_ = 1, salt_, random_;
  Partition parts_[2];
  std::int64_t dirty_ = 0, dirty_limit_;
  std::vector<std::uint32_t> dirty_order_;  // written units, oldest first
  std::size_t oldest_ = 0;
  std::vector<std::uint32_t> written_back_;
};

}  // namespace tl::machine
