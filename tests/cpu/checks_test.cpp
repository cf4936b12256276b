// What the optional checks report: uninitialized reads, races, undefined lanes, false hints, the first NaN.
#include <cmath>

#include "tests/cpu/fault_of.h"

using namespace tl;
using namespace tl::testing;

TEST_CASE("uninitialized: a read of a poisoned output is reported, a read after a write is not") {
  const Tensor x = empty("x", DType::float32, {8});
  cpu::RunOptions options;
  options.checks.uninitialized = true;
  const auto body = [&](auto& tl) {
    auto p = pointer(tl, 0, x) + tl.arange(0, 4_c);
    tl.store(p, 1.0);
    tl.load(p);
    tl.load(p + 2);
  };
  const Fault f = fault_of(body, {x}, options);
  CHECK(f.kind == FaultKind::uninitialized);
  CHECK(f.lane == 2);
  CHECK(f.element == 4);
}

TEST_CASE("uninitialized: a NaN that somebody gave is a value") {
  cpu::RunOptions options;
  options.checks.uninitialized = true;
  for (const DType dtype :
       {DType::float16, DType::bfloat16, DType::float32, DType::float64, DType::float8e4nv, DType::float8e5}) {
    const Tensor x = zeros("x", dtype, {4});
    set(x, 2, std::nan(""));
    CHECK(program([&](auto& tl) { tl.load(pointer(tl, 0, x) + tl.arange(0, 4_c)); }, options, {x}).faults.empty());
  }
}

TEST_CASE("race: two programs on one element, one writing; atomics are no race") {
  const Tensor x = zeros("x", DType::int32, {8});
  cpu::RunOptions options;
  options.checks.race = true;
  const Fault f = fault_of([&](auto& tl) { tl.store(pointer(tl, 0, x) + tl.program_id(0) + tl.arange(0, 2_c), 1); },
                           {x}, options, {2});
  CHECK(f.kind == FaultKind::race);
  CHECK(f.program == ProgramId{1, 0, 0});
  CHECK(f.element == 1);
  CHECK(program([&](auto& tl) { tl.atomic_add(pointer(tl, 0, x), 1); }, options, {x}, {4}).faults.empty());
  CHECK(program([&](auto& tl) { tl.load(pointer(tl, 0, x)); }, options, {x}, {4}).faults.empty());
}

TEST_CASE("undefined lane: a masked-off lane without other that reaches a store") {
  const Tensor x = zeros("x", DType::float32, {8});
  cpu::RunOptions options;
  options.checks.undefined_lane = true;
  const auto body = [&](bool other, bool reduce) {
    return [&x, other, reduce](auto& tl) {
      auto o = tl.arange(0, 4_c);
      auto v = other ? tl.load(pointer(tl, 0, x) + o, {.mask = o < 3, .other = 0})
                     : tl.load(pointer(tl, 0, x) + o, {.mask = o < 3});
      auto y = v * 2 + 1;
      if (reduce) tl.store(pointer(tl, 0, x) + 4, tl.sum(y, 0));
      else tl.store(pointer(tl, 0, x) + o, y, {.mask = o < 3});
    };
  };
  CHECK(program(body(false, false), options, {x}).faults.empty());
  CHECK(program(body(true, true), options, {x}).faults.empty());
  CHECK(fault_of(body(false, true), {x}, options).kind == FaultKind::undefined_lane);
}

TEST_CASE("undefined lane: a store's mask must be known in every lane, unless what is known decides it") {
  const Tensor x = zeros("x", DType::float32, {8}), z = zeros("z", DType::float32, {8});
  cpu::RunOptions options;
  options.checks.undefined_lane = true;
  const auto faults = [&](auto mask_of) {
    return program(
               [&](auto& tl) {
                 auto o = tl.arange(0, 8_c);
                 auto inside = o < 6;
                 auto v = tl.load(pointer(tl, 0, x) + o, {.mask = inside});
                 tl.store(pointer(tl, 1, z) + o, 1, {.mask = mask_of(tl, inside, v)});
               },
               options, {x, z})
        .faults;
  };
  const auto f = faults([](auto&, auto&, auto& v) { return v > 0; });
  REQUIRE(f.size() == 1);
  CHECK(f[0].kind == FaultKind::undefined_lane);
  CHECK(f[0].headline == "tl.store: lane 6 of program 0 stores under an undefined mask");
  CHECK(f[0].tensor == "z");
  CHECK(f[0].element == 6);
  CHECK(f[0].fix.find(".other") != std::string::npos);
  CHECK(faults([](auto&, auto& inside, auto& v) { return (v > 0) | inside; }).size() == 1);
  CHECK(faults([](auto&, auto& inside, auto& v) { return inside & (v > 0); }).empty());
  CHECK(faults([](auto&, auto& inside, auto& v) { return (!inside) | (v > 0); }).empty());
  CHECK(faults([](auto& tl, auto& inside, auto& v) { return tl.where(inside, v > 0, false); }).empty());
}

TEST_CASE("undefined lane: what a mask of undefined lanes lets in is undefined, and so is what it lets out") {
  const Tensor x = zeros("x", DType::float32, {8}), z = zeros("z", DType::float32, {8});
  cpu::RunOptions options;
  options.checks.undefined_lane = true;
  const auto body = [&](bool adds) {
    return [&, adds](auto& tl) {
      auto o = tl.arange(0, 4_c);
      auto mask = tl.load(pointer(tl, 0, x) + o, {.mask = o < 3}) > 0;
      if (adds) tl.atomic_add(pointer(tl, 1, z) + o, 1, {.mask = mask});
      else tl.store(pointer(tl, 1, z) + o, tl.load(pointer(tl, 0, x) + o, {.mask = mask, .other = 2}));
    };
  };
  CHECK(fault_of(body(true), {x, z}, options).headline ==
        "tl.atomic_add: lane 3 of program 0 stores under an undefined mask");
  CHECK(fault_of(body(false), {x, z}, options).headline == "tl.store: lane 3 of program 0 stores an undefined value");
}

TEST_CASE("hints: what multiple_of and assume promise must hold") {
  CHECK(fault_of([](auto& tl) { tl.multiple_of(tl.arange(0, 4_c) * 8, 16_c); }).detail == "8 is no multiple of 16");
  CHECK(fault_of([](auto& tl) { tl.assume(tl.program_id(0) > 0); }).kind == FaultKind::false_hint);
  well([](auto& tl) {
    tl.multiple_of(tl.arange(0, 4_c) * 16, 16_c);
    tl.assume(tl.num_programs(0) == 1);
  });
}

TEST_CASE("NaN: the first op that makes one out of none, and no later one") {
  cpu::RunOptions options;
  options.checks.nan = true;
  const Fault f = fault_of(
      [](auto& tl) {
        auto z = tl.zeros(tl.shape(4_c), tl.float32);
        auto n = z / z;
        auto m = n + 1;
        tl.exp(m);
      },
      {}, options);
  CHECK(f.kind == FaultKind::nan);
  CHECK(f.headline.starts_with("/: "));
  CHECK(f.detail == "lane 0 is the first, made of 0 and 0");
  CHECK(fault_of([](auto& tl) { tl.sqrt(3 - tl.arange(0, 8_c).to(tl.float32)); }, {}, options).detail ==
        "lane 4 is the first, made of -1");
}

TEST_CASE("race: lanes of one store that give an element different values; the same value twice is none") {
  const Tensor x = zeros("x", DType::int32, {8});
  cpu::RunOptions options;
  options.checks.race = true;
  const Fault f = fault_of(
      [&](auto& tl) {
        auto i = tl.arange(0, 8_c);
        tl.store(pointer(tl, 0, x) + i / 2, i);
      },
      {x}, options);
  CHECK(f.kind == FaultKind::race);
  CHECK(f.detail == "lanes 0 and 1 write different values to element 0 of \"x\"");
  CHECK(program(
            [&](auto& tl) {
              auto i = tl.arange(0, 8_c);
              tl.store(pointer(tl, 0, x) + i / 2, i / 2);
              tl.store(pointer(tl, 0, x) + i, i);
            },
            options, {x})
            .faults.empty());
}
