// Address runs: absent data, loops that are skipped and must not be noticed, what needs values.
#include "kernels/softmax.h"
#include "tests/cpu/address_lab.h"

using namespace tl;
using namespace tl::testing;

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
    agrees(lab(
        [=](auto& tl, Pointer x) {
          for (auto i : tl.range(100)) {
            if (i > edge) return;
            tl.store(x + i, 1.0);
          }
        },
        {3}));
  }
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
  agrees(lab(
      [](auto& tl, Pointer x) {
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
      },
      {3}));
}

TEST_CASE("address run: two stages of a pipeline, and scalars staged beside tiles") {
  const auto r = agrees(lab([](auto& tl, Pointer x) {
    auto acc = tl.zeros(tl.shape(c(16), c(16)), tl.float32);
    auto offs = tl.arange(0, c(16))(_, None) * 16 + tl.arange(0, c(16))(None, _);
    for (auto i : tl.range(100)) {
      auto a = tl.load(x + i * 256 + offs);
      acc = tl.dot(a, a, acc);
      tl.store(x + i, tl.max(tl.max(a, c(1)), 0));
    }
    tl.store(x + offs, acc);
  }));
  CHECK(r.segments[0].dot_flops == 2 * 16 * 16 * 16);
  CHECK(r.segments[0].iterations == 100);
}

TEST_CASE("address run: data that decides an address, a mask, a branch, a range or an assertion asks for values") {
  const std::pair<Body, const char*> cases[] = {
      {[](auto& tl, Pointer x) { tl.load(x + tl.load(x + 1).to(tl.int32)); }, "an address at"},
      {[](auto& tl, Pointer x) { tl.load(x + 2, {.mask = tl.load(x + 1) > 0}); }, "the mask at"},
      {[](auto& tl, Pointer x) {
         if (tl.load(x + 1) > 0) tl.store(x, 1.0);
       },
       "the condition of a branch at"},
      {[](auto& tl, Pointer x) {
         for (auto i : tl.range(tl.load(x + 1).to(tl.int32))) tl.store(x + i, 1.0);
       },
       "the bound of tl.range at"},
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
  const Launch launch{.kernel = "lab",
                      .source = "a test",
                      .grid = {},
                      .options = {},
                      .arguments = {TensorArgument{x}},
                      .on_cpu = [=](cpu::Context& tl) {
                        auto p = tl.bind(TensorArgument{x}, 0);
                        tl.load(p + tl.load(p));
                      }};
  CHECK_THROWS_WITH_AS(cpu::record_accesses(launch), doctest::Contains("\"index\" holds none: an address at"),
                       cpu::NeedsTensorData);
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
  const Launch launch = lab(
      [](auto& tl, Pointer x) {
        for (auto i : tl.range(20)) tl.store(x + i * 8 + tl.arange(0, c(8)), tl.load(x + i));
      },
      {4});
  trace::AccessObserver with_values(trace::Keep::values);
  cpu::RunOptions options;
  options.observer = &with_values;
  cpu::run(launch, options);
  CHECK(difference(with_values.take(), cpu::record_accesses(launch)) == "");
}
