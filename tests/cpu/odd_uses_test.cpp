// Constructs used as strangers use them: beyond the dtype's range, along every axis, with empty masks, backwards.
#include <algorithm>
#include <cmath>

#include "tests/cpu/lab.h"

using namespace tl;
using namespace tl::testing;

namespace {
Lanes counting(int n) {
  Lanes v;
  for (int i = 0; i < n; ++i) v.push_back(i);
  return v;
}
}  // namespace

TEST_CASE("ranges that are empty, backwards, or beyond 32 bits") {
  well([](auto& tl) {
    const auto seen = [](const auto& range) {
      Lanes v;
      for (auto i : range) v.push_back(lanes(i)[0]);
      return v;
    };
    CHECK(seen(tl.range(0)) == Lanes{});
    CHECK(seen(tl.range(-3)) == Lanes{});
    CHECK(seen(tl.range(5, 5)) == Lanes{});
    CHECK(seen(tl.range(5, 0)) == Lanes{});
    CHECK(seen(tl.range(0, 5, -1)) == Lanes{});
    CHECK(seen(tl.range(5, 0, -2)) == Lanes{5, 3, 1});
    CHECK(seen(tl.range(-2, 3, 2)) == Lanes{-2, 0, 2});
    CHECK(seen(tl.range(4294967295LL, 4294967297LL)) == Lanes{4294967295.0, 4294967296.0});
    int turns = 0;
    for ([[maybe_unused]] auto i : tl.range(3, 3)) ++turns;
    tl.static_for(0_c, [&](auto) { ++turns; });
    CHECK(turns == 0);
  });
}

TEST_CASE("comparisons with literals that the dtype does not hold") {
  well([](auto& tl) {
    auto small = block(tl, DType::int32, {-2147483648.0, 2147483647.0});
    CHECK(lanes(small.to(tl.int64) < 3000000000LL) == Lanes{1, 1});
    CHECK(lanes(tl.arange(0, 2_c).to(tl.int64) - 4294967296LL < 0) == Lanes{1, 1});
    CHECK(lanes(block(tl, DType::uint32, {0, 4294967295.0}) > 2147483647) == Lanes{0, 1});
    // int32 with uint32 compares as uint32
    CHECK(lanes(block(tl, DType::int32, {-1, 1}) > block(tl, DType::uint32, {1, 2})) == Lanes{1, 0});
  });
}

TEST_CASE("a scalar on the left") {
  well([](auto& tl) {
    auto x = tl.arange(0, 4_c);
    auto two = tl.program_id(0) + 2;
    CHECK(lanes(2 - x) == Lanes{2, 1, 0, -1});
    CHECK(lanes(two - x) == Lanes{2, 1, 0, -1});
    CHECK(lanes(2 < x) == Lanes{0, 0, 0, 1});
    CHECK(lanes(two <= x) == Lanes{0, 0, 1, 1});
    CHECK(lanes(2 > x) == Lanes{1, 1, 0, 0});
    CHECK(lanes(two >= x) == Lanes{1, 1, 1, 0});
    CHECK(lanes(2 == x) == Lanes{0, 0, 1, 0});
    CHECK(lanes(two != x) == Lanes{1, 1, 0, 1});
    CHECK(lanes(7 / (x + 1)) == Lanes{7, 3, 2, 1});
    CHECK(lanes(-7 % (x + 1)) == Lanes{0, -1, -1, -3});
    CHECK(lanes(1 << x) == Lanes{1, 2, 4, 8});
    CHECK(lanes(1.0 / (x + 1))[3] == 0.25);
  });
}

TEST_CASE("steps backwards, and masks of them") {
  well([](auto& tl) {
    auto x = 3 - tl.arange(0, 4_c);
    CHECK(lanes(x < 2) == Lanes{0, 0, 1, 1});
    CHECK(lanes(x <= 2) == Lanes{0, 1, 1, 1});
    CHECK(lanes(x > 1) == Lanes{1, 1, 0, 0});
    CHECK(lanes(x >= 3) == Lanes{1, 0, 0, 0});
    CHECK(lanes(x == 1) == Lanes{0, 0, 1, 0});
    CHECK(lanes(x != 1) == Lanes{1, 1, 0, 1});
    CHECK(lanes(x * -3 < -4) == Lanes{1, 1, 0, 0});
    CHECK(lanes(x * 0 == 0) == Lanes{1, 1, 1, 1});
    CHECK(lanes(x / 2) == Lanes{1, 1, 0, 0});
    CHECK(lanes((x - 3) / 2) == Lanes{0, 0, -1, -1});
    CHECK(lanes((x - 3) % 2) == Lanes{0, -1, 0, -1});
    CHECK(lanes(tl.abs(x - 2)) == Lanes{1, 0, 1, 2});
    CHECK(lanes(-x) == Lanes{-3, -2, -1, 0});
    CHECK(lanes(~x) == Lanes{-4, -3, -2, -1});
    CHECK(lanes(tl.minimum(x, 1)) == Lanes{1, 1, 1, 0});
  });
}

TEST_CASE("masks: empty ones, nested ones, and ones along a broadcast axis") {
  well([](auto& tl) {
    auto i = tl.arange(0, 2_c)(_, None), j = tl.arange(0, 4_c)(None, _);
    auto never = tl.arange(0, 4_c) < 0, always = tl.arange(0, 4_c) >= 0;
    CHECK(lanes((i < 0) & (j < 3)) == Lanes(8, 0));
    CHECK(lanes((i < 2) & (j < 0)) == Lanes(8, 0));
    CHECK(lanes((i < 0) | (j < 1)) == Lanes{1, 0, 0, 0, 1, 0, 0, 0});
    CHECK(lanes((i > 0) ^ (j > 2)) == Lanes{0, 0, 0, 1, 1, 1, 1, 0});
    CHECK(lanes(((i > 0) & (j > 0)) & (j < 3)) == Lanes{0, 0, 0, 0, 0, 1, 1, 0});
    CHECK(lanes((i > 0) & never) == Lanes(8, 0));
    CHECK(lanes((j < 2) & always(None, _) & (i == 1)) == Lanes{0, 0, 0, 0, 1, 1, 0, 0});
    CHECK(lanes(!never) == Lanes{1, 1, 1, 1});
    CHECK(lanes(~always) == Lanes{0, 0, 0, 0});
    CHECK(lanes((tl.arange(0, 4_c) >= 1) & (tl.arange(0, 4_c) < 3) & true) == Lanes{0, 1, 1, 0});
    CHECK(lanes(never == always) == Lanes{0, 0, 0, 0});
    CHECK(lanes(never < always) == Lanes{1, 1, 1, 1});
    CHECK(lanes((tl.program_id(0) == 0) & (tl.arange(0, 4_c) > 1)) == Lanes{0, 0, 1, 1});
    CHECK(lanes((tl.program_id(0) > 0) | (tl.arange(0, 4_c) > 1)) == Lanes{0, 0, 1, 1});
  });
}

TEST_CASE("blocks of fewer axes are padded with 1 on the left") {
  well([](auto& tl) {
    auto row = tl.arange(0, 4_c);
    auto x = block(tl, DType::int32, {2, 4}, counting(8));
    CHECK(lanes(x + row) == Lanes{0, 2, 4, 6, 4, 6, 8, 10});
    CHECK(lanes(row + x) == Lanes{0, 2, 4, 6, 4, 6, 8, 10});
    CHECK(lanes(row - tl.arange(0, 2_c)(_, None) * 4) == Lanes{0, 1, 2, 3, -4, -3, -2, -1});
    CHECK(lanes(row < tl.arange(0, 2_c)(_, None) + 1) == Lanes{1, 0, 0, 0, 1, 1, 0, 0});
    CHECK(lanes((row < 2) & (tl.arange(0, 2_c)(_, None) > 0)) == Lanes{0, 0, 0, 0, 1, 1, 0, 0});
    CHECK(lanes(tl.where(row < 2, x, -1)) == Lanes{0, 1, -1, -1, 4, 5, -1, -1});
    CHECK(lanes(x.to(tl.float32) * row.to(tl.float16)) == Lanes{0, 1, 4, 9, 0, 5, 12, 21});
  });
}

TEST_CASE("loads backwards, with one address for all lanes, and with masks of every kind") {
  const Tensor t = tensor_of("t", DType::float32, {8}, counting(8)),
               h = tensor_of("h", DType::float16, {4}, {1, 2, 3, 4});
  well(
      [](auto& tl) {
        auto p = tl.bind(TensorArgument{tl.state().launch.tensors[0]}, 0),
             q = tl.bind(TensorArgument{tl.state().launch.tensors[1]}, 1);
        auto x = tl.arange(0, 4_c);
        CHECK(lanes(tl.load(p + (7 - x * 2))) == Lanes{7, 5, 3, 1});
        CHECK(lanes(tl.load(p + 7 - x)) == Lanes{7, 6, 5, 4});
        CHECK(lanes(tl.load(p + x * 0 + 3)) == Lanes{3, 3, 3, 3});
        CHECK(lanes(tl.load(p + x * x % 8)) == Lanes{0, 1, 4, 1});
        CHECK(lanes(tl.load(p + x, {.mask = x > 9})) == Lanes{0, 0, 0, 0});
        CHECK(lanes(tl.load(p + 100 + x, {.mask = x > 9, .other = 2.5})) == Lanes{2.5, 2.5, 2.5, 2.5});
        CHECK(lanes(tl.load(p + x, {.mask = false, .other = 1})) == Lanes{1, 1, 1, 1});
        CHECK(lanes(tl.load(p + x, {.mask = x % 2 == 1, .other = x * 10})) == Lanes{0, 1, 20, 3});
        CHECK(lanes(tl.load(p + x, {.mask = (x > 0) & (x < 3), .other = -tl.inf})) ==
              Lanes{-infinity, 1, 2, -infinity});
        CHECK(lanes(tl.load(p + x, {.mask = x < 2, .other = tl.full(tl.shape(4_c), 7, tl.int32)})) ==
              Lanes{0, 1, 7, 7});
        CHECK(lanes(tl.load(q + x, {.mask = x < 1, .other = 1e9})) == Lanes{1, infinity, infinity, infinity});
        // A mask of fewer axes, and one to be broadcast along rows
        auto tile = p + tl.arange(0, 2_c)(_, None) * 4 + x(None, _);
        CHECK(lanes(tl.load(tile, {.mask = x < 2, .other = 9})) == Lanes{0, 1, 9, 9, 4, 5, 9, 9});
        CHECK(lanes(tl.load(tile, {.mask = tl.arange(0, 2_c)(_, None) > 0, .other = 9})) ==
              Lanes{9, 9, 9, 9, 4, 5, 6, 7});
        CHECK(lanes(tl.load(tl.bind(TensorArgument{tl.state().launch.tensors[0]}, 0) + 5)) == Lanes{5});
      },
      {t, h});
}

TEST_CASE("stores cast as .to does, backwards and to one element") {
  const Tensor bytes = empty("bytes", DType::uint8, {8}), floats = empty("floats", DType::float32, {8});
  well(
      [](auto& tl) {
        auto p = tl.bind(TensorArgument{tl.state().launch.tensors[0]}, 0),
             q = tl.bind(TensorArgument{tl.state().launch.tensors[1]}, 1);
        tl.store(p + tl.arange(0, 8_c),
                 block(tl, DType::float32, {-1, 0.9, 255, 256, not_a_number, 1e30, 7.5, -infinity}));
        tl.store(q + (7 - tl.arange(0, 8_c)), tl.arange(0, 8_c));
        tl.store(q + 3, true);
        tl.store(q + tl.arange(0, 4_c), 1.5, {.mask = tl.arange(0, 4_c) == 1});
      },
      {bytes, floats});
  CHECK(values_of(bytes) == Lanes{0, 0, 255, 255, 0, 255, 7, 0});
  CHECK(values_of(floats) == Lanes{7, 1.5, 5, 1, 3, 2, 1, 0});
}

TEST_CASE("argmax and argmin along every axis take the first of equals; NaN is dropped") {
  well([](auto& tl) {
    auto x = block(tl, DType::float32, {2, 2, 2}, {1, 5, 5, 1, 5, 5, 0, 5});
    CHECK(lanes(tl.argmax(x, 0)) == Lanes{1, 0, 0, 1});
    CHECK(lanes(tl.argmax(x, 1_c)) == Lanes{1, 0, 0, 0});
    CHECK(lanes(tl.argmax(x, 2_c)) == Lanes{1, 0, 0, 1});
    CHECK(lanes(tl.argmin(x, 2_c)) == Lanes{0, 1, 0, 0});
    CHECK(lanes(tl.argmax(block(tl, DType::float32, {not_a_number, -infinity, -3, -3}), 0)) == Lanes{2});
    CHECK(lanes(tl.argmin(block(tl, DType::float16, {not_a_number, infinity, not_a_number, 3}), 0)) == Lanes{3});
    CHECK(lanes(tl.argmax(block(tl, DType::uint32, {4294967295.0, 1}), 0)) == Lanes{0});
    CHECK(lanes(tl.argmax(block(tl, DType::int64, {9007199254740992.0, 9007199254740994.0}), 0)) == Lanes{1});
    CHECK(lanes(tl.argmax(tl.arange(0, 8_c) < 3, 0)) == Lanes{0});
    CHECK(std::isnan(lanes(tl.max(block(tl, DType::float32, Lanes(64, not_a_number)), 0))[0]));
    CHECK(!std::signbit(lanes(tl.max(block(tl, DType::float32, {-0.0, 0.0, -0.0, -0.0}), 0))[0]));
    CHECK(std::signbit(lanes(tl.min(block(tl, DType::float32, {0.0, -0.0, 0.0, 0.0}), 0))[0]));
  });
}

TEST_CASE("sums of ints wrap, of bools and bytes count in 32 bits, and go along every axis") {
  well([](auto& tl) {
    CHECK(lanes(tl.sum(block(tl, DType::int32, {2147483647, 1}), 0)) == Lanes{-2147483648.0});
    CHECK(lanes(tl.sum(block(tl, DType::uint32, {4294967295.0, 3}), 0)) == Lanes{2});
    CHECK(lanes(tl.sum(block(tl, DType::uint8, {255, 255, 255, 255}), 0)) == Lanes{1020});
    CHECK(lanes(tl.sum(tl.arange(0, 64_c) < 40, 0)) == Lanes{40});
    auto x = block(tl, DType::int32, {2, 4}, counting(8));
    CHECK(lanes(tl.sum(x, 0)) == Lanes{4, 6, 8, 10});
    CHECK(lanes(tl.sum(tl.trans(x), 0)) == Lanes{6, 22});
    CHECK(lanes(tl.max(x(_, None, _), 2_c)) == Lanes{3, 7});
    CHECK(lanes(tl.sum(tl.sum(x, 1_c), 0)) == Lanes{28});
    CHECK(lanes(tl.sum(tl.zeros(tl.shape(1_c), tl.float32) + 3, 0)) == Lanes{3});
    CHECK(lanes(tl.min(tl.arange(0, 4_c)(_, None) - tl.arange(0, 2_c)(None, _), 0)) == Lanes{0, -1});
  });
}

TEST_CASE("cumsum along every axis, of ints, bools and narrow floats") {
  well([](auto& tl) {
    auto x = block(tl, DType::int32, {2, 4}, counting(8));
    CHECK(lanes(tl.cumsum(x, 0)) == Lanes{0, 1, 2, 3, 4, 6, 8, 10});
    CHECK(lanes(tl.cumsum(x, 1_c)) == Lanes{0, 1, 3, 6, 4, 9, 15, 22});
    CHECK(lanes(tl.cumsum(tl.trans(x), 0)) == Lanes{0, 4, 1, 9, 3, 15, 6, 22});
    CHECK(lanes(tl.cumsum(tl.arange(0, 4_c) > 0, 0)) == Lanes{0, 1, 2, 3});
    CHECK(lanes(tl.cumsum(block(tl, DType::int32, {2147483647, 1}), 0)) == Lanes{2147483647, -2147483648.0});
    CHECK(lanes(tl.cumsum(block(tl, DType::float32, {1, not_a_number}), 0))[0] == 1);
    CHECK(lanes(tl.cumsum(tl.full(tl.shape(4_c), 0.5, tl.float16), 0)) == Lanes{0.5, 1, 1.5, 2});
  });
}

TEST_CASE("casts between the far ends: ints of 64 bits, doubles, fp8") {
  well([](auto& tl) {
    auto big = block(tl, DType::int64, {16777217, -16777217, 4294967296.0, -1});
    CHECK(lanes(big.to(tl.float32)) == Lanes{16777216, -16777216, 4294967296.0, -1});
    CHECK(lanes(big.to(tl.int32)) == Lanes{16777217, -16777217, 0, -1});
    CHECK(lanes(big.to(tl.uint8)) == Lanes{1, 255, 0, 255});
    CHECK(lanes(big.to(tl.uint32)) == Lanes{16777217, 4278190079.0, 0, 4294967295.0});
    CHECK(lanes(big.to(tl.int1)) == Lanes{1, 1, 1, 1});
    // Rounded once: by way of float32 the first would be a tie, and 1.
    auto d = block(tl, DType::float64, {1 + 0x1p-11 + 0x1p-40, 1e300, -1e-300, 65519.999});
    CHECK(lanes(d.to(tl.float16)) == Lanes{1 + 0x1p-10, infinity, 0, 65504});
    CHECK(lanes(tl.arange(0, 4_c).to(tl.float8e4nv).to(tl.int32)) == Lanes{0, 1, 2, 3});
    CHECK(lanes(block(tl, DType::int32, {17, 449, -1000, 19}).to(tl.float8e4nv)) == Lanes{16, 448, -448, 20});
    CHECK(lanes(block(tl, DType::int32, {9, 70000, -70000, 11}).to(tl.float8e5)) == Lanes{8, 57344, -57344, 12});
    CHECK(lanes(block(tl, DType::float8e4nv, {448, -0.001953125, 0.5, 1}).to(tl.float8e5)) ==
          Lanes{448, -0.001953125, 0.5, 1});
    CHECK(lanes(block(tl, DType::float8e5, {57344, 0x1p-16, -2, 3}).to(tl.float8e4nv)) == Lanes{448, 0, -2, 3});
    CHECK(lanes(block(tl, DType::float32, {not_a_number, 0.0, -0.0, 1e-45}).to(tl.int1)) == Lanes{1, 0, 0, 1});
    CHECK(lanes(tl.full(tl.shape(2_c), -1, tl.int32).to(tl.uint8)) == Lanes{255, 255});
    CHECK(lanes(tl.full(tl.shape(2_c), 3.99, tl.float64).to(tl.int64)) == Lanes{3, 3});
    CHECK(lanes((tl.arange(0, 2_c) + 255).to(tl.uint8)) == Lanes{255, 0});
  });
}

TEST_CASE("division by zero, and of the smallest int, as the GPU does it") {
  well([](auto& tl) {
    auto x = block(tl, DType::int32, {7, -7, 0, -2147483648.0}), zero = tl.program_id(0);
    CHECK(lanes(x / zero) == Lanes{-1, -1, -1, -1});
    CHECK(lanes(x % zero) == Lanes{7, -7, 0, -2147483648.0});
    CHECK(lanes(tl.abs(x))[3] == -2147483648.0);
    CHECK(lanes(-x)[3] == -2147483648.0);
    CHECK(lanes(tl.cdiv(block(tl, DType::int32, {-7, 7, 0, 8}), 4)) == Lanes{-1, 2, 0, 2});
    auto f = block(tl, DType::float32, {1, -1, 0, not_a_number}) / tl.zeros(tl.shape(4_c), tl.float32);
    CHECK(lanes(f)[0] == infinity);
    CHECK(lanes(f)[1] == -infinity);
    CHECK(std::isnan(lanes(f)[2]));
    CHECK(lanes(block(tl, DType::float32, {-5.5, 5.5}) % 2.0) == Lanes{-1.5, 1.5});
  });
}

TEST_CASE("int64 arithmetic beyond 64 bits wraps, also where lanes have a closed form") {
  well([](auto& tl) {
    auto x = tl.arange(0, 2_c).to(tl.int64);
    CHECK(lanes((x + 9223372036854775807LL) < 0) == Lanes{0, 1});
    CHECK(lanes((x * 2 - 9223372036854775807LL - 2) > 0) == Lanes{1, 0});
    CHECK(lanes((x + 1) * 4611686018427387904LL * 2 < 0) == Lanes{1, 0});
    CHECK(lanes(tl.arange(0, 4_c) * 1073741824 * 2 == 0) == Lanes{1, 0, 1, 0});
    CHECK(lanes(tl.program_id(0).to(tl.int64) - 9223372036854775807LL - 2 == 9223372036854775807LL) == Lanes{1});
  });
}

TEST_CASE("where, minimum and clamp: mixed dtypes, scalars, NaN") {
  well([](auto& tl) {
    auto x = tl.arange(0, 4_c);
    CHECK(dtype_of(tl.where(x < 2, x, 0.5)) == DType::float32);
    CHECK(lanes(tl.where(x < 2, x.to(tl.float16), 70000)) == Lanes{0, 1, infinity, infinity});
    CHECK(lanes(tl.where(tl.program_id(0) == 0, x, -1)) == Lanes{0, 1, 2, 3});
    CHECK(lanes(tl.where(x, 1, 2)) == Lanes{2, 1, 1, 1});
    CHECK(lanes(tl.where(x < 2, tl.where(x < 1, 1, 2), 3)) == Lanes{1, 2, 3, 3});
    CHECK(lanes(tl.clamp(block(tl, DType::float32, {-2, 0.5, 9, not_a_number}), 0.0, 1.0)) == Lanes{0, 0.5, 1, 0});
    CHECK(lanes(tl.maximum(tl.arange(0, 4_c), 2) * tl.minimum(x, 1)) == Lanes{0, 2, 2, 3});
  });
}

TEST_CASE("products of matrices far from square, and of slices of others") {
  well([](auto& tl) {
    auto a = block(tl, DType::float32, {1, 4}, {1, 2, 3, 4}), b = block(tl, DType::float32, {4, 1}, {1, 10, 100, 1000});
    CHECK(lanes(tl.dot(a, b)) == Lanes{4321});
    CHECK(lanes(tl.dot(b, a))[15] == 4000);
    CHECK(lanes(tl.dot(tl.trans(b), tl.trans(a))) == Lanes{4321});
    auto [left, right] = tl.split(block(tl, DType::float32, {2, 2, 2}, counting(8)));
    CHECK(lanes(tl.dot(left, right)) == Lanes{10, 14, 34, 54});
    CHECK(lanes(tl.dot(tl.full(tl.shape(2_c, 4_c), 2, tl.float16), tl.full(tl.shape(4_c, 2_c), 3, tl.float16))) ==
          Lanes{24, 24, 24, 24});
  });
}

TEST_CASE("atomic_add: threads lose nothing, and every old value is seen once") {
  const Tensor count = tensor_of("count", DType::int32, {1}, {0}), sum = tensor_of("sum", DType::float64, {2}, {0, 0});
  const Tensor half = tensor_of("half", DType::float16, {1}, {0}), seen = empty("seen", DType::int32, {1024});
  cpu::RunOptions options;
  options.threads = 8;
  const auto r = program(
      [](auto& tl) {
        const auto at = [&](int i) {
          return tl.bind(TensorArgument{tl.state().launch.tensors[static_cast<std::size_t>(i)]}, i);
        };
        auto old = tl.atomic_add(at(0), 1);
        tl.store(at(3) + old, tl.program_id(0));
        tl.atomic_add(at(1) + tl.arange(0, 2_c), tl.program_id(0).to(tl.float64), {.mask = tl.arange(0, 2_c) == 1});
        tl.atomic_add(at(2), 1.0, {.mask = tl.program_id(0) < 512});
      },
      options, {count, sum, half, seen}, Grid{1024});
  CHECK(r.faults.empty());
  CHECK(values_of(count) == Lanes{1024});
  CHECK(values_of(sum) == Lanes{0, 523776});
  CHECK(values_of(half) == Lanes{512});
  Lanes programs = values_of(seen);
  std::sort(programs.begin(), programs.end());
  CHECK(programs == counting(1024));
}

TEST_CASE("range: scalars that if and while may ask, with a step and backwards") {
  well([](auto& tl) {
    int n = 0;
    for (auto i : tl.range(0, 10, 3)) {
      if (i > 3) ++n;
    }
    CHECK(n == 2);
    Lanes seen;
    for (auto i : tl.range(tl.program_id(0) + 4, 0, -2, {.num_stages = 3_c})) seen.push_back(lanes(i)[0]);
    CHECK(seen == Lanes{4, 2});
    auto left = tl.program_id(0) + 5;
    while (left > 2) left -= 1;
    CHECK(lanes(left) == Lanes{2});
  });
}
