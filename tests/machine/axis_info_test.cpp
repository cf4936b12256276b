// What the rules say of an index after an operator holds for every value, and is as much as Triton's AxisInfo says.
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "interp/rules/axis_info.h"

using namespace tl;
using rules::AxisFacts;
using rules::Operator;

namespace {

constexpr int limit = 1 << 16;

struct Known {
  std::vector<long long> lanes;
  AxisFacts facts;
};

long long apply(Operator op, long long a, long long b) {
  switch (op) {
    case Operator::add: return a + b;
    case Operator::subtract: return a - b;
    case Operator::multiply: return a * b;
    case Operator::minimum: return std::min(a, b);
    case Operator::maximum: return std::max(a, b);
    case Operator::divide: return a / b;
    case Operator::remainder: return a % b;
    case Operator::bit_and: return a & b;
    case Operator::bit_or: return a | b;
    case Operator::bit_xor: return a ^ b;
    case Operator::shift_left: return a << b;
    default: return a >> b;
  }
}

void check_every_lane(const Known& k) {
  const auto& [lanes, f] = k;
  const int n = static_cast<int>(lanes.size());
  for (int i = 0; i < n; ++i) {
    const auto lane = [&](int at) { return lanes[static_cast<std::size_t>(at)]; };
    if (i % f.contiguity == 0) REQUIRE(lane(i) % f.divisibility == 0);
    else REQUIRE(lane(i) == lane(i - 1) + 1);
    if (i % f.constancy != 0) REQUIRE(lane(i) == lane(i - 1));
  }
}

Known uniform(int size, long long value, int divides) {
  return {std::vector<long long>(static_cast<std::size_t>(size), value),
          rules::uniform_axis_info(rules::Sizes(size), divides).at[0]};
}

}  // namespace

TEST_CASE("axis info: after any chain of operators, what is said of the lanes holds in each of them") {
  std::mt19937 random(20261127);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const Operator ops[] = {Operator::add,       Operator::subtract,   Operator::multiply,    Operator::divide,
                          Operator::remainder, Operator::minimum,    Operator::maximum,     Operator::bit_and,
                          Operator::bit_or,    Operator::shift_left, Operator::shift_right, Operator::bit_xor};
  int pieces = 0;
  for (int chain = 0; chain < 20000; ++chain) {
    const int size = 1 << below(7);
    // base + coefficient * 0 .. size - 1
    const auto index = [&] {
      const int divides = 1 << below(5), base = divides * below(40), coefficients[] = {0, 1, 1, 1, 2, 3, 16};
      rules::Index affine;
      affine.shape = rules::Sizes(size);
      affine.coefficient[0] = size == 1 ? 0 : coefficients[below(7)];
      affine.divisibility = divides;
      Known k{{}, rules::axis_info(affine, limit).at[0]};
      for (int i = 0; i < size; ++i) k.lanes.push_back(base + affine.coefficient[0] * i);
      return k;
    };
    Known k = index();
    check_every_lane(k);
    for (int step = 0; step < 4; ++step) {
      const Operator op = ops[below(12)];
      const bool shifts = rules::kind_of(op) == rules::Kind::shift,
                 divides = rules::kind_of(op) == rules::Kind::division;
      rules::KnownValue value;
      Known b = index();
      if (shifts || divides || below(2)) {  // by one number, whose value is known, or what divides it
        const int numbers[] = {1, 2, 3, 8, 15, 16, 48, 63, 64, 100};
        const long long number = shifts ? below(5) : op == Operator::bit_and && below(2) ? -16 : numbers[below(10)];
        value = {below(2) == 0, number};
        b = uniform(size, number, value.is_known || below(2) ? rules::divisibility_of(number, limit) : 1);
      }
      if (divides && std::ranges::any_of(k.lanes, [](long long x) { return x < 0; })) break;
      const AxisFacts after = rules::axis_facts_after(op, k.facts, b.facts, value, limit);
      Known result{{}, after};
      for (std::size_t i = 0; i < k.lanes.size(); ++i) result.lanes.push_back(apply(op, k.lanes[i], b.lanes[i]));
      CAPTURE(static_cast<int>(op));
      check_every_lane(result);
      pieces += after.contiguity > 1 && after.contiguity < size;
      k = result;
      if (std::ranges::any_of(k.lanes, [](long long x) { return x > 1 << 24 || x < -(1 << 24); })) break;
    }
  }
  CHECK(pieces > 500);  // the rules say something
}

// From the comments of Triton's own AxisInfo and its tests (test/Analysis/test-alignment.mlir).
TEST_CASE("axis info: offsets modulo or divided by a multiple of 16 run in pieces of 16") {
  const AxisFacts offsets{128, 128, 1};
  const auto after = [&](Operator op, int divides) {
    return rules::axis_facts_after(op, offsets, {1, divides, 128}, {}, limit);
  };
  CHECK(after(Operator::remainder, 16) == AxisFacts{16, 16, 1});
  CHECK(after(Operator::remainder, 1) == AxisFacts{1, 1, 1});
  CHECK(after(Operator::divide, 16).constancy == 16);
  CHECK(after(Operator::add, 16) == AxisFacts{128, 16, 1});
  CHECK(after(Operator::subtract, 4) == AxisFacts{128, 4, 1});
  CHECK(after(Operator::multiply, 16) == AxisFacts{1, 16, 1});
}

TEST_CASE("axis info: a column of any rows beside contiguous columns is contiguous along the columns") {
  rules::AxisInfo rows, columns;
  rows.shape = rules::Sizes(64, 1);
  columns.shape = rules::Sizes(1, 128);
  rows.at[0] = {1, 16, 1}, rows.at[1] = {1, 16, 1};
  columns.at[0] = {1, 1, 1}, columns.at[1] = {128, 128, 1};
  const rules::Sizes shape(64, 128);
  const rules::AxisInfo sum = rules::axis_info_after(Operator::add, rows, columns, {}, shape, limit);
  CHECK(sum.at[1] == AxisFacts{128, 16, 1});
  CHECK(sum.at[0].contiguity == 1);
}
