// Programs that wait for each other run in every order, one at a time; those that wait for nobody end.
#include "tests/cpu/fault_of.h"

using namespace tl;
using namespace tl::testing;

namespace {

constexpr cpu::Order orders[] = {cpu::Order::sequential, cpu::Order::reversed, cpu::Order::shuffled};

cpu::RunOptions with_checks_in(cpu::Order order) {
  cpu::RunOptions options;
  options.order = order;
  options.checks.race = true;
  options.checks.uninitialized = true;
  return options;
}

}  // namespace

TEST_CASE("turns: two programs hand one slot to and fro") {
  for (const cpu::Order order : orders) {
    const Tensor slot = zeros("slot", DType::float32, {1}), flag = zeros("flag", DType::int32, {1}),
                 y = empty("y", DType::float32, {8});
    const auto body = [&](auto& tl) {
      auto s = pointer(tl, 0, slot);
      auto f = pointer(tl, 1, flag);
      for (int i = 0; i < 8; ++i) {
        if (tl.program_id(0) == 0) {
          while (tl.atomic_cas(f, 0, 2, {.sem = "acquire"}) != 0) {
          }
          tl.store(s, 3.0 * i);
          tl.debug_barrier();
          tl.atomic_xchg(f, 1, {.sem = "release"});
        } else {
          while (tl.atomic_cas(f, 1, 3, {.sem = "acquire"}) != 1) {
          }
          auto v = tl.load(s);
          tl.debug_barrier();
          tl.atomic_xchg(f, 0, {.sem = "release"});
          tl.store(pointer(tl, 2, y) + i, v);
        }
      }
    };
    CHECK(program(body, with_checks_in(order), {slot, flag, y}, {2}).faults.empty());
    CHECK(values_of(y) == std::vector<double>{0, 3, 6, 9, 12, 15, 18, 21});
  }
}

TEST_CASE("turns: all programs meet at a barrier, twice") {
  for (const cpu::Order order : orders) {
    const Tensor count = zeros("count", DType::int32, {1}), x = zeros("x", DType::int32, {5});
    const auto body = [&](auto& tl) {
      auto c = pointer(tl, 0, count);
      auto pid = tl.program_id(0);
      for (int turn = 1; turn <= 2; ++turn) {
        tl.store(pointer(tl, 1, x) + pid, tl.load(pointer(tl, 1, x) + pid) + 1);
        tl.atomic_add(c, 1, {.sem = "acq_rel"});
        while (tl.atomic_add(c, 0, {.sem = "acquire"}) < 5 * turn) {
        }
      }
    };
    CHECK(program(body, with_checks_in(order), {count, x}, {5}).faults.empty());
    CHECK(values_of(x) == std::vector<double>{2, 2, 2, 2, 2});
  }
}

TEST_CASE("turns: as many programs meet as the chip holds, and no more") {
  for (const cpu::Order order : {cpu::Order::sequential, cpu::Order::reversed}) {
    const auto meet = [&](std::int64_t at_once) {
      const Tensor count = zeros("count", DType::int32, {1});
      cpu::RunOptions options = with_checks_in(order);
      options.programs_at_once = at_once;
      return program(
          [&](auto& tl) {
            auto c = pointer(tl, 0, count);
            tl.atomic_add(c, 1, {.sem = "acq_rel"});
            while (tl.atomic_add(c, 0, {.sem = "acquire"}) < 700) {
            }
          },
          options, {count}, {700});
    };
    CHECK(meet(700).faults.empty());
    const auto faults = meet(600).faults;
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].kind == FaultKind::deadlock);
    CHECK_MESSAGE(faults[0].detail.ends_with("100 programs have not begun: the chip holds 600 at once"),
                  faults[0].detail);
  }
}

TEST_CASE("turns: an observer that listens to turns is told whose turn it is") {
  struct Watch : trace::Observer, cpu::TurnListener {
    trace::Keep program_begins(ProgramId id) override { return now = id.x, trace::Keep::accesses; }
    void program_goes_on(ProgramId id) override { now = id.x; }
    void op(const trace::OpEvent& e) override {
      if (e.op == Op::store) stores.push_back(now);
    }
    std::int64_t now = -1;
    std::vector<std::int64_t> stores;
  } watch;
  const Tensor flag = zeros("flag", DType::int32, {1}), y = zeros("y", DType::int32, {2});
  cpu::RunOptions options;
  options.order = cpu::Order::sequential;
  options.observer = &watch;
  options.turns = &watch;
  const auto body = [&](auto& tl) {  // the first waits for the second
    auto pid = tl.program_id(0);
    if (pid == 0) {
      while (tl.atomic_add(pointer(tl, 0, flag), 0) == 0) {
      }
    }
    tl.store(pointer(tl, 1, y) + pid, 1);
    tl.atomic_xchg(pointer(tl, 0, flag), 1);
  };
  CHECK(program(body, options, {flag, y}, {2}).faults.empty());
  CHECK(watch.stores == std::vector<std::int64_t>{1, 0});
}

TEST_CASE("turns: programs that wait for what nobody writes end with the element that they wait for") {
  for (const cpu::Order order : orders) {
    const Tensor flags = zeros("flags", DType::int32, {8});
    const auto body = [&](auto& tl) {
      auto at = pointer(tl, 0, flags) + tl.program_id(0);
      while (tl.atomic_add(at, 0) == 0) {
      }
    };
    const auto faults = program(body, with_checks_in(order), {flags}, {8}).faults;
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].kind == FaultKind::deadlock);
    CHECK(faults[0].tensor == "flags");
  }
}

TEST_CASE("turns: programs that wait for a block of flags run in every order, and end where nobody raises one") {
  for (const cpu::Order order : orders)
    for (const int raised : {8, 7}) {
      const Tensor flags = zeros("flags", DType::int32, {8});
      const auto body = [&](auto& tl) {
        auto all = pointer(tl, 0, flags) + tl.arange(0, 8_c);
        auto pid = tl.program_id(0);
        if (pid < raised) tl.atomic_xchg(pointer(tl, 0, flags) + pid, 1, {.sem = "release"});
        while (tl.sum(tl.load(all), 0_c) < 8) {
        }
      };
      cpu::RunOptions options;
      options.order = order;
      const auto faults = program(body, options, {flags}, {8}).faults;
      CHECK(faults.empty() == (raised == 8));
      if (raised == 7) CHECK(faults[0].kind == FaultKind::deadlock);
    }
}

TEST_CASE("turns: a loop that reads the same in each of many turns waits for nobody") {
  for (const cpu::Order order : orders) {
    const Tensor scale = zeros("scale", DType::float32, {1}), y = empty("y", DType::float32, {64});
    const auto body = [&](auto& tl) {
      auto sum = tl.scalar(0.0, tl.float32);
      for ([[maybe_unused]] auto i : tl.range(0, 3000)) sum = sum + tl.load(pointer(tl, 0, scale)) + 1.0;
      tl.store(pointer(tl, 1, y) + tl.program_id(0), sum);
    };
    CHECK(program(body, with_checks_in(order), {scale, y}, {64}).faults.empty());
    CHECK(values_of(y) == std::vector<double>(64, 3000));
  }
}
