// The L2 request coalescer (LRC): reads of neighbouring SMs on their way to L2. A read of a unit that another SM of the
// same GPC asked for joins that request while it is under way and fewer than `limit` SMs wait for it: always at first,
// then less and less often until the window ends. Measured by probes/merging.cu.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

#include "interp/machine/device.h"
#include "interp/machine/schedule/l2.h"

namespace tl::machine {

class Merging {
 public:
  Merging(const Device& d, int groups, bool by_lines)
      : hit_ns_(d.merge_hit_ns),
        miss_ns_(d.merge_miss_ns),
        spread_(1 / d.merge_spread),
        limit_(static_cast<std::uint32_t>(std::clamp<std::int64_t>(d.merge_limit, 1, 255))) {
    if (limit_ > 1)
      bits_ = by_lines ? 15 : 11;  // requests live for less than a microsecond: a small table that stays in the cache
    const std::size_t places = static_cast<std::size_t>(groups) << bits_;
    keys_ = std::make_unique<std::uint32_t[]>(places);
    deadlines_ = std::make_unique<float[]>(places);
    std::fill_n(keys_.get(), places, UINT32_MAX);
  }
  // Chance ends windows early, after this part of their length; `draw` lies in [0, 1). Joining is certain at first. A
  // fit of the measured shares: 0.98, 0.75 and 0.31 after 65, 130 and 260 ns for lines from DRAM.
  double window_share(double draw) const { return 1 - draw * spread_; }
  // The requests of a group, in a table by the unit's low bits. A key holds the unit's other bits and, in the lowest
  // eight, how many SMs wait for it. Deadline: when the last one may join.
  struct Group {
    std::uint32_t* keys;
    float* deadlines;
    std::uint32_t mask, limit;
    double ns[2];  // of a hit, of a miss

    // Where the request of one unit stands. Counted without a branch: nothing foretells it.
    struct Pending {
      std::uint32_t* key;
      float* deadline;
      std::uint32_t owner;
      // Whether a read joins a request under way.
      bool joins(float now, std::uint32_t limit) const {
        const bool joins = (*key - owner < limit) & (now < *deadline);
        *key += joins;
        return joins;
      }
      // A read that goes on to L2: others may join it until then.
      void open(float last) const {
        *key = owner + 1;
        *deadline = last;
      }
    };
    Pending pending(std::uint32_t unit) const { return {&keys[unit & mask], &deadlines[unit & mask], unit & ~mask}; }
    bool joins(std::uint32_t unit, float now) const { return pending(unit).joins(now, limit); }
    // The same for at most `most_neighbours` of them: visit(neighbours) for those that do not join.
    template <class Visit>
    void join(Neighbours asked, float now, Visit visit) const {
      for (std::uint32_t from = 0; from < asked.units;) {
        const std::uint32_t place = (asked.first + from) & mask, owner = (asked.first + from) & ~mask,
                            n = std::min(asked.units - from, mask + 1 - place);
        unsigned char joined[most_neighbours];
        std::uint32_t* const key = keys + place;
        const float* const deadline = deadlines + place;
        for (std::uint32_t i = 0; i < n; ++i) {
          const std::uint32_t joins = (key[i] - owner < limit) & (now < deadline[i]);
          key[i] += joins;
          joined[i] = static_cast<unsigned char>(joins);
        }
        for (std::uint32_t i = 0; i < n;) {  // mostly all alike
          const void* const other = std::memchr(joined + i, !joined[i], n - i);
          const auto end = other ? static_cast<std::uint32_t>(static_cast<const unsigned char*>(other) - joined) : n;
          if (!joined[i]) visit(Neighbours{asked.first + from + i, end - i});
          i = end;
        }
        from += n;
      }
    }
    void prefetch(Neighbours asked) const {
      std::uint32_t unit = asked.first;
      do {
        __builtin_prefetch(&keys[unit & mask], 1);
        __builtin_prefetch(&deadlines[unit & mask], 1);
        unit += 16;
      } while (unit < asked.first + asked.units);
    }
    // When the last one joins. `queued`: how long the read waits before L2 looks it up.
    float deadline(double now, double queued, bool miss, double share) const {
      return static_cast<float>(now + (queued + ns[miss]) * share);
    }
    void open(std::uint32_t unit, double now, double queued, bool miss, double share) const {
      pending(unit).open(deadline(now, queued, miss, share));
    }
    // For neighbours, `step` one after the other from `until` on; `more` where the one before is still on its way at
    // `now`: arrives[i]. Returns the last.
    float open(Neighbours opened, float deadline, float step, float more, float now,
               const float* __restrict arrives) const {
      for (std::uint32_t from = 0; from < opened.units;) {
        const std::uint32_t place = (opened.first + from) & mask, n = std::min(opened.units - from, mask + 1 - place);
        std::fill_n(keys + place, n, ((opened.first + from) & ~mask) + 1);
        float* const __restrict at = deadlines + place;
        for (std::uint32_t i = 0; i < n; ++i) at[i] = deadline += step;
        for (std::uint32_t i = 0; i < n; ++i) at[i] += arrives[from + i] > now ? more : 0;
        from += n;
      }
      return deadline;
    }
  };
  static constexpr std::uint32_t most_neighbours = 128;
  Group of(int group) const {
    const std::size_t first = static_cast<std::size_t>(group) << bits_;
    return {keys_.get() + first, deadlines_.get() + first, (1u << bits_) - 1, limit_, {hit_ns_, miss_ns_}};
  }

 private:
  double hit_ns_, miss_ns_, spread_;
  std::uint32_t limit_;
  unsigned bits_ = 8;
  std::unique_ptr<std::uint32_t[]> keys_;
  std::unique_ptr<float[]> deadlines_;
};

}  // namespace tl::machine
