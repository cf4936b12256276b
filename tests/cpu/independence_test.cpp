// Which launches need no check while they run, and that those which do say the same.
#include "interp/cpu/independence.h"

#include <random>

#include "tests/cpu/fault_of.h"

using namespace tl;
using namespace tl::testing;

namespace {

cpu::RunOptions checked(cpu::Order order = cpu::Order::parallel) {
  cpu::RunOptions options;
  options.order = order;
  options.checks = {.uninitialized = true, .race = true, .undefined_lane = true};
  return options;
}

std::optional<cpu::Independence> known(std::function<void(cpu::Context&)> body, const std::vector<Tensor>& tensors,
                                       Grid grid) {
  Launch l{
      .kernel = "lab", .source = "a test", .grid = grid, .options = {}, .arguments = {}, .on_cpu = std::move(body)};
  for (const Tensor& t : tensors) l.arguments.push_back(TensorArgument{t});
  return cpu::independence_of(l, checked());
}

}  // namespace

TEST_CASE("independence: programs that write elements of their own, and read what none writes") {
  const Tensor x = zeros("x", DType::float32, {64}), y = zeros("y", DType::float32, {64});
  const auto copies = [&](int step, int shift) {
    return [&, step, shift](auto& tl) {
      auto i = tl.program_id(0) * step + tl.arange(0, 8_c);
      tl.store(pointer(tl, 1, y) + i, tl.load(pointer(tl, 0, x) + i + shift));
    };
  };
  CHECK(known(copies(8, 0), {x, y}, {8}));
  CHECK(known(copies(8, 7), {x, y}, {7}));   // reads of programs may overlap
  CHECK(!known(copies(7, 0), {x, y}, {8}));  // writes may not
  CHECK(known(copies(8, 0), {x, x}, {8}));   // in place: each lane has its element to itself
  CHECK(!known(copies(8, 7), {x, x}, {7}));
}

TEST_CASE("independence: not where data decides, programs meet in an atomic, or print") {
  const Tensor x = zeros("x", DType::int32, {64}), y = zeros("y", DType::int32, {64});
  const auto i = [](auto& tl) { return tl.program_id(0) * 8 + tl.arange(0, 8_c); };
  const auto at = [&](auto& tl, int tensor) { return pointer(tl, tensor, tensor ? y : x) + i(tl); };
  CHECK(!known([&](auto& tl) { tl.store(pointer(tl, 1, y) + tl.load(at(tl, 0)), 1); }, {x, y}, {8}));
  CHECK(!known([&](auto& tl) { tl.store(at(tl, 1), 1, {.mask = tl.load(at(tl, 0)) > 0}); }, {x, y}, {8}));
  CHECK(!known([&](auto& tl) { tl.atomic_add(at(tl, 1), 1); }, {x, y}, {8}));
  CHECK(!known(
      [&](auto& tl) {
        tl.store(at(tl, 1), 1);
        tl.print_if("{}", "=0", tl.program_id(0));
      },
      {x, y}, {1}));
}

TEST_CASE("independence: not where one thread may miss what another of its program stored") {
  const Tensor x = zeros("x", DType::float32, {4096});
  const auto twice = [&](int shift, int lanes) {
    return [&, shift, lanes](auto& tl) {
      auto p = pointer(tl, 0, x) + tl.program_id(0) * 2048 + tl.arange(0, 1024_c);
      tl.store(p, 1.0, {.mask = tl.arange(0, 1024_c) < lanes});
      tl.load(p + shift);
    };
  };
  CHECK(known(twice(0, 1024), {x}, {2}));
  CHECK(!known(twice(1, 1024), {x}, {2}));
  CHECK(!known(twice(0, 1000), {x}, {2}));
  const auto of_few_lanes = [&](auto& tl) {
    auto p = pointer(tl, 0, x) + tl.program_id(0);
    tl.store(p, 1.0);
    tl.load(p);
  };
  CHECK(!known(of_few_lanes, {x}, {2}));
}

TEST_CASE("independence: undefined lanes are looked for in the programs that have some") {
  const Tensor x = zeros("x", DType::float32, {60}), y = zeros("y", DType::float32, {64});
  const auto body = [&](bool masks_store) {
    return [&, masks_store](auto& tl) {
      auto i = tl.program_id(0) * 8 + tl.arange(0, 8_c);
      auto v = tl.load(pointer(tl, 0, x) + i, {.mask = i < 60});
      masks_store ? tl.store(pointer(tl, 1, y) + i, v, {.mask = i < 60}) : tl.store(pointer(tl, 1, y) + i, v);
    };
  };
  CHECK(known(body(true), {x, y}, {8}).value().with_undefined_lanes == std::vector<std::int64_t>{7});
  CHECK(program(body(true), checked(), {x, y}, {8}).faults.empty());
  const auto faults = program(body(false), checked(), {x, y}, {8}).faults;
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].kind == FaultKind::undefined_lane);
  CHECK(faults[0].program == ProgramId{7, 0, 0});
}

TEST_CASE("independence: random accesses are judged as the checks judge them") {
  std::mt19937 random(1);
  const auto draw = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int independent = 0;
  for (int turn = 0; turn < 600; ++turn) {
    const Tensor x = zeros("x", DType::int32, {4000}), y = zeros("y", DType::int32, {4000});
    struct Access {
      int tensor, kind, start, by_program, by_row, by_lane, columns, rows;
    };
    std::vector<Access> accesses;
    for (int i = 0; i < 3; ++i)
      accesses.push_back({draw(2), draw(3), draw(9), draw(3) * 32 + draw(2), 8 + draw(2) * 248, 1 + draw(2),
                          draw(3) ? 8 : draw(9), draw(3) ? 4 : draw(5)});
    const int edge = draw(2) ? 5 : draw(5);
    const auto body = [&](auto& tl) {
      auto row = tl.expand_dims(tl.arange(0, 4_c), 1_c), column = tl.expand_dims(tl.arange(0, 8_c), 0_c);
      auto pid = tl.program_id(0);
      for (const Access& a : accesses) {
        auto p = pointer(tl, a.tensor, a.tensor ? y : x) + a.start + pid * a.by_program + row * a.by_row +
                 column * a.by_lane;
        auto mask = (row < a.rows) & (column < a.columns) & (pid < edge);
        if (a.kind == 0) tl.load(p, {.mask = mask});
        else if (a.kind == 1) tl.store(p, row, {.mask = mask});
        else tl.store(p, tl.load(p, {.mask = mask, .other = 0}), {.mask = mask});
      }
    };
    CAPTURE(turn);
    independent += known(body, {x, y}, {5}).has_value();
    const auto expected = program(body, checked(cpu::Order::sequential), {x, y}, {5}).faults,
               faults = program(body, checked(), {x, y}, {5}).faults;
    REQUIRE(faults.size() == expected.size());
    for (std::size_t i = 0; i < faults.size(); ++i) {
      CHECK(faults[i].headline == expected[i].headline);
      CHECK(faults[i].detail == expected[i].detail);
    }
  }
  CHECK(independent > 60);
  CHECK(independent < 540);
}
