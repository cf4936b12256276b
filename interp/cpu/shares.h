// Assigns programs to threads: each begins with a share of its own, the same in every launch, since its core's
// cache may still have what the last launch left there; a thread that has run out takes the later half of the longest
// share that is left. Within a share programs run in order, so that a program may wait for those before it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace tl::cpu {

class Shares {
 public:
  struct alignas(8) Range {  // one word, read and written at once
    std::uint32_t begin = 0, end = 0;
    std::uint32_t size() const { return end - begin; }
  };

  Shares(std::int64_t programs, int threads) : shares_(static_cast<std::size_t>(threads)) {
    for (std::int64_t t = 0; t < threads; ++t)
      of(static_cast<int>(t))
          .store({static_cast<std::uint32_t>(programs * t / threads),
                  static_cast<std::uint32_t>(programs * (t + 1) / threads)},
                 std::memory_order_relaxed);
  }

  // The programs that this thread runs next; none when all before `limit` are taken.
  Range next(int thread, std::int64_t limit) {
    const auto is_left = [&](const Range& r) { return r.size() > 0 && r.begin < limit; };
    std::atomic<Range>& own = of(thread);
    for (Range r = own.load(std::memory_order_relaxed); is_left(r);) {
      const std::uint32_t taken = std::clamp<std::uint32_t>(r.size() / 8, 1, 64);
      if (own.compare_exchange_weak(r, {r.begin + taken, r.end}, std::memory_order_relaxed))
        return {r.begin, r.begin + taken};
    }
    while (true) {
      const auto size = [&](const Share& s) {
        const Range r = s.left.load(std::memory_order_relaxed);
        return is_left(r) ? r.size() : 0;
      };
      Share& longest = *std::max_element(shares_.begin(), shares_.end(),
                                         [&](const Share& a, const Share& b) { return size(a) < size(b); });
      Range r = longest.left.load(std::memory_order_relaxed);
      if (!is_left(r)) return {};
      const std::uint32_t middle = r.begin + r.size() / 2;
      if (!longest.left.compare_exchange_strong(r, {r.begin, middle}, std::memory_order_relaxed)) continue;
      own.store({middle + 1, r.end}, std::memory_order_relaxed);  // the first at once, so that each step ends a program
      return {middle, middle + 1};
    }
  }

 private:
  struct alignas(64) Share {  // on a cache line of its own
    std::atomic<Range> left{Range{}};
  };

  std::atomic<Range>& of(int thread) { return shares_[static_cast<std::size_t>(thread)].left; }

  std::vector<Share> shares_;
};

}  // namespace tl::cpu
