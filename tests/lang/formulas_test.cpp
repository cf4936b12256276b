// Philox, swizzle2d and promotion against known answers.
#include <doctest/doctest.h>

#include <array>

#include "interp/lang/philox.h"
#include "interp/lang/promotion.h"
#include "interp/lang/swizzle.h"

using tl::DType;
using tl::LiteralKind;

namespace {
std::array<unsigned, 4> words(tl::PhiloxCounter c) { return {c.c0, c.c1, c.c2, c.c3}; }
}  // namespace

TEST_CASE("philox: the known answers of Random123") {
  CHECK(words(tl::philox(0ull, 0, 0)) == std::array{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u});
  CHECK(words(tl::philox(0ull, 1, 0)) == std::array{0xf8e4cca4u, 0x5cb200dbu, 0xb1a574ebu, 0x097eff67u});
  const tl::PhiloxCounter pi{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u};
  CHECK(words(tl::philox(pi, 0xa4093822u, 0x299f31d0u)) ==
        std::array{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u});
}

TEST_CASE("philox: a uniform float lies in [0, 1)") {
  CHECK(tl::uniform_of(0) == 0.0f);
  CHECK(tl::uniform_of(0xffffffffu) == 0.0f);
  CHECK(tl::uniform_of(0x7fffffffu) < 1.0f);
  CHECK(tl::uniform_of(0x80000000u) < 1.0f);
}

TEST_CASE("swizzle2d: five by four in groups of three, the lecture's table with its short last group") {
  const int expected[5][4] = {{0, 3, 6, 9}, {1, 4, 7, 10}, {2, 5, 8, 11}, {12, 14, 16, 18}, {13, 15, 17, 19}};
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 4; ++j) {
      const auto s = tl::swizzle2d(i, j, 5, 4, 3);
      CHECK(expected[s.i][s.j] == i * 4 + j);
    }
}

TEST_CASE("promotion: floats win over ints, wider over narrower") {
  CHECK(tl::promote(DType::float16, DType::float32) == DType::float32);
  CHECK(tl::promote(DType::float16, DType::bfloat16) == DType::float16);
  CHECK(tl::promote(DType::float16, DType::int64) == DType::float16);
  CHECK(tl::promote(DType::bfloat16, DType::int32) == DType::float32);
  CHECK(tl::promote(DType::bfloat16, DType::float8e5) == DType::bfloat16);
  CHECK(tl::promote(DType::float8e4nv, DType::float8e5) == DType::float16);
  CHECK(tl::promote(DType::int32, DType::uint32) == DType::uint32);
  CHECK(tl::promote(DType::int32, DType::uint8) == DType::int32);
  CHECK(tl::promote(DType::uint32, DType::int64) == DType::int64);
  CHECK(tl::promote(DType::int1, DType::int32) == DType::int32);
}

TEST_CASE("promotion: a literal takes the value's dtype unless its kind is higher") {
  CHECK(tl::promote(DType::float16, LiteralKind::integer, 3) == DType::float16);
  CHECK(tl::promote(DType::float64, LiteralKind::real, 0) == DType::float64);
  CHECK(tl::promote(DType::uint8, LiteralKind::integer, 3) == DType::uint8);
  CHECK(tl::promote(DType::uint8, LiteralKind::real, 0) == DType::float32);
  CHECK(tl::promote(DType::int1, LiteralKind::integer, 1) == DType::int32);
  CHECK(tl::promote(DType::int1, LiteralKind::integer, 3000000000LL) == DType::uint32);
}
