// What is said when a kernel goes wrong: kind, lane, element, and how to mend it.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "tests/cpu/fault_of.h"
#include "tests/has.h"

using namespace tl;
using namespace tl::testing;

TEST_CASE("out of bounds: the load names lane, element and tensor, and touches nothing") {
  const Tensor x = zeros("input", DType::float32, {4, 781});
  const Fault f = fault_of([&](auto& tl) { tl.load(pointer(tl, 0, x) + 3 * 781 + tl.arange(0, 1024_c)); }, {x});
  CHECK(f.kind == FaultKind::out_of_bounds);
  CHECK(f.headline == "tl.load: lane 781 of program 0 is out of bounds");
  CHECK(f.detail == "element 3124 of \"input\", which holds 3124 (4 x 781)");
  CHECK(f.fix.find("{.mask") != std::string::npos);
  CHECK(f.element == 3124);
  CHECK(f.site.line > 0);
}

TEST_CASE("out of bounds: a store writes nothing at all, wherever its first wrong lane is") {
  const Tensor x = zeros("out", DType::int32, {6});
  const Fault f = fault_of([&](auto& tl) { tl.store(pointer(tl, 0, x) + tl.arange(0, 8_c), 7); }, {x});
  CHECK(f.lane == 6);
  CHECK(values_of(x) == std::vector<double>(6, 0));
  const Fault g = fault_of(
      [&](auto& tl) {
        auto o = tl.arange(0, 8_c);
        tl.store(pointer(tl, 0, x) + o * o, 7, {.mask = o != 7});
      },
      {x});
  CHECK(g.lane == 3);
  CHECK(g.element == 9);
}

TEST_CASE("out of bounds: of programs that fault, the first is told, however threads share them") {
  const Tensor x = zeros("x", DType::int32, {8});
  for (int round = 0; round < 200; ++round) {
    const auto ran =
        program([&](auto& tl) { tl.load(pointer(tl, 0, x) + tl.program_id(0) * 3); }, {.threads = 4}, {x}, {.x = 64});
    CHECK(only_fault(ran).program.x == 3);
  }
}

TEST_CASE("out of bounds: an offset that wrapped past 2^31 is told as that") {
  const Tensor x = zeros("x", DType::uint8, {100});
  const Fault f = fault_of([&](auto& tl) { tl.load(pointer(tl, 0, x) + (tl.program_id(0) + 70000) * 40000); }, {x});
  CHECK(f.element == 70000ll * 40000 - (1ll << 32));
  CHECK(f.fix.find("pid.to(tl.int64)") != std::string::npos);
}

TEST_CASE("load: masked lanes return other and touch no memory") {
  const Tensor x = tensor_of("x", DType::float32, {3}, {1, 2, 3});
  well(
      [&](auto& tl) {
        auto o = tl.arange(0, 4_c);
        CHECK(lanes(tl.load(pointer(tl, 0, x) + o, {.mask = o < 3, .other = -1})) == Lanes{1, 2, 3, -1});
        CHECK(lanes(tl.load(pointer(tl, 0, x) + o, {.mask = o < 2})) == Lanes{1, 2, 0, 0});
        CHECK(lanes(tl.load(pointer(tl, 0, x) + o * 100, {.mask = o < 1, .other = o * 2})) == Lanes{1, 2, 4, 6});
        CHECK(lanes(tl.load(pointer(tl, 0, x) + 99, {.mask = false, .other = 5})) == Lanes{5});
      },
      {x});
}

TEST_CASE("a store to rows of a matrix leaves its neighbours alone") {
  const Tensor x = zeros("x", DType::float16, {5, 7});
  well(
      [&](auto& tl) {
        auto i = tl.arange(0, 4_c)(_, None), j = tl.arange(0, 4_c)(None, _);
        tl.store(pointer(tl, 0, x) + (i + 2) * 7 + j + 1, i * 10 + j, {.mask = (i < 3) & (j < 2)});
      },
      {x});
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 7; ++j) CHECK(get(x, i * 7 + j) == (i >= 2 && (j == 1 || j == 2) ? (i - 2) * 10 + j - 1 : 0));
}

TEST_CASE("shape errors name both shapes and the way out") {
  const Fault f = fault_of([](auto& tl) { tl.arange(0, 4_c) + tl.arange(0, 8_c); });
  CHECK(f.kind == FaultKind::shape);
  CHECK(f.detail == "the left side is (4,), the right side (8,)");
  CHECK(fault_of([](auto& tl) { tl.arange(0, Constant(48)); }).headline == "tl.arange: 48 is not a power of two");
  CHECK(fault_of([](auto& tl) {
          if (tl.arange(0, 4_c) < 2) {
          }
        }).fix.find("tl.where") != std::string::npos);
  CHECK(fault_of([](auto& tl) {
          auto x = tl.arange(0, 4_c);
          tl.dot(x, x);
        }).headline == "tl.dot: both sides must be matrices");
  CHECK(fault_of([](auto& tl) { block(tl, DType::int32, {1, 2}) / block(tl, DType::uint32, {1, 2}); }).kind ==
        FaultKind::shape);
  CHECK(fault_of([](auto& tl) { block(tl, DType::uint8, {1, 2}) + 300; }).headline.find("300 does not fit u8") !=
        std::string::npos);
}

TEST_CASE("assignment may change neither dtype nor shape, also within a branch") {
  const Fault f = fault_of([](auto& tl) {
    auto x = tl.zeros(tl.shape(4_c), tl.float32);
    if (tl.program_id(0) == 0) x = tl.zeros(tl.shape(8_c), tl.float32);
  });
  CHECK(f.detail == "it holds f32(4,), the new value is f32(8,)");
  CHECK(fault_of([](auto& tl) {
          auto x = tl.arange(0, 4_c);
          x = x * 0.5;
        }).detail == "it holds i32(4,), the new value is f32(4,)");
}

TEST_CASE(
    "out of bounds: the fix says what is wrong, below, beyond, through a block pointer, and in a matrix by its axes") {
  const Tensor x = zeros("x", DType::float32, {6}), m = zeros("m", DType::float32, {3, 5});
  CHECK(fault_of([&](auto& tl) { tl.load(pointer(tl, 0, x) + tl.arange(0, 4_c) - 1); }, {x})
            .fix.starts_with("pass {.mask = offsets >= 0}"));
  CHECK(fault_of([&](auto& tl) { tl.load(pointer(tl, 0, x) + tl.arange(0, 8_c) - 1); }, {x})
            .fix.starts_with("pass {.mask = (offsets >= 0) & (offsets < 6)}"));
  CHECK(fault_of(
            [&](auto& tl) {
              auto o = tl.arange(0, 16_c);
              tl.load(pointer(tl, 0, m) + o, {.mask = o < 16});
            },
            {m})
            .fix.starts_with("the mask lets this lane through: make sure that (rows < 3) & (columns < 5), "));
  const auto through_block = [&](int size, bool is_checked) {
    return fault_of(
               [&, size, is_checked](auto& tl) {
                 auto p = tl.make_block_ptr(pointer(tl, 0, x), tl.tuple(size), tl.tuple(1), tl.tuple(0), tl.shape(8_c),
                                            tl.axes(0_c));
                 is_checked ? tl.load(p, {.boundary_check = tl.axes(0_c)}) : tl.load(p);
               },
               {x})
        .fix;
  };
  CHECK(through_block(6, false) == "pass {.boundary_check = tl.axes(0_c)}");
  CHECK(through_block(7, true).find("the tensor's shape") != std::string::npos);
}

TEST_CASE("assignment: the fix names the variable's own dtype") {
  const Fault f = fault_of([](auto& tl) {
    auto a = tl.zeros(tl.shape(4_c), tl.float16);
    a = a + tl.zeros(tl.shape(4_c), tl.float32);
  });
  CHECK(f.fix == "cast it back with .to(tl.float16), or declare a new variable");
}

TEST_CASE("device_assert: the lane that fails, with the text") {
  const Fault f = fault_of([](auto& tl) { tl.device_assert(tl.arange(0, 8_c) < 5, "below five"); });
  CHECK(f.kind == FaultKind::assertion);
  CHECK(f.lane == 5);
  CHECK(f.detail == "below five");
}

TEST_CASE("deadlock: a program that polls what nobody writes") {
  const auto wait = [](const Tensor& flag) {
    return [&flag](auto& tl) {
      while (tl.load(pointer(tl, 0, flag)) == 0) {
      }
    };
  };
  for (const auto order : {cpu::Order::sequential, cpu::Order::reversed, cpu::Order::parallel}) {
    const Tensor flag = zeros("flag", DType::int32, {1});
    cpu::RunOptions options;
    options.order = order;
    CHECK(fault_of(wait(flag), {flag}, options, {2}).kind == FaultKind::deadlock);
  }
}

TEST_CASE("deadlock: programs that wait for others, later ones or earlier ones, run in every order") {
  for (const auto order : {cpu::Order::sequential, cpu::Order::reversed, cpu::Order::shuffled})
    for (const int first : {0, 1}) {
      const Tensor flag = zeros("flag", DType::int32, {1});
      cpu::RunOptions options;
      options.order = order;
      const auto in_turn = [&](auto& tl) {
        auto turn = tl.where(tl.program_id(0) == first, 0, 1);
        while (tl.load(pointer(tl, 0, flag)) < turn) {
        }
        tl.atomic_add(pointer(tl, 0, flag), 1);
      };
      CHECK(program(in_turn, options, {flag}, {2}).faults.empty());
    }
}

TEST_CASE("spin-wait: programs that wait for earlier ones end well in order and in parallel") {
  for (const auto order : {cpu::Order::sequential, cpu::Order::parallel}) {
    const Tensor turn = zeros("turn", DType::int32, {1}), out = zeros("out", DType::int32, {16});
    cpu::RunOptions options;
    options.order = order;
    options.threads = 4;
    const auto r = program(
        [&](auto& tl) {
          auto p = pointer(tl, 0, turn);
          while (tl.atomic_add(p, 0) != tl.program_id(0)) {
          }
          tl.store(pointer(tl, 1, out) + tl.program_id(0), tl.program_id(0) + 1);
          tl.atomic_add(p, 1);
        },
        options, {turn, out}, {16});
    CHECK(r.faults.empty());
    for (int i = 0; i < 16; ++i) CHECK(get(out, i) == i + 1);
  }
}

TEST_CASE("atomic_add: every dtype it has, lanes on one element, the old values back") {
  for (const DType t :
       {DType::int32, DType::uint32, DType::int64, DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
    const Tensor x = zeros("x", t, {2});
    CHECK(program(
              [&](auto& tl) {
                auto old =
                    tl.atomic_add(pointer(tl, 0, x) + tl.arange(0, 4_c) / 2, 1, {.mask = tl.arange(0, 4_c) != 3});
                if (tl.num_programs(0) == 1) CHECK(lanes(old) == Lanes{0, 1, 0, 0});
              },
              {}, {x})
              .faults.empty());
    CHECK(values_of(x) == std::vector<double>{2, 1});
    CHECK(program([&](auto& tl) { tl.atomic_add(pointer(tl, 0, x), 1); }, {}, {x}, {100}).faults.empty());
    CHECK(get(x, 0) == 102);
  }
}

TEST_CASE("limits: an op limit and the stop flag end a loop that never would") {
  cpu::RunOptions options;
  options.op_limit = 5000;
  const auto forever = [](auto& tl) {
    auto x = tl.program_id(0);
    while (x >= 0) x = x * 1;
  };
  CHECK(fault_of(forever, {}, options).kind == FaultKind::stopped);
  std::atomic<bool> stop{true};
  options.op_limit = 0;
  options.stop = &stop;
  CHECK(fault_of(forever, {}, options).kind == FaultKind::stopped);
}

TEST_CASE("orders: sequential, reversed and shuffled by seed run every program once") {
  for (const auto order : {cpu::Order::sequential, cpu::Order::reversed, cpu::Order::shuffled}) {
    std::vector<double> seen;
    cpu::RunOptions options;
    options.order = order;
    options.seed = 5;
    program([&](auto& tl) { seen.push_back(lanes(tl.program_id(0) * 10 + tl.program_id(1))[0]); }, options, {}, {3, 2});
    CHECK(seen.size() == 6);
    if (order == cpu::Order::sequential) CHECK(seen == std::vector<double>{0, 10, 20, 1, 11, 21});
    if (order == cpu::Order::reversed) CHECK(seen == std::vector<double>{21, 11, 1, 20, 10, 0});
    std::sort(seen.begin(), seen.end());
    CHECK(seen == std::vector<double>{0, 1, 10, 11, 20, 21});
  }
}

TEST_CASE("wrong use: an empty grid and tiles that are no powers of two") {
  CHECK_THROWS_AS(program([](auto&) {}, {}, {}, {0}), Error);
  CHECK_THROWS_AS(program([](auto&) {}, {}, {}, {1, 65536}), Error);  // beyond what a GPU takes
  Launch l{.kernel = "k",
           .source = "",
           .grid = {1},
           .options = {},
           .arguments = {DescriptorArgument{zeros("x", DType::float32, {8, 8}), {4, 3}}},
           .on_cpu = [](cpu::Context&) {}};
  CHECK_THROWS_AS(cpu::run(l), Error);
}

TEST_CASE(
    "descriptors: a block of fewer columns than the tile is stored where it has 128 bytes of them, and clipped at the "
    "edge") {
  const Tensor x = zeros("x", DType::float32, {2, 80});
  const auto store = [&](auto columns) {
    return [&x, columns](auto& tl) {
      tl.bind(DescriptorArgument{x, {2, 64}}, 0).store({0, 64}, tl.full(tl.shape(2_c, columns), 7, tl.float32));
    };
  };
  well(store(32_c), {x});
  for (int i = 0; i < 160; ++i) CHECK(get(x, i) == (i % 80 < 64 ? 0 : 7));
  CHECK(fault_of(store(16_c), {x}).headline.find("tile's shape") != std::string::npos);
}

TEST_CASE("block pointers: only the checked axes are cut, padding is zero or NaN") {
  const Tensor x = tensor_of("x", DType::float32, {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  well(
      [&](auto& tl) {
        auto bp = tl.make_block_ptr(pointer(tl, 0, x), tl.tuple(3, 3), tl.tuple(3, 1), tl.tuple(0, 0),
                                    tl.shape(2_c, 2_c), tl.axes(1_c, 0_c));
        bp = tl.advance(bp, tl.tuple(2, 1));
        CHECK(lanes(tl.load(bp, {.boundary_check = tl.axes(0_c, 1_c)})) == Lanes{8, 9, 0, 0});
        CHECK(std::isnan(lanes(tl.load(bp, {.boundary_check = tl.axes(0_c), .padding = tl.nan}))[2]));
        tl.store(bp, tl.zeros(tl.shape(2_c, 2_c), tl.float32), {.boundary_check = tl.axes(0_c, 1_c)});
      },
      {x});
  CHECK(values_of(x) == std::vector<double>{1, 2, 3, 4, 5, 6, 7, 0, 0});
  CHECK(fault_of(
            [&](auto& tl) {
              auto bp = tl.make_block_ptr(pointer(tl, 0, x), tl.tuple(3, 3), tl.tuple(3, 1), tl.tuple(2, 0),
                                          tl.shape(2_c, 2_c), tl.axes(1_c, 0_c));
              tl.load(bp);
            },
            {x})
            .kind == FaultKind::out_of_bounds);
}

TEST_CASE("block pointers: lanes outside hold no value without padding, and are told where they are stored") {
  const Tensor x = tensor_of("x", DType::float32, {6}, {1, 2, 3, 4, 5, 6}), y = zeros("y", DType::float32, {8});
  cpu::RunOptions options;
  options.checks.undefined_lane = true;
  const auto run = [&](auto load) {
    return program(
               [&](auto& tl) {
                 auto p = tl.make_block_ptr(pointer(tl, 0, x), tl.tuple(6), tl.tuple(1), tl.tuple(0), tl.shape(8_c),
                                            tl.axes(0_c));
                 tl.store(pointer(tl, 1, y) + tl.arange(0, 8_c), load(tl, p));
               },
               options, {x, y})
        .faults;
  };
  CHECK(
      run([](auto& tl, auto& p) { return tl.load(p, {.boundary_check = tl.axes(0_c), .padding = tl.zero}); }).empty());
  const auto faults = run([](auto& tl, auto& p) { return tl.load(p, {.boundary_check = tl.axes(0_c)}) + 1; });
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].kind == FaultKind::undefined_lane);
  CHECK(faults[0].lane == 6);
  CHECK_MESSAGE(has(faults[0].detail, "a lane outside of a block pointer's shape, of a load without .padding, line"),
                faults[0].detail);
  CHECK(faults[0].fix.starts_with("pass {.padding = tl.zero} to the load"));
}
