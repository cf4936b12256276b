// Address runs: absent data, loops that are skipped and must not be noticed, what needs values.
#include "interp/cpu/addresses.h"

#include "interp/trace/access_builder.h"
#include "kernels/softmax.h"
#include "tests/cpu/lab.h"
#include "tests/same_accesses.h"

using namespace tl;
using namespace tl::testing;

namespace {

constexpr Constant c(long long value) { return Constant(value); }

using Body = std::function<void(cpu::Context&, Pointer)>;

// A body over one f32 tensor "x" of ones.
Launch lab(const Body& body, Grid grid = {}, std::int64_t elems = 1 << 16) {
  const Tensor x = make_tensor("x", DType::float32, {elems});
  for (std::int64_t i = 0; i < elems; ++i) set(x, i, 1);
  const TensorArgument argument{x};
  return {.kernel = "lab", .source = "a test", .grid = grid, .options = {}, .arguments = {argument}, .on_cpu = [=](cpu::Context& tl) { body(tl, tl.bind(argument, 0)); }};
}

trace::AccessRecord observed(const Launch& launch) {
  trace::AccessObserver observer;
  cpu::RunOptions options;
  options.observer = &observer;
  for (const Fault& f : cpu::run(launch, options).faults) FAIL(f.headline);
  return observer.take();
}

// The record, which must make the accesses of an ordinary run.
trace::AccessRecord agrees(const Launch& launch) {
  trace::AccessRecord r = cpu::record_accesses(launch, {.confirms = false});
  CHECK(difference(r, observed(launch)) == "");
  CHECK(r.needed_values == "");
  return r;
}

std::size_t longest(const trace::AccessRecord& r) {
  std::int64_t most = 0;
  for (const auto& s : r.segments) most = std::max(most, s.iterations);
  return static_cast<std::size_t>(most);
}

}  // namespace

TEST_CASE("address run: a loop of n iterations is one segment, whatever n") {
  for (const int n : {0, 1, 2, 3, 5, 6, 7, 8, 100}) {
    const auto r = agrees(lab([=](auto& tl, Pointer x) {
      for (auto i : tl.range(n)) tl.store(x + i * 16 + tl.arange(0, c(16)), 0.0);
    }));
    CAPTURE(n);
    if (n >= 6) CHECK(r.segments.size() == 1);
    if (n >= 6) CHECK(r.segments[0].iterations == n);
  }
}

TEST_CASE("address run: ranges that begin anywhere, step by 3, and run downwards") {
  const auto up = agrees(lab([](auto& tl, Pointer x) {
    for (auto i : tl.range(5, 200, 3)) tl.load(x + i);
  }));
  CHECK(up.segments[0].iterations == 65);
  CHECK(up.accesses[0].base == 5);
  CHECK(up.accesses[0].step == 3);
  const auto down = agrees(lab([](auto& tl, Pointer x) {
    for (auto i : tl.range(200, 5, -3)) tl.load(x + i);
  }));
  CHECK(down.segments[0].iterations == 65);
  CHECK(down.accesses[0].step == -3);
}

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
  CHECK(r.segments[0].lane_ops == 64);
  CHECK(r.accesses.back().base == 500 * 64);
}

TEST_CASE("address run: block pointers move by tl.advance") {
  const auto r = agrees(lab([](auto& tl, Pointer x) {
    auto p = tl.make_block_ptr(x, tl.tuple(100, 300), tl.tuple(300, 1), tl.tuple(80, 0), tl.shape(c(32), c(8)), tl.axes(c(1), 0));
    for ([[maybe_unused]] auto i : tl.range(0, 300, 8)) {
      tl.load(p, {.boundary_check = tl.axes(0, c(1))});
      p = tl.advance(p, tl.tuple(0, 8));
    }
  }));
  CHECK(longest(r) == 37);
  CHECK(r.accesses[0].step == 8);
}

TEST_CASE("address run: a tail with a smaller mask is an iteration of its own") {
  const auto r = agrees(lab([](auto& tl, Pointer x) {
    for (auto i : tl.range(0, 1000, 32)) {
      auto offs = i + tl.arange(0, c(32));
      tl.load(x + offs, {.mask = offs < 1000});
    }
  }));
  CHECK(r.segments.size() == 2);
  CHECK(r.segments[0].iterations == 31);
}

TEST_CASE("address run: a mask that changes in the middle splits the loop there") {
  for (const int edge : {0, 1, 2, 3, 4, 50, 96, 97, 98, 99, 100}) {
    const auto r = agrees(lab([=](auto& tl, Pointer x) {
      for (auto i : tl.range(100)) {
        auto offs = i * 8 + tl.arange(0, c(8));
        tl.load(x + offs, {.mask = offs < edge * 8});
      }
    }));
    CAPTURE(edge);
    CHECK(r.accesses.size() < 12);
  }
}

TEST_CASE("address run: a branch on the index splits the loop") {
  for (const int edge : {1, 2, 3, 40, 98, 99}) {
    agrees(lab([=](auto& tl, Pointer x) {
      auto p = x + 0;
      for (auto i : tl.range(100)) {
        if (i >= edge) p += 300;
        tl.store(p + i, 1.0);
      }
    }));
    agrees(lab([=](auto& tl, Pointer x) {
      for (auto i : tl.range(100)) {
        if (i == edge) tl.store(x + 7, 2.0);
        tl.store(x + i * 2, 1.0);
      }
    }));
  }
}

TEST_CASE("address run: a loop that is left in the middle") {
  for (const int edge : {0, 1, 2, 3, 40, 98, 99}) {
    agrees(lab([=](auto& tl, Pointer x) {
      for (auto i : tl.range(100)) {
        tl.store(x + i, 1.0);
        if (i >= edge) break;
      }
      tl.store(x, 2.0);
    }));
    agrees(lab([=](auto& tl, Pointer x) {
      for (auto i : tl.range(100)) {
        if (i > edge) return;
        tl.store(x + i, 1.0);
      }
    }, {3}));
  }
}

TEST_CASE("address run: offsets that are no affine function of the index") {
  const Body bodies[] = {
      [](auto& tl, Pointer x) { for (auto i : tl.range(100)) tl.load(x + i * i); },
      [](auto& tl, Pointer x) { for (auto i : tl.range(100)) tl.load(x + i % 13); },
      [](auto& tl, Pointer x) { for (auto i : tl.range(100)) tl.load(x + i / 3); },
      [](auto& tl, Pointer x) { for (auto i : tl.range(100)) tl.load(x + (i ^ 5)); },
      [](auto& tl, Pointer x) { for (auto i : tl.range(100)) tl.load(x + tl.minimum(i, 50)); },
      [](auto& tl, Pointer x) { for (auto i : tl.range(100)) tl.load(x + tl.where(i < 50, i * 2, i + 200)); },
      [](auto& tl, Pointer x) { for (auto i : tl.range(100)) tl.load(x + tl.cdiv(i, 7)); },
      [](auto& tl, Pointer x) { for (auto i : tl.range(100)) tl.load(x + i.to(tl.float32).to(tl.int32)); },
      [](auto& tl, Pointer x) { for (auto i : tl.range(600)) tl.load(x + i.to(tl.uint8)); },
      [](auto& tl, Pointer x) { for (auto i : tl.range(100)) tl.load(x + tl.arange(0, c(16)) * i); },
      [](auto& tl, Pointer x) { for (auto i : tl.range(100)) tl.load(x + (i * 16 + tl.arange(0, c(64))) % 1000); },
      [](auto& tl, Pointer x) { for (auto i : tl.range(100)) tl.load(x + i, {.mask = i % 2 == 0}); },
      [](auto& tl, Pointer x) { for (auto i : tl.range(100)) tl.load(x + i, {.mask = i == 50}); },
      [](auto& tl, Pointer x) { for (auto i : tl.range(100)) tl.load(x + i, {.mask = i != 50}); },
      [](auto& tl, Pointer x) { for (auto i : tl.range(100)) tl.load(x + tl.arange(0, c(64)), {.mask = tl.arange(0, c(64)) <= i}); },
  };
  for (const Body& body : bodies) agrees(lab(body));
}

TEST_CASE("pointers that lie anyhow are moved alike: each lane by the same number of elements") {
  const Tensor x = make_tensor("x", DType::int32, {64});
  for (int i = 0; i < 64; ++i) set(x, i, i * i);
  well([](auto& tl) {
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
  }, {x});
}

TEST_CASE("address run: pointers that wrap around a matrix's rows move evenly all the same") {
  const auto r = agrees(lab([](auto& tl, Pointer x) {
    auto rows = (tl.program_id(0) * 16 + tl.arange(0, c(16))) % 40;
    auto p = x + rows(_, None) * 512 + tl.arange(0, c(16))(None, _);
    for ([[maybe_unused]] auto i : tl.range(32)) {
      tl.load(p);
      p += 16;
    }
  }, {3}));
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
  const Launch launch = lab([](auto& tl, Pointer x) {
    int count = 0;
    for (auto i : tl.range(100)) {
      tl.load(x + i);
      if (++count == 50) tl.store(x + 3, 1.0);
    }
  }, {20});
  CHECK(difference(cpu::record_accesses(launch), observed(launch)) == "");
}

TEST_CASE("address run: nested loops, the inner one skipped") {
  const auto r = agrees(lab([](auto& tl, Pointer x) {
    for (auto i : tl.range(10))
      for (auto j : tl.range(100)) tl.load(x + i * 1000 + j);
  }));
  CHECK(r.segments.size() == 10);
  const auto short_inner = agrees(lab([](auto& tl, Pointer x) {
    for (auto i : tl.range(100))
      for (auto j : tl.range(4)) tl.load(x + i * 4 + j);
  }));
  CHECK(short_inner.segments.size() == 1);
  agrees(lab([](auto& tl, Pointer x) {  // a triangle
    for (auto i : tl.range(40))
      for (auto j : tl.range(i)) tl.load(x + i * 40 + j);
  }));
  agrees(lab([](auto& tl, Pointer x) {  // the inner loop comes late
    for (auto i : tl.range(40)) {
      tl.load(x + i);
      if (i >= 30)
        for (auto j : tl.range(20)) tl.store(x + i * 40 + j, 1.0);
    }
  }));
}

TEST_CASE("address run: while loops run as they are") {
  agrees(lab([](auto& tl, Pointer x) {
    auto k = tl.program_id(0);
    while (k < 50) {
      tl.load(x + k * k);
      k += 3;
    }
    for (auto i : tl.range(20)) {
      auto left = i * 0 + 5;
      while (left > 0) {
        tl.load(x + i * 5 + left);
        left -= 1;
      }
    }
  }, {3}));
}

TEST_CASE("address run: two stages of a pipeline, and scalars staged beside tiles") {
  const auto r = agrees(lab([](auto& tl, Pointer x) {
    auto acc = tl.zeros(tl.shape(c(16), c(16)), tl.float32);
    auto offs = tl.arange(0, c(16))(_, None) * 16 + tl.arange(0, c(16))(None, _);
    tl.pipelined(tl.range(100), [&](auto i) { return tl.stage(tl.tile(x + i * 256 + offs), i); },
                 [&](auto a, auto i) {
                   acc = tl.dot(a, a, acc);
                   tl.store(x + i, tl.max(tl.max(a, c(1)), 0));
                 });
    tl.store(x + offs, acc);
  }));
  CHECK(r.patterns[0].route == trace::Route::staged);
  CHECK(r.segments[0].dot_flops == 2 * 16 * 16 * 16);
  CHECK(r.segments[0].iterations == 100);
}

TEST_CASE("address run: data that decides an address, a mask, a branch, a range or an assertion asks for values") {
  const std::pair<Body, const char*> cases[] = {
      {[](auto& tl, Pointer x) { tl.load(x + tl.load(x + 1).to(tl.int32)); }, "an address at"},
      {[](auto& tl, Pointer x) { tl.load(x + 2, {.mask = tl.load(x + 1) > 0}); }, "the mask at"},
      {[](auto& tl, Pointer x) { if (tl.load(x + 1) > 0) tl.store(x, 1.0); }, "the condition of a branch at"},
      {[](auto& tl, Pointer x) { for (auto i : tl.range(tl.load(x + 1).to(tl.int32))) tl.store(x + i, 1.0); }, "the bound of tl.range at"},
      {[](auto& tl, Pointer x) { tl.device_assert(tl.load(x + 1) > 0, "positive"); }, "tl.device_assert at"},
      {[](auto& tl, Pointer x) { tl.store(x + tl.atomic_add(x, 1.0).to(tl.int32), 1.0); }, "an address at"},
      {[](auto& tl, Pointer x) { tl.load(x + tl.randint(1, tl.arange(0, c(4))) % 7 + 7); }, "an address at"},
  };
  for (const auto& [body, reason] : cases) {
    const Launch launch = lab(body);
    const trace::AccessRecord r = cpu::record_accesses(launch);
    INFO(r.needed_values);
    CHECK(r.needed_values.find(reason) == 0);
    CHECK(r.needed_values.find("addresses_test.cpp:") != std::string::npos);
    CHECK(difference(r, observed(lab(body))) == "");
  }
}

TEST_CASE("address run: values are needed and the tensors hold none") {
  const ShapesOnly no_data;
  const Tensor x = make_tensor("index", DType::int32, {1000000000});
  const Launch launch{.kernel = "lab", .source = "a test", .grid = {}, .options = {}, .arguments = {TensorArgument{x}},
                      .on_cpu = [=](cpu::Context& tl) { auto p = tl.bind(TensorArgument{x}, 0); tl.load(p + tl.load(p)); }};
  CHECK_THROWS_WITH_AS(cpu::record_accesses(launch), doctest::Contains("\"index\" holds none: an address at"), cpu::NeedsTensorData);
}

TEST_CASE("address run: the first access out of bounds is the fault, as ever") {
  const Launch launch = lab([](auto& tl, Pointer x) {
    for (auto i : tl.range(200)) tl.load(x + i * 1000);
  });
  const Fault expected = only_fault(cpu::run(launch));
  try {
    cpu::record_accesses(launch);
    FAIL("no fault");
  } catch (const FaultError& e) {
    CHECK(e.fault.detail == expected.detail);
    CHECK(e.fault.element == 66000);
  }
}

TEST_CASE("address run: a recorded trace gives the same record as the run it recorded") {
  const Launch launch = lab([](auto& tl, Pointer x) {
    for (auto i : tl.range(20)) tl.store(x + i * 8 + tl.arange(0, c(8)), tl.load(x + i));
  }, {4});
  trace::AccessObserver with_values(trace::Keep::values);
  cpu::RunOptions options;
  options.observer = &with_values;
  cpu::run(launch, options);
  CHECK(difference(with_values.take(), cpu::record_accesses(launch)) == "");
}
