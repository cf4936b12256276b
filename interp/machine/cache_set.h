// One set of a cache of up to sixteen ways: tags, and in one word who was used when. A tag is looked for in all ways at once; the order of use is a
// list of way numbers, four bits each, so that a hit moves four bits and no tag.
#pragma once

#include <bit>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tl::machine {

struct alignas(64) CacheSet {
  static constexpr int most_ways = 16;
  std::uint32_t tags[most_ways] = {};  // 0: an empty way

  // A bit for each way that holds the tag.
  std::uint32_t ways_with(std::uint32_t tag) const {
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi32(static_cast<int>(tag));
    const auto equal = [&](int i) { return _mm_cmpeq_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(tags) + i), wanted); };
    const __m128i bytes = _mm_packs_epi16(_mm_packs_epi32(equal(0), equal(1)), _mm_packs_epi32(equal(2), equal(3)));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes));
#else
    std::uint32_t found = 0;
    for (int way = 0; way < most_ways; ++way) found |= static_cast<std::uint32_t>(tags[way] == tag) << way;
    return found;
#endif
  }
};

// The ways of a set, four bits each, the one used last in the lowest bits.
class UseOrder {
 public:
  int oldest(int ways) const { return static_cast<int>(order_ >> (4 * (ways - 1)) & 15); }
  void use(int way) {
    const std::uint64_t number = static_cast<std::uint64_t>(way), differ = order_ ^ number * ones;
    const int at = std::countr_zero((differ - ones) & ~differ & 8 * ones) & ~3;  // of the lowest four bits that are equal
    const std::uint64_t up_to = ~std::uint64_t{0} >> (60 - at);
    order_ = (order_ & ~up_to) | (order_ << 4 & up_to) | number;
  }

 private:
  static constexpr std::uint64_t ones = 0x1111111111111111;
  std::uint64_t order_ = 0xfedcba9876543210;
};

}  // namespace tl::machine
