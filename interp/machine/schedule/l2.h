// L2 as one or two partitions of sets and ways. A line has a home partition; a read from the other side looks into the
// near partition first, then goes over the fabric to the home, and both keep a copy. A written line is kept like a read
// one, dirty at its home; when more than `dirty_limit` units are dirty the oldest is written back and stays, clean.
// Units are lines, or pieces of tiles of equal size. Not recently used: a bit a way; the victim is drawn among the ways
// whose bit is clear; when all are set, all but the newest are cleared. Checked against sweeps on an H200
// (probes/capacity.cu) in tests/machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "interp/machine/device.h"
#include "interp/machine/schedule/schedule.h"
#include "interp/machine/schedule/use_times.h"

namespace tl::machine {

enum class Found : unsigned char { near, far, miss };

// Units that follow each other.
struct Neighbours {
  std::uint32_t first, units;
};

class L2 {
 public:
  struct Shape {
    std::int64_t units = 0;  // that fit, in both partitions together
    int partitions = 1, ways = 16;
    Policy policy = Policy::not_recently_used;
    std::int64_t dirty_limit = 0;  // units; 0: none
    std::uint64_t seed = 1;
    std::uint32_t unit_count = 0;  // units that there are: 0 <= unit < unit_count
  };
  explicit L2(const Shape& shape);

  // Neighbouring units go to neighbouring sets, as the address hash of a GPU spreads a region evenly: hashing at random
  // would overflow some sets long before L2 is full, which no sweep shows. Each round through all sets begins
  // elsewhere, by the golden ratio, so that no stride of tiles meets a set again and again.
  struct Sets {
    std::uint64_t count = 1, inverse = 0;  // inverse: 2^64 / count, rounded up
    int shift = 0;
    std::uint32_t low = 0;  // a bit where units of one set differ
    // x / count and x % count as a part of 2^64 without a division, exact for 32 bits: Lemire, Kaser, Kurz, Faster
    // remainder by direct computation, 2019.
    std::size_t of(std::uint32_t unit) const {
      const auto product = static_cast<unsigned __int128>(inverse) * (unit >> shift);
      const std::uint64_t turned =
          static_cast<std::uint64_t>(product) + static_cast<std::uint64_t>(product >> 64) * 0x9E3779B97F4A7C15ull;
      return static_cast<std::size_t>((static_cast<unsigned __int128>(turned) * count) >> 64);
    }
    // How many units from this one on are in the sets that follow each other.
    std::size_t following(std::uint32_t unit) const {
      const std::uint64_t in_round = (unit >> shift) % count;
      return (std::min(count - of(unit), count - in_round) << shift) - (unit & low);
    }
  };
  // A read from `side` < partitions; `crossed` tells whether it went over the fabric.
  Found read(std::uint32_t unit, int side, bool& crossed) {
    crossed = false;
    return holds(unit, side) ? Found::near : fetch(unit, side, crossed);
  }
  // The two halves of read(): whether the near partition holds the unit, then, where it does not, the way to its home.
  bool holds(std::uint32_t unit, int side) {
    if (clock_is_full()) renumber();
    return holds_unchecked(unit, side);
  }
  // The same where the clock is not late: it calls nothing.
  bool holds_unchecked(std::uint32_t unit, int side) {
    Partition& p = parts_[side];
    const std::uint8_t way = p.ways[unit];
    if (way == nowhere) return false;
    if (policy_ == Policy::lru) p.times[sets_.of(unit)].use(way, clock_++);
    else p.bits[sets_.of(unit)].refer(way, full_);
    return true;
  }
  bool clock_is_full() const { return __builtin_expect(clock_ >= UseTimes::most_time - 1, false); }
  void renumber();
  Found fetch(std::uint32_t unit, int side, bool& crossed) {
    const std::size_t set = sets_.of(unit);
    insert(parts_[side], set, unit);
    const int home = home_of(unit);
    if (partitions_ == 1 || home == side) return Found::miss;
    crossed = true;
    return keep(parts_[home], set, unit) ? Found::far : Found::miss;
  }
  // holds() of neighbours: visit(i) where the near partition does not hold the i-th.
  template <class Visit>
  void find_missing(Neighbours asked, int side, Visit visit) {
    Partition& p = parts_[side];
    const std::uint8_t* const ways = &p.ways[asked.first];
    const std::int32_t time = policy_ == Policy::lru ? ticks(static_cast<std::int32_t>(asked.units)) : 0;
    for (std::uint32_t i = 0; i < asked.units;) {
      const std::size_t set = sets_.of(asked.first + i);
      const std::uint32_t low = (asked.first + i) & sets_.low, n = static_cast<std::uint32_t>(std::min<std::size_t>(
                                                                   asked.units - i, sets_.following(asked.first + i)));
      if (policy_ != Policy::lru) {
        for (std::uint32_t j = 0; j < n; ++j)
          ways[i + j] == nowhere ? visit(i + j) : p.bits[set + ((low + j) >> sets_.shift)].refer(ways[i + j], full_);
      } else {
        UseTimes* const times = &p.times[set];
        std::uint32_t j = 0;
        for (; j + 8 <= n; j += 8) {
          std::uint64_t eight;
          std::memcpy(&eight, ways + i + j, 8);
          if (__builtin_expect((eight & 0x0101010101010101 * nowhere) != 0, false)) {
            for (std::uint32_t k = j; k < j + 8; ++k)
              if (ways[i + k] == nowhere) visit(i + k);
              else times[(low + k) >> sets_.shift].use(ways[i + k], time + static_cast<std::int32_t>(i + k));
          } else {
            for (std::uint32_t k = 0; k < 8; ++k)
              times[(low + j + k) >> sets_.shift].use(static_cast<int>(eight >> 8 * k & 15),
                                                      time + static_cast<std::int32_t>(i + j + k));
          }
        }
        for (; j < n; ++j)
          if (ways[i + j] == nowhere) visit(i + j);
          else times[(low + j) >> sets_.shift].use(ways[i + j], time + static_cast<std::int32_t>(i + j));
      }
      i += n;
    }
  }
  void prefetch(Neighbours asked, int side) const {
    const Partition& p = parts_[side];
    std::uint32_t unit = asked.first;
    do {
      __builtin_prefetch(&p.ways[unit], 1);
      unit += 64;
    } while (unit < asked.first + asked.units);
    if (policy_ != Policy::lru) return __builtin_prefetch(&p.bits[sets_.of(asked.first)], 1);
    const UseTimes *times = &p.times[sets_.of(asked.first)], *const end = times + (asked.units >> sets_.shift);
    do __builtin_prefetch(times, 1);
    while (++times < end);
  }
  // Prefetches what fetch() reads beyond what prefetch() covers.
  void prefetch_distant(std::uint32_t unit) const {
    const std::size_t set = sets_.of(unit);
    for (int i = 0; i < partitions_; ++i) {
      __builtin_prefetch(&parts_[i].tags[set], 1);
      __builtin_prefetch(&parts_[i].times[policy_ == Policy::lru ? set : 0], 1);
    }
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
  // From now on every `sampled`-th unit (a power of two) that enters or leaves is noted, without its time.
  void note_changes(std::vector<L2Change>* changes, std::uint32_t sampled) {
    changes_ = changes;
    unnoted_ = sampled - 1;
  }
  int home_of(std::uint32_t unit) const {
    return partitions_ == 1 ? 0 : static_cast<int>((unit ^ (mix((unit >> 1) + salt_) >> 63)) & 1);
  }

 private:
  static constexpr std::uint8_t nowhere = UseTimes::most_ways;  // its bit is no way's
  static constexpr std::uint32_t nobody = UINT32_MAX;
  struct Tags {
    std::uint32_t units[UseTimes::most_ways];  // nobody: an empty way
  };
  // A bit for each way of a set; referenced: used recently.
  struct Bits {
    std::uint32_t referenced = 0, dirty = 0;
    void refer(int way, std::uint32_t full) {
      referenced |= 1u << way;
      if (referenced == full) referenced = 1u << way;
    }
  };
  // Where each unit stands is kept beside who stands where: a hit asks for one byte and searches no set.
  struct Partition {
    std::vector<std::uint8_t> ways;  // of the units: in which way of its set, or nowhere
    std::vector<UseTimes> times;     // of the sets, as the three below
    std::vector<Tags> tags;
    std::vector<Bits> bits;
  };
  static std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ x >> 33;
  }

  // Whether it was there; it is there now.
  bool keep(Partition& p, std::size_t set, std::uint32_t unit) {
    const std::uint8_t way = p.ways[unit];
    if (way == nowhere) return insert(p, set, unit), false;
    touch(p, set, way);
    return true;
  }
  void touch(Partition& p, std::size_t set, int way) {
    if (policy_ == Policy::lru) p.times[set].use(way, ticks(1));
    else p.bits[set].refer(way, full_);
  }
  // Moves the clock on by `number` ticks and returns the first.
  std::int32_t ticks(std::int32_t number) {
    if (__builtin_expect(clock_ >= UseTimes::most_time - number, false)) renumber();
    return (clock_ += number) - number;
  }
  void insert(Partition& p, std::size_t set, std::uint32_t unit) {
    const int way = policy_ == Policy::lru ? p.times[set].oldest() : not_recently_used(p.tags[set], p.bits[set]);
    std::uint32_t &holder = p.tags[set].units[way], &dirty = p.bits[set].dirty;
    if (dirty >> way & 1) {
      written_back_.push_back(holder);
      dirty ^= 1u << way;
      --dirty_;
    }
    if (__builtin_expect(changes_ != nullptr, false)) note(&p == parts_ ? 0 : 1, holder, unit);
    if (holder != nobody) p.ways[holder] = nowhere;
    holder = unit;
    p.ways[unit] = static_cast<std::uint8_t>(way);
    touch(p, set, way);
  }
  int not_recently_used(const Tags& tags, const Bits& bits);
  void note(int side, std::uint32_t leaves, std::uint32_t enters);
  void clean_oldest();

  int partitions_, ways_;
  std::int32_t clock_ = UseTimes::first_time;
  std::uint32_t full_;
  Policy policy_;
  Sets sets_;
  std::uint64_t salt_, random_;
  Partition parts_[2];
  std::int64_t dirty_ = 0, dirty_limit_;
  std::vector<std::uint32_t> dirty_order_;  // written units, oldest first
  std::size_t oldest_ = 0;
  std::vector<std::uint32_t> written_back_;
  std::vector<L2Change>* changes_ = nullptr;
  std::uint32_t unnoted_ = 0;  // bits of a unit that must be clear
};

}  // namespace tl::machine
