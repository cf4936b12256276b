// L2 against sweeps of an H200, tests/machine/probes/capacity.cu: 528 CTAs read pieces of 4 KiB, eight times the
// set.
#include "interp/machine/schedule/l2.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "interp/machine/device.h"
#include "interp/machine/schedule/l1.h"
#include "interp/machine/schedule/next_event.h"

using namespace tl::machine;

namespace {

enum class Order {
  shared,
  own,
  cyclic
};  // random over the whole set; random over a CTA's own part; its own part in turn

struct Swept {
  Order order;
  double mib, missed;  // of the reads after the first pass, measured on 2026-11-21
};

double missed(const Device& d, Order order, double mib) {
  L2 l2({static_cast<std::int64_t>(static_cast<double>(d.l2_bytes) * d.l2_usable / 4096),
         static_cast<int>(d.l2_partitions), static_cast<int>(d.l2_ways), d.l2_policy, 0, 3,
         static_cast<std::uint32_t>(mib * 256)});
  constexpr std::int64_t ctas = 528;
  const auto pieces = static_cast<std::int64_t>(mib * 256) / ctas * ctas, part = pieces / ctas;
  std::int64_t misses = 0;
  std::uint64_t x = 88172645463325252ull;
  for (std::int64_t i = 0; i < 8 * part; ++i)
    for (std::int64_t cta = 0; cta < ctas; ++cta) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
      const auto drawn = static_cast<std::int64_t>(x >> 11);
      const std::int64_t piece =
          order == Order::shared ? drawn % pieces : cta * part + (order == Order::own ? drawn : i) % part;
      bool crossed = false;
      misses += l2.read(static_cast<std::uint32_t>(piece), cta % 132 < 66, crossed) == Found::miss;
    }
  return static_cast<double>(misses - pieces) / static_cast<double>(7 * pieces);
}

}  // namespace

TEST_CASE("L2: misses over the working set follow an H200's, for shared and private sets") {
  const Device h200 = find_device("h200");
  const Swept sweep[] = {{Order::shared, 24, 0.000},   {Order::shared, 35.1, 0.053},  {Order::shared, 47.4, 0.208},
                         {Order::shared, 63.9, 0.369}, {Order::shared, 127.9, 0.661}, {Order::own, 39.2, 0.001},
                         {Order::own, 55.7, 0.100},    {Order::own, 63.9, 0.190},     {Order::own, 127.9, 0.606},
                         {Order::cyclic, 35.1, 0.001}, {Order::cyclic, 39.2, 0.007},  {Order::cyclic, 59.8, 1.000}};
  for (const Swept& s : sweep) {
    CAPTURE(s.mib);
    CHECK(std::abs(missed(h200, s.order, s.mib) - s.missed) < 0.04);
  }
}

TEST_CASE("L2: a line read from both sides stands in both partitions, read from one side near its home in one") {
  L2 l2({.units = 1024, .partitions = 2, .policy = Policy::lru, .unit_count = 6});
  bool crossed = false;
  const int home = l2.home_of(5);
  CHECK(l2.read(5, home, crossed) == Found::miss);
  CHECK_FALSE(crossed);
  CHECK(l2.read(5, 1 - home, crossed) == Found::far);
  CHECK(crossed);
  CHECK(l2.read(5, 1 - home, crossed) == Found::near);
}

TEST_CASE("L2: written lines beyond the limit go to DRAM, oldest first, and stay readable") {
  L2 l2({.units = 1024, .partitions = 1, .policy = Policy::lru, .dirty_limit = 10, .unit_count = 15});
  for (std::uint32_t u = 0; u < 15; ++u) l2.write(u, 0);
  std::vector<std::uint32_t> out;
  l2.take_written_back([&](std::uint32_t u) { out.push_back(u); });
  CHECK(out == std::vector<std::uint32_t>{0, 1, 2, 3, 4});
  CHECK(l2.dirty_units() == 10);
  bool crossed = false;
  CHECK(l2.read(0, 0, crossed) == Found::near);
}

TEST_CASE("L1: lines that are asked for in quarters use all of its sets") {
  L1 l1(1, 1024, 8);
  for (std::uint32_t line = 0; line < 512; ++line) CHECK_FALSE(l1.read(0, line, 0b0011));
  for (std::uint32_t line = 0; line < 512; ++line) CHECK(l1.read(0, line, 0b0011));
  CHECK_FALSE(l1.read(0, 7, 0b1100));
}

TEST_CASE("L1: what is read again and again stays while other lines stream by, and each SM has its own") {
  L1 l1(2, 16, 8);
  l1.read(0, 0);
  l1.read(0, 1);
  for (std::uint32_t streamed = 2; streamed < 100; ++streamed) {
    CHECK_FALSE(l1.read(0, streamed));
    CHECK(l1.read(0, 0));
    CHECK(l1.read(0, 1));
  }
  CHECK_FALSE(l1.read(1, 0));
}

TEST_CASE(
    "use times: ways leave in the order in which they were last used, whatever their number, also where the clock "
    "begins again") {
  for (int ways = 1; ways <= UseTimes::most_ways; ++ways) {
    UseTimes times(ways);
    CHECK(times.oldest() == ways - 1);
    for (int way = 0; way < ways; ++way) times.use(way, UseTimes::most_time - ways + way);
    times.renumber(ways);
    times.use(0, UseTimes::first_time);
    for (int way = 1; way < ways; ++way) {
      CHECK(times.oldest() == way);
      times.use(way, UseTimes::first_time + way);
    }
    CHECK(times.oldest() == 0);
  }
}

TEST_CASE("next event: slots come in the order of their times, whatever their number") {
  for (const std::size_t slots : {1u, 2u, 3u, 4u, 5u, 16u, 17u, 64u, 65u, 264u, 4224u}) {
    std::vector<double> times;
    for (std::size_t i = 0; i < slots; ++i) times.push_back(static_cast<double>(i * 7919 % slots));
    NextEvent events(times);
    for (std::size_t turn = 0; turn < 3 * slots; ++turn) {
      const std::size_t slot = events.first_slot();
      const auto earliest = std::ranges::min_element(times);
      REQUIRE(times[slot] == *earliest);
      events.second_slot();
      events.move_first(times[slot] =
                            turn < 2 * slots ? times[slot] + static_cast<double>(slots + slot % 5) : NextEvent::never);
    }
    CHECK(events.is_over());
  }
}
