// What the optional checks report but for races: uninitialized reads, undefined lanes, false hints, the first NaN.
#include <cmath>

#include "tests/cpu/fault_of.h"
#include "tests/has.h"

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

TEST_CASE("undefined lane: a choice by an undefined condition is undefined, lane by lane") {
  const Tensor x = zeros("x", DType::float32, {8}), z = zeros("z", DType::float32, {8});
  cpu::RunOptions options;
  options.checks.undefined_lane = true;
  const auto body = [&](int stored) {
    return [&, stored](auto& tl) {
      auto o = tl.arange(0, 4_c);
      auto is_positive = tl.load(pointer(tl, 0, x) + o, {.mask = o < 3}) > 0;
      tl.store(pointer(tl, 1, z) + o, tl.where(is_positive, 1.0, 2.0), {.mask = o < stored});
    };
  };
  CHECK(fault_of(body(4), {x, z}, options).headline == "tl.store: lane 3 of program 0 stores an undefined value");
  CHECK(program(body(3), options, {x, z}).faults.empty());
}

TEST_CASE("hints: what multiple_of and assume promise must hold") {
  CHECK(fault_of([](auto& tl) { tl.multiple_of(tl.arange(0, 4_c) * 8, 16_c); }).detail == "8 is not a multiple of 16");
  CHECK(fault_of([](auto& tl) { tl.multiple_of(tl.arange(0, 4_c) + 2, 4_c); }).detail == "2 is not a multiple of 4");
  CHECK(fault_of([](auto& tl) { tl.assume(tl.program_id(0) > 0); }).kind == FaultKind::false_hint);
  well([](auto& tl) {
    tl.multiple_of(tl.arange(0, 4_c) * 16, 16_c);
    // Triton's own idiom: the first of each run is a multiple, and the run is as long.
    auto offs = 3 * 32 + tl.arange(0, 32_c);
    tl.max_contiguous(tl.multiple_of(offs, 32_c), 32_c);
    tl.max_contiguous(tl.multiple_of(offs % 48, 16_c), 16_c);
    tl.multiple_of((tl.arange(0, 8_c) + 4) % 6, 4_c);  // 4 5, 0 1 2 3 4 5
    tl.multiple_of(offs(_, None) + 32 * tl.arange(0, 2_c)(None, _), 32_c);
    tl.assume(tl.num_programs(0) == 1);
  });
}

TEST_CASE("NaN: where a store meets one, the op that made it is named, and no later one") {
  const Tensor x = zeros("x", DType::float32, {8});
  cpu::RunOptions options;
  options.checks.nan = true;
  const Fault f = fault_of(
      [&](auto& tl) {
        auto z = tl.zeros(tl.shape(4_c), tl.float32);
        auto n = z / z;
        tl.store(pointer(tl, 0, x) + tl.arange(0, 4_c), tl.exp(n + 1));
      },
      {x}, options);
  CHECK(f.kind == FaultKind::nan);
  CHECK(f.headline.starts_with("/: "));
  CHECK(f.detail == "lane 0 is the first, made of 0 and 0");
  const auto root = [&](auto& tl) { return tl.sqrt(3 - tl.arange(0, 8_c).to(tl.float32)); };
  const auto at = [&](auto& tl) { return pointer(tl, 0, x) + tl.arange(0, 8_c); };
  CHECK(fault_of([&](auto& tl) { tl.store(at(tl), root(tl)); }, {x}, options).detail ==
        "lane 4 is the first, made of -1");
  CHECK(fault_of([&](auto& tl) { tl.store(at(tl), root(tl).to(tl.int32).to(tl.float32)); }, {x}, options).kind ==
        FaultKind::nan);
  CHECK(fault_of(
            [&](auto& tl) {
              if (tl.sum(root(tl), 0) > 0) tl.store(at(tl), 1.0);
            },
            {x}, options)
            .kind == FaultKind::nan);
}

TEST_CASE("NaN: one that no store and no branch meets is no fault") {
  const Tensor x = zeros("x", DType::float32, {8});
  cpu::RunOptions options;
  options.checks.nan = true;
  const auto faults = program(
                          [&](auto& tl) {
                            auto i = tl.arange(0, 8_c);
                            auto root = tl.sqrt(3 - i.to(tl.float32));
                            tl.store(pointer(tl, 0, x) + i, tl.where(i < 4, root, 0.0));
                            tl.store(pointer(tl, 0, x) + i, root, {.mask = i < 4});
                          },
                          options, {x})
                          .faults;
  CHECK(faults.empty());
}

TEST_CASE(
    "infinity: one that finite numbers make and a store meets is named; one of the text or of a log of 0 is meant") {
  const Tensor x = zeros("x", DType::float32, {8}), h = zeros("h", DType::float16, {8});
  cpu::RunOptions options;
  options.checks.nan = true;
  const auto i = [](auto& tl) { return tl.arange(0, 8_c).to(tl.float32); };
  const auto at = [](auto& tl, const Tensor& t, int n) { return pointer(tl, n, t) + tl.arange(0, 8_c); };
  const Fault f = fault_of([&](auto& tl) { tl.store(at(tl, x, 0), tl.exp(i(tl) * 20) + 1); }, {x}, options);
  CHECK(f.headline == "tl.exp: the first infinity of program 0");
  CHECK(f.detail == "lane 5 is the first, made of 100");
  CHECK(fault_of([&](auto& tl) { tl.store(at(tl, h, 0), (i(tl) * 20000).to(tl.float16)); }, {h}, options).kind ==
        FaultKind::nan);
  const auto faults = program(
                          [&](auto& tl) {
                            tl.store(at(tl, x, 0), tl.where(i(tl) < 4, i(tl), -tl.inf));
                            tl.store(at(tl, x, 0), tl.log(i(tl)));
                            tl.store(at(tl, x, 0), tl.where(i(tl) < 4, tl.exp(i(tl) * 20), 0.0));
                          },
                          options, {x})
                          .faults;
  CHECK(faults.empty());
}

TEST_CASE("NaN: a maximum that passes over one is told, not one of a row of NaN alone") {
  const Tensor x = tensor_of("x", DType::float32, {2, 2}, {NAN, NAN, 1, 2}), y = zeros("y", DType::float32, {2});
  cpu::RunOptions options;
  options.checks.differences = true;
  const auto tile = [&](auto& tl) {
    return tl.load(pointer(tl, 0, x) + tl.arange(0, 2_c)(_, None) * 2 + tl.arange(0, 2_c)(None, _));
  };
  const auto at = [&](auto& tl) { return pointer(tl, 1, y) + tl.arange(0, 2_c); };
  CHECK(has(fault_of([&](auto& tl) { tl.store(at(tl), tl.max(tile(tl), 0_c)); }, {x, y}, options).detail,
            "lane 0 is NaN"));
  CHECK(program([&](auto& tl) { tl.store(at(tl), tl.max(tile(tl), 1_c)); }, options, {x, y}).faults.empty());
}

TEST_CASE("undefined: an address, a branch and the quotient of a division by 0") {
  const Tensor x = tensor_of("x", DType::int32, {4}, {3, 0, 2, 1}), y = zeros("y", DType::int32, {4});
  cpu::RunOptions options;
  options.checks.undefined_lane = true;
  const auto half = [&](auto& tl) {
    auto i = tl.arange(0, 4_c);
    return tl.load(pointer(tl, 0, x) + i, {.mask = i < 2});
  };
  const auto at = [&](auto& tl) { return pointer(tl, 1, y) + tl.arange(0, 4_c); };
  CHECK(has(fault_of([&](auto& tl) { tl.load(pointer(tl, 1, y) + half(tl)); }, {x, y}, options).headline,
            "lane 2 of program 0 has an undefined address"));
  CHECK(has(fault_of(
                [&](auto& tl) {
                  if (tl.sum(half(tl), 0) > 0) tl.store(at(tl), 1);
                },
                {x, y}, options)
                .headline,
            "the condition of a branch of program 0 is undefined"));
  const auto quotient = [&](auto& tl) { return 7 / tl.load(pointer(tl, 0, x) + tl.arange(0, 4_c)); };
  const Fault f = fault_of([&](auto& tl) { tl.store(at(tl), quotient(tl)); }, {x, y}, options);
  CHECK(f.lane == 1);
  CHECK(has(f.detail, "an integer divided by 0"));
  CHECK(program([&](auto& tl) { tl.store(at(tl), quotient(tl), {.mask = tl.arange(0, 4_c) != 1}); }, options, {x, y})
            .faults.empty());
}

TEST_CASE("hints: a combine function that is not associative gives a GPU another result") {
  cpu::RunOptions options;
  options.checks.race = true;
  const auto folded = [](auto f) { return [f](auto& tl) { tl.reduce(tl.arange(0, 8_c).to(tl.float32), 0_c, f); }; };
  CHECK(has(fault_of(folded([](auto a, auto b) { return (a + b) * 0.5; }), {}, options).headline, "not associative"));
  CHECK(program(folded([](auto a, auto b) { return a + b; }), options, {}).faults.empty());
}
