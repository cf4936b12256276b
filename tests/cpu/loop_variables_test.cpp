// Address runs: what moves from iteration to iteration, evenly or not.
#include "tests/cpu/address_lab.h"

using namespace tl;
using namespace tl::testing;

TEST_CASE("address run: a pointer carried from iteration to iteration, and a sum of loads") {
  const auto r = agrees(lab([](auto& tl, Pointer x) {
    auto p = x + tl.arange(0, c(64));
    auto sum = tl.zeros(tl.shape(c(64)), tl.float32);
    for ([[maybe_unused]] auto i : tl.range(500)) {
      sum = sum + tl.load(p);
      p += 64;
    }
    tl.store(p, sum);
  }));
  CHECK(r.segments.size() == 2);
  CHECK(r.segments[0].iterations == 500);
  CHECK(r.lane_ops(r.segments[0]) == 64);
  CHECK(r.accesses.back().base == 500 * 64);
}

TEST_CASE("address run: block pointers move by tl.advance") {
  const auto r = agrees(lab([](auto& tl, Pointer x) {
    auto p = tl.make_block_ptr(x, tl.tuple(100, 300), tl.tuple(300, 1), tl.tuple(80, 0), tl.shape(c(32), c(8)),
                               tl.axes(c(1), 0));
    for ([[maybe_unused]] auto i : tl.range(0, 300, 8)) {
      tl.load(p, {.boundary_check = tl.axes(0, c(1))});
      p = tl.advance(p, tl.tuple(0, 8));
    }
  }));
  CHECK(longest(r) == 37);
  CHECK(r.accesses[0].step == 8);
}

TEST_CASE("address run: offsets that are no affine function of the index") {
  const Body bodies[] = {
      [](auto& tl, Pointer x) {
        for (auto i : tl.range(100)) tl.load(x + i * i);
      },
      [](auto& tl, Pointer x) {
        for (auto i : tl.range(100)) tl.load(x + i % 13);
      },
      [](auto& tl, Pointer x) {
        for (auto i : tl.range(100)) tl.load(x + i / 3);
      },
      [](auto& tl, Pointer x) {
        for (auto i : tl.range(100)) tl.load(x + (i ^ 5));
      },
      [](auto& tl, Pointer x) {
        for (auto i : tl.range(100)) tl.load(x + tl.minimum(i, 50));
      },
      [](auto& tl, Pointer x) {
        for (auto i : tl.range(100)) tl.load(x + tl.where(i < 50, i * 2, i + 200));
      },
      [](auto& tl, Pointer x) {
        for (auto i : tl.range(100)) tl.load(x + tl.cdiv(i, 7));
      },
      [](auto& tl, Pointer x) {
        for (auto i : tl.range(100)) tl.load(x + i.to(tl.float32).to(tl.int32));
      },
      [](auto& tl, Pointer x) {
        for (auto i : tl.range(600)) tl.load(x + i.to(tl.uint8));
      },
      [](auto& tl, Pointer x) {
        for (auto i : tl.range(100)) tl.load(x + tl.arange(0, c(16)) * i);
      },
      [](auto& tl, Pointer x) {
        for (auto i : tl.range(100)) tl.load(x + (i * 16 + tl.arange(0, c(64))) % 1000);
      },
      [](auto& tl, Pointer x) {
        for (auto i : tl.range(100)) tl.load(x + i, {.mask = i % 2 == 0});
      },
      [](auto& tl, Pointer x) {
        for (auto i : tl.range(100)) tl.load(x + i, {.mask = i == 50});
      },
      [](auto& tl, Pointer x) {
        for (auto i : tl.range(100)) tl.load(x + i, {.mask = i != 50});
      },
      [](auto& tl, Pointer x) {
        for (auto i : tl.range(100)) tl.load(x + tl.arange(0, c(64)), {.mask = tl.arange(0, c(64)) <= i});
      },
  };
  for (const Body& body : bodies) agrees(lab(body));
}

TEST_CASE("pointers that lie anyhow are moved alike: each lane by the same number of elements") {
  const Tensor x = make_tensor("x", DType::int32, {64});
  for (int i = 0; i < 64; ++i) set(x, i, i * i);
  well(
      [](auto& tl) {
        const Tensor dummy = make_tensor("x", DType::int32, {64});
        auto p = tl.bind(TensorArgument{dummy}, 0) + (tl.arange(0, c(8)) * 3) % 8;
        auto q = p + 40;
        p += 5;
        q -= 3;
        const auto square = [](double v) { return v * v; };
        const Lanes near = lanes(tl.load(p)), far = lanes(tl.load(q(_, None) + tl.arange(0, c(2))(None, _)));
        for (std::size_t i = 0; i < 8; ++i) {
          const double lane = static_cast<double>(i * 3 % 8);
          CHECK(near[i] == square(lane + 5));
          CHECK(far[2 * i] == square(lane + 37));
          CHECK(far[2 * i + 1] == square(lane + 38));
        }
      },
      {x});
}

TEST_CASE("address run: pointers that wrap around a matrix's rows move evenly all the same") {
  const auto r = agrees(lab(
      [](auto& tl, Pointer x) {
        auto rows = (tl.program_id(0) * 16 + tl.arange(0, c(16))) % 40;
        auto p = x + rows(_, None) * 512 + tl.arange(0, c(16))(None, _);
        for ([[maybe_unused]] auto i : tl.range(32)) {
          tl.load(p);
          p += 16;
        }
      },
      {3}));
  CHECK(longest(r) == 32);
  CHECK(r.accesses.size() == 3);
}

TEST_CASE("address run: two pointers that lie anyhow, swapped, and one made anew in each iteration") {
  agrees(lab([](auto& tl, Pointer x) {
    auto p = x + tl.arange(0, c(16)) * 7 % 16, q = x + tl.arange(0, c(16)) * 5 % 16;
    for (auto i : tl.range(50)) {
      tl.load(p);
      auto t = p;
      p = q + 16;
      q = t;
      auto fresh = x + (tl.arange(0, c(16)) * 3 % 16 + i);
      tl.load(fresh + i * 2);
      tl.load(x + tl.arange(0, c(16)) * 3 % 16 + i * i);
    }
    tl.store(p, 1.0);
  }));
}

TEST_CASE("address run: variables that do not move evenly") {
  const Body bodies[] = {
      [](auto& tl, Pointer x) {  // quadratic by sums alone
        auto p = x + 0;
        auto step = tl.program_id(0);
        for ([[maybe_unused]] auto i : tl.range(100)) {
          tl.load(p);
          p += step;
          step += 1;
        }
      },
      [](auto& tl, Pointer x) {  // doubles, and stays in 16 bits by a mask
        auto k = tl.program_id(0) + 1;
        for ([[maybe_unused]] auto i : tl.range(100)) {
          tl.load(x + (k & 0xffff));
          k = k * 2;
        }
      },
      [](auto& tl, Pointer x) {  // ping-pong
        auto p = x + 0, q = x + 1000;
        for ([[maybe_unused]] auto i : tl.range(101)) {
          tl.load(p);
          auto t = p;
          p = q + 1;
          q = t;
        }
        tl.store(p, 1.0);
      },
      [](auto& tl, Pointer x) {  // three of them
        auto p = x + 0, q = x + 1000, r = x + 3000;
        for ([[maybe_unused]] auto i : tl.range(100)) {
          tl.load(p);
          auto t = p;
          p = q;
          q = r;
          r = t;
        }
        tl.store(p, 1.0);
      },
      [](auto& tl, Pointer x) {  // assigned now and again
        auto p = x + 0;
        for (auto i : tl.range(100)) {
          if (i % 10 == 9) p += 100;
          tl.load(p);
        }
      },
      [](auto& tl, Pointer x) {  // moved in the first iteration alone
        auto p = x + 0;
        auto first = tl.program_id(0) == 0;
        for ([[maybe_unused]] auto i : tl.range(100)) {
          if (first) p += 50;
          first = first & (tl.program_id(0) == 1);
          tl.load(p);
          p += 1;
        }
      },
      [](auto& tl, Pointer x) {  // a variable within
        for (auto i : tl.range(100)) {
          auto k = i + 1;
          k = k * 3;
          k += 1;
          tl.load(x + k);
        }
      },
      [](auto& tl, Pointer x) {  // wraps in 32 bits
        auto k = tl.program_id(0) + 2147483600;
        for ([[maybe_unused]] auto i : tl.range(200)) {
          tl.load(x + (k & 1023));
          tl.load(x + i, {.mask = k > 0});
          k += 1;
        }
      },
  };
  for (const Body& body : bodies) agrees(lab(body, {2}));
}

TEST_CASE("address run: what a C++ variable does in a loop is found out") {
  const Launch launch = lab(
      [](auto& tl, Pointer x) {
        int count = 0;
        for (auto i : tl.range(100)) {
          tl.load(x + i);
          if (++count == 50) tl.store(x + 3, 1.0);
        }
      },
      {20});
  CHECK(difference(cpu::record_accesses(launch), observed(launch)) == "");
}
