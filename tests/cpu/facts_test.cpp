// What a kernel is found to do, whatever its text looks like: dots, prints, what it loads after it stored it.
#include "interp/cpu/facts.h"

#include "interp/cpu/run.h"
#include "tests/cpu/address_lab.h"

using namespace tl;
using namespace tl::testing;
using cpu::Block;
using cpu::Pointer;
using rules::Dots;

namespace {

struct Given {
  Pointer a, t;
  Block n;
};
using Kernel = std::function<void(cpu::Context&, const Given&)>;

Tensor zeros(const std::string& name, DType dtype = DType::float16) {
  Tensor t = make_tensor(name, dtype, {128, 64});
  for (std::int64_t i = 0; i < t.storage_elems; ++i) set(t, i, 0);
  return t;
}

struct Arguments {
  int n = 4;
  Tensor a = zeros("a"), t = zeros("t");
};

Launch launch_of(const Kernel& kernel, const Arguments& given = {}) {
  const TensorArgument a{given.a}, t{given.t};
  const IntArgument n{given.n};
  return {.kernel = "lab",
          .source = "a test",
          .grid = {8},
          .options = {},
          .arguments = {a, t, n},
          .on_cpu = [=](cpu::Context& tl) { kernel(tl, {tl.bind(a, 0), tl.bind(t, 1), tl.bind(n, 2)}); }};
}

rules::KernelFacts facts_of(const Kernel& kernel, const Arguments& given = {}) {
  return cpu::facts_of(launch_of(kernel, given));
}

bool loads_after_store(const rules::KernelFacts& f) {
  return f.one_role && f.one_role->fact.find("may load from \"") != std::string::npos &&
         f.one_role->fact.find(" what was stored ") != std::string::npos;
}

// Offsets of 64 x 64 elements.
auto square(auto& tl) {
  const auto i = tl.arange(0, c(64));
  return i(_, None) * 64 + i(None, _);
}

auto nothing(auto& tl) { return tl.zeros(tl.shape(c(64), c(64)), tl.float32); }

struct read_tile {
  struct inner {
    auto operator()(auto&, auto& tl, auto p, auto at) const { return tl.load(p + at); }
  };
  auto operator()(auto& tl, auto p, auto at) const { return inner{}(tl, tl, p, at); }
};

struct Tile {
  Pointer p;
  Block at;
  auto read(auto& tl) const { return tl.load(p + at); }
};

void put(auto& tl, auto p, auto at, auto x) { tl.store(p + at, x.to(tl.float16)); }

// acc = a t + acc, and then t = acc, turn by turn. `load` loads t.
rules::KernelFacts facts_of_turns(const std::function<Block(cpu::Context&, const Given&, const Block&)>& load,
                                  const Arguments& given = {}) {
  return facts_of(
      [=](auto& tl, const Given& k) {
        auto at = square(tl);
        auto acc = nothing(tl);
        for (auto i : tl.range(0, k.n)) {
          acc = tl.dot(tl.load(k.a + at), load(tl, k, at), acc);
          put(tl, k.t, at, acc);
        }
      },
      given);
}

#define SCRATCH k.t
#define READ(p) tl.load(p + at)

}  // namespace

TEST_CASE("facts: a turn loads what the last one stored, in whatever words") {
  CHECK(loads_after_store(facts_of_turns([](auto& tl, auto& k, auto& at) { return tl.load(k.t + at); })));
  CHECK(loads_after_store(facts_of_turns([](auto& tl, auto& k, auto& at) { return tl.load(SCRATCH + at); })));
  CHECK(loads_after_store(facts_of_turns([](auto& tl, auto& k, auto& at) { return READ(k.t); })));
  CHECK(loads_after_store(facts_of_turns([](auto& tl, auto& k, auto& at) { return Tile{k.t, at}.read(tl); })));
  CHECK(loads_after_store(facts_of_turns([](auto& tl, auto& k, auto& at) { return read_tile{}(tl, k.t, at); })));
  CHECK(loads_after_store(facts_of_turns([](auto& tl, auto& k, auto& at) {
    const auto read = [&](auto p) { return tl.load(p + at); };
    return read(k.t);
  })));
}

TEST_CASE("facts: the obstacle names the load's place and the tensor") {
  const int line = __LINE__ + 1;
  const auto f = facts_of_turns([](auto& tl, auto& k, auto& at) { return tl.load(k.t + at); });
  REQUIRE(f.one_role);
  CHECK(f.one_role->fact.ends_with("facts_test.cpp:" + std::to_string(line) +
                                   " may load from \"t\" what was stored there"));
  CHECK(f.one_role->fix == "store to a tensor of its own");
}

TEST_CASE("facts: two arguments of one memory are one tensor") {
  const auto load_a = [](auto& tl, auto& k, auto& at) { return tl.load(k.a + at); };
  const Tensor t = zeros("t");
  Tensor same = t, overlapping = t, apart = t;
  same.name = overlapping.name = apart.name = "a";
  const auto from = [&](std::int64_t row) {
    return std::shared_ptr<std::byte[]>(t.storage, t.storage.get() + row * 64 * 2);
  };
  overlapping.storage = from(63);
  overlapping.storage_elems = 64 * 64;
  apart.storage = from(64);
  apart.storage_elems = 64 * 64;
  CHECK_FALSE(loads_after_store(facts_of_turns(load_a)));
  CHECK(loads_after_store(facts_of_turns(load_a, {.a = same, .t = t})));
  CHECK(loads_after_store(facts_of_turns(load_a, {.a = overlapping, .t = t})));
  CHECK_FALSE(facts_of_turns(load_a, {.a = apart, .t = t}).one_role);
}

TEST_CASE("facts: places that do not meet are no obstacle, for the launch that was asked alone") {
  const auto f = facts_of([](auto& tl, const Given& k) {
    auto at = square(tl);
    auto acc = nothing(tl);
    for (auto i : tl.range(0, k.n)) {
      acc = tl.dot(tl.load(k.a + at), tl.load(k.t + at), acc);
      put(tl, k.t, at + 64 * 64, acc);
    }
  });
  CHECK_FALSE(f.one_role);
  CHECK(f.of_one_launch);
}

TEST_CASE("facts: a loop without a turn is none for its launch, and one for the next") {
  const auto load = [](auto& tl, auto& k, auto& at) { return tl.load(k.t + at); };
  const auto none = facts_of_turns(load, {.n = 0}), some = facts_of_turns(load, {.n = 2});
  CHECK_FALSE(none.one_role);
  CHECK(none.of_one_launch);
  CHECK(none.dots == Dots::any);
  CHECK(loads_after_store(some));
}

TEST_CASE("facts: a store behind the last load is no obstacle, for any launch") {
  const auto f = facts_of([](auto& tl, const Given& k) {
    auto at = square(tl);
    auto acc = nothing(tl);
    for (auto i : tl.range(0, k.n)) acc = tl.dot(tl.load(k.a + at), tl.load(k.t + at), acc);
    put(tl, k.t, at, acc);
  });
  CHECK_FALSE(f.one_role);
  CHECK_FALSE(f.of_one_launch);
  CHECK(f.tiles == std::vector<std::string>{"a", "t"});
}

TEST_CASE("facts: a store in one loop, a load in another") {
  CHECK(loads_after_store(facts_of([](auto& tl, const Given& k) {
    auto at = square(tl);
    auto acc = nothing(tl);
    for (auto i : tl.range(0, k.n)) put(tl, k.t, at, acc);
    for (auto i : tl.range(0, k.n)) acc = tl.dot(tl.load(k.a + at), tl.load(k.t + at), acc);
  })));
}

TEST_CASE("facts: a store under a branch on data, on a program's id, on an int, on a turn that C++ counts") {
  const auto stores_if = [](auto condition) {
    return facts_of([=](auto& tl, const Given& k) {
      auto at = square(tl);
      auto acc = nothing(tl);
      int turn = 0;
      for (auto i : tl.range(0, k.n)) {
        acc = tl.dot(tl.load(k.a + at), tl.load(k.t + at), acc);
        if (condition(tl, k, turn++)) put(tl, k.t, at, acc);
      }
    });
  };
  CHECK(loads_after_store(stores_if([](auto& tl, auto& k, int) { return tl.load(k.a) > 3.0; })));
  CHECK(loads_after_store(stores_if([](auto& tl, auto&, int) { return tl.program_id(0) == 7; })));
  CHECK(loads_after_store(stores_if([](auto&, auto& k, int) { return k.n > 3; })));
  CHECK(loads_after_store(stores_if([](auto&, auto&, int turn) { return turn == 2; })));
}

TEST_CASE("facts: how often a loop turns may be data") {
  CHECK(loads_after_store(facts_of([](auto& tl, const Given& k) {
    auto at = square(tl);
    auto acc = nothing(tl);
    for (auto i : tl.range(0, tl.load(k.a).to(tl.int32))) {
      acc = tl.dot(tl.load(k.a + at), tl.load(k.t + at), acc);
      put(tl, k.t, at, acc);
    }
  })));
}

TEST_CASE("facts: what programs before the branch that is taken would have done is known, too") {
  const auto f = facts_of([](auto& tl, const Given& k) {
    if (tl.program_id(0) >= k.n) return;
    if (k.n > 1000) return;
    auto at = square(tl);
    put(tl, k.t, at, nothing(tl));
    tl.dot(tl.load(k.a + at), tl.load(k.t + at));
  });
  CHECK(loads_after_store(f));
  CHECK(f.dots == Dots::any);
}

TEST_CASE("facts: a program that waits for another may load what that one stored") {
  const auto f = facts_of([](auto& tl, const Given& k) {
    auto at = square(tl);
    if (tl.program_id(0) != 0) {
      put(tl, k.t, at, nothing(tl));
    } else {
      while (tl.load(k.a) == 0.0) {
      }
      tl.dot(tl.load(k.a + at), tl.load(k.t + at));
    }
  });
  CHECK(loads_after_store(f));
}

TEST_CASE("facts: rows are loaded by the warps that stored them") {
  const auto f = facts_of([](auto& tl, const Given& k) {
    auto at = square(tl), row = tl.arange(0, c(64));
    for (auto i : tl.range(0, k.n)) {
      tl.store(k.t + row, tl.load(k.t + row));
      tl.dot(tl.load(k.a + at), tl.load(k.a + at));
    }
  });
  CHECK_FALSE(f.one_role);
}

TEST_CASE("facts: dots are exact where each multiplies f32 as it is, or wider") {
  const auto dots_of = [](DType dtype, const Kernel& kernel) {
    return facts_of(kernel, {.a = zeros("a", dtype), .t = zeros("t")}).dots;
  };
  const auto multiplies = [](auto precision, DType sums) {
    return [=](auto& tl, const Given& k) {
      auto x = tl.load(k.a + square(tl));
      tl.dot(x, x, tl.zeros(tl.shape(c(64), c(64)), cpu::ElementType{sums}), precision);
    };
  };
  const auto ieee = cpu::Precision::ieee;
  CHECK(dots_of(DType::float32, [](auto& tl, const Given& k) { tl.load(k.a + square(tl)); }) == Dots::none);
  CHECK(dots_of(DType::float32, multiplies(ieee, DType::float32)) == Dots::exact);
  CHECK(dots_of(DType::float64, multiplies(ieee, DType::float64)) == Dots::exact);
  CHECK(dots_of(DType::float16, multiplies(ieee, DType::float32)) == Dots::any);
  CHECK(dots_of(DType::float32, multiplies(cpu::Precision::tf32, DType::float32)) == Dots::any);
  CHECK(dots_of(DType::float32, [&](auto& tl, const Given& k) {
          multiplies(ieee, DType::float32)(tl, k);
          auto x = nothing(tl).to(tl.float16);
          if (k.n > 5) tl.dot(x, x);
        }) == Dots::any);
}

TEST_CASE("facts: whether a kernel prints") {
  CHECK_FALSE(facts_of([](auto& tl, const Given& k) { tl.store(k.t, 1.0); }).prints);
  CHECK(facts_of([](auto& tl, const Given& k) { tl.print_if("n {}", "=5", k.n); }).prints);
  CHECK(facts_of([](auto& tl, const Given& k) {
          if (k.n > 100) tl.device_print("n", k.n);
        }).prints);
}

TEST_CASE("facts: a kernel that makes a descriptor has one role") {
  const auto f = facts_of([](auto& tl, const Given& k) {
    auto d = tl.make_tensor_descriptor(k.a, tl.tuple(k.n, c(64)), tl.tuple(c(64), c(1)), tl.shape(c(16), c(64)));
    d.load({0, 0});
  });
  REQUIRE(f.one_role);
  CHECK(f.one_role->fact.ends_with(" has make_tensor_descriptor, which goes by pointers"));
}

TEST_CASE("facts: an exploration leaves the tensors alone, and ends where a kernel would not") {
  const Arguments given;
  const auto f = facts_of(
      [](auto& tl, const Given& k) {
        while (k.n > 0) tl.store(k.t, tl.load(k.t) + 1.0);
      },
      given);
  CHECK(get(given.t, 0) == 0);
  CHECK(f.dots == Dots::none);
}

TEST_CASE("facts: of a kernel that nobody can run nothing is known") {
  const auto f = cpu::facts_of({});
  CHECK(f.dots == Dots::any);
  CHECK(f.prints);
  CHECK(f.one_role);
}

TEST_CASE("facts: more paths than are followed leave the launch itself to be asked") {
  const auto f = facts_of([](auto& tl, const Given& k) {
    auto at = square(tl);
    for (int i = 0; i < 20; ++i)
      if (k.n > i + 100) put(tl, k.t, at, nothing(tl));
    tl.dot(tl.load(k.a + at), tl.load(k.t + at));
  });
  CHECK_FALSE(f.one_role);
  CHECK(f.of_one_launch);
}
