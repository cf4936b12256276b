// Which thread runs which programs.
#include "interp/cpu/shares.h"

#include <doctest/doctest.h>

#include <thread>

using tl::cpu::Shares;

TEST_CASE("shares: a thread alone runs all programs in order") {
  Shares shares(100, 1);
  std::uint32_t next = 0;
  for (Shares::Range r; (r = shares.next(0, 100)).size() > 0; next = r.end) CHECK(r.begin == next);
  CHECK(next == 100);
}

TEST_CASE("shares: each thread begins with its own part") {
  Shares shares(1000, 4);
  for (int thread = 0; thread < 4; ++thread)
    CHECK(shares.next(thread, 1000).begin == static_cast<std::uint32_t>(250 * thread));
}

TEST_CASE("shares: who has run out takes the later half of the longest share") {
  Shares shares(16, 2);
  for (std::uint32_t i = 8; i < 16; ++i) CHECK(shares.next(1, 16).begin == i);
  CHECK(shares.next(0, 16).begin == 0);
  CHECK(shares.next(1, 16).begin == 4);  // 1 to 7 were left
}

TEST_CASE("shares: threads that run at once run every program once") {
  constexpr int threads = 4, programs = 20000;
  Shares shares(programs, threads);
  std::vector<int> runs(programs);
  std::vector<std::thread> team;
  for (int t = 0; t < threads; ++t)
    team.emplace_back([&, t] {
      for (Shares::Range r; (r = shares.next(t, programs)).size() > 0;)
        for (std::uint32_t i = r.begin; i < r.end; ++i) ++runs[i];
    });
  for (std::thread& t : team) t.join();
  CHECK(std::count(runs.begin(), runs.end(), 1) == programs);
}

TEST_CASE("shares: fewer programs than threads leave some threads none") {
  Shares shares(2, 3);
  int given = 0;
  for (int thread = 0; thread < 3; ++thread) given += static_cast<int>(shares.next(thread, 2).size());
  CHECK(given == 2);
  CHECK(shares.next(0, 2).size() == 0);
}

TEST_CASE("shares: all below a limit is given, whichever thread asks, and then nothing") {
  Shares shares(1000, 2);
  std::vector<int> runs(1000);
  for (Shares::Range r; (r = shares.next(1, 3)).size() > 0;)  // the other thread's share
    for (std::uint32_t i = r.begin; i < r.end; ++i) ++runs[i];
  CHECK(std::vector<int>(runs.begin(), runs.begin() + 3) == std::vector<int>{1, 1, 1});
  CHECK(shares.next(0, 3).size() == 0);
}
