// What the race check reports: between programs, and between the threads of one.
#include "tests/cpu/fault_of.h"
#include "tests/has.h"

using namespace tl;
using namespace tl::testing;

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

TEST_CASE("race: runs of any start, step and length race at the first element that two programs share") {
  const Tensor x = zeros("x", DType::int32, {1000});
  cpu::RunOptions options;
  options.checks.race = true;
  for (const int start : {0, 5, 31, 32})
    for (const int step : {1, 2, 33})
      for (const int length : {1, 31, 32, 64, 70, 100})
        for (const int shared : {0, 1, 33})
          for (const bool is_list : {false, true}) {  // of offsets that are no formula
            if (shared >= length || (step > 1 && length > 32) || start + step * (2 * length - 1) >= 1000) continue;
            CAPTURE(start);
            CAPTURE(step);
            CAPTURE(length);
            CAPTURE(shared);
            CAPTURE(is_list);
            const auto body = [&](auto& tl) {
              auto i = tl.arange(0, 128_c);
              auto at = is_list ? tl.where(i % 2 == 0, i, i) : i;
              auto first = tl.program_id(0) * (length - shared);
              auto p = pointer(tl, 0, x) + start + (first + at) * step;
              tl.load(p, {.mask = i < length});
              tl.debug_barrier();
              tl.store(p, i, {.mask = i < length});
            };
            const auto faults = program(body, options, {x}, {2}).faults;
            REQUIRE(faults.empty() == (shared == 0));
            if (shared == 0) continue;
            CHECK(faults[0].kind == FaultKind::race);
            CHECK(faults[0].program == ProgramId{1, 0, 0});
            CHECK(faults[0].lane == 0);
            CHECK(faults[0].element == start + (length - shared) * step);
          }
}

TEST_CASE("race: views of one array race where they overlap") {
  const Tensor whole = zeros("whole", DType::int32, {12});
  const auto view = [&](const char* name, int first) {  // of 8 elements
    return Tensor{.name = name,
                  .dtype = DType::int32,
                  .shape = {8},
                  .strides = {1},
                  .storage_elems = 8,
                  .storage = {whole.storage, whole.data() + 4 * first}};
  };
  cpu::RunOptions options;
  options.checks.race = true;
  // Program 0 loads x[4..7], which are y[0..3]; program 1 stores there.
  const auto kernel = [](const Tensor& x, const Tensor& y) {
    return [&](auto& tl) {
      auto four = tl.arange(0, 4_c);
      if (tl.program_id(0) == 0) tl.load(pointer(tl, 0, x) + 4 + four);
      else tl.store(pointer(tl, 1, y) + four, 1);
    };
  };
  const Tensor x = view("x", 0), y = view("y", 4);
  const Fault f = fault_of(kernel(x, y), {x, y}, options, {2});
  CHECK(f.kind == FaultKind::race);
  CHECK(f.tensor == "y");
  CHECK(f.element == 0);
  const Tensor apart = zeros("apart", DType::int32, {8});
  CHECK(program(kernel(x, apart), options, {x, apart}, {2}).faults.empty());
}

namespace {
// Each program adds to one row, a lock around it or not.
auto adds_under(const Tensor& row, const Tensor& lock, bool takes, bool gives) {
  return [&row, &lock, takes, gives](auto& tl) {
    auto p = pointer(tl, 0, row) + tl.arange(0, 4_c);
    auto l = pointer(tl, 1, lock);
    if (takes)
      while (tl.atomic_cas(l, 0, 1) == 1) {
      }
    tl.store(p, tl.load(p) + 1);
    tl.debug_barrier();
    if (gives) tl.atomic_xchg(l, 0);
  };
}
}  // namespace

TEST_CASE("race: a lock by atomic_cas and atomic_xchg puts programs in order") {
  cpu::RunOptions options;
  options.checks.race = true;
  const auto run = [&](bool takes, bool gives, int programs) {
    const Tensor row = zeros("row", DType::float32, {4}), lock = zeros("lock", DType::int32, {1});
    return program(adds_under(row, lock, takes, gives), options, {row, lock}, {programs}).faults;
  };
  CHECK(run(true, true, 5).empty());
  const auto unlocked = run(false, false, 2);
  REQUIRE_FALSE(unlocked.empty());
  CHECK(unlocked[0].kind == FaultKind::race);
  const auto late = run(false, true, 2);  // it tells others, and never asks
  REQUIRE_FALSE(late.empty());
  CHECK(late[0].headline.find("program 1 races with program 0") != std::string::npos);
}

TEST_CASE("race: the last of a counter may read what all before it wrote, by way of others, too") {
  cpu::RunOptions options;
  options.checks.race = true;
  const auto body = [&](const Tensor& parts, const Tensor& count, bool counts) {
    return [&parts, &count, counts](auto& tl) {
      auto pid = tl.program_id(0);
      tl.store(pointer(tl, 0, parts) + pid, pid);
      auto before = counts ? tl.atomic_add(pointer(tl, 1, count), 1)
                           : tl.atomic_add(pointer(tl, 1, count), 1, {.sem = "relaxed"});
      if (before == tl.num_programs(0) - 1) tl.load(pointer(tl, 0, parts) + tl.arange(0, 4_c));
    };
  };
  for (bool counts : {true, false}) {
    const Tensor parts = zeros("parts", DType::int32, {4}), count = zeros("count", DType::int32, {1});
    const auto faults = program(body(parts, count, counts), options, {parts, count}, {4}).faults;
    CHECK(faults.empty() == counts);
  }
}

namespace {
// Each program leaves a part and counts itself; `reads(before)` says which of them read the parts of all.
template <class Reads>
std::vector<Fault> faults_of_counters(Reads reads) {
  cpu::RunOptions options;
  options.checks.race = true;
  options.order = cpu::Order::sequential;
  const Tensor parts = zeros("parts", DType::int32, {8}), count = zeros("count", DType::int32, {1});
  const auto body = [&](auto& tl) {
    auto pid = tl.program_id(0);
    tl.store(pointer(tl, 0, parts) + pid, pid);
    auto before = tl.atomic_add(pointer(tl, 1, count), 1);
    if (reads(tl, pid, before)) tl.load(pointer(tl, 0, parts) + tl.arange(0, 8_c));
  };
  return program(body, options, {parts, count}, {8}).faults;
}
}  // namespace

TEST_CASE("race: a counter orders by the values that a branch needs, not by those that it happened to have") {
  CHECK(faults_of_counters([](auto&, auto&, auto before) { return bool(before == 7); }).empty());
  CHECK(faults_of_counters([](auto&, auto&, auto before) { return bool((before + 1) % 8 == 0); }).empty());
  CHECK_FALSE(faults_of_counters([](auto&, auto pid, auto) { return bool(pid == 7); }).empty());  // the last in order
  CHECK_FALSE(
      faults_of_counters([](auto&, auto& pid, auto before) { return bool(before >= 0) && bool(pid == 7); }).empty());
  CHECK_FALSE(
      faults_of_counters([](auto&, auto& pid, auto before) { return bool(before > 4) && bool(pid == 7); }).empty());
}

TEST_CASE("race: a program that waits for all readers may write; one that waits for some may not") {
  cpu::RunOptions options;
  options.checks.race = true;
  const auto faults = [&](int waited_for) {
    const Tensor x = zeros("x", DType::int32, {4}), done = zeros("done", DType::int32, {1});
    const auto body = [&](auto& tl) {
      auto all = pointer(tl, 0, x) + tl.arange(0, 4_c);
      if (tl.program_id(0) == 0) {
        while (tl.atomic_add(pointer(tl, 1, done), 0, {.sem = "acquire"}) < waited_for) {
        }
        tl.store(all, 1);
      } else {
        tl.load(all);
        tl.debug_barrier();
        tl.atomic_add(pointer(tl, 1, done), 1, {.sem = "release"});
      }
    };
    return program(body, options, {x, done}, {4}).faults;
  };
  CHECK(faults(3).empty());
  CHECK_FALSE(faults(2).empty());
}

TEST_CASE("race: the last program may read what all changed by atomics") {
  cpu::RunOptions options;
  options.checks.race = true;
  const auto faults = [&](int last) {
    const Tensor x = zeros("x", DType::int32, {4}), count = zeros("count", DType::int32, {1});
    const auto body = [&](auto& tl) {
      auto all = pointer(tl, 0, x) + tl.arange(0, 4_c);
      tl.atomic_add(all, 1);
      tl.debug_barrier();
      if (tl.atomic_add(pointer(tl, 1, count), 1) >= last) tl.load(all);
    };
    return program(body, options, {x, count}, {4}).faults;
  };
  CHECK(faults(3).empty());
  CHECK_FALSE(faults(2).empty());
}

TEST_CASE("race: who polls relaxed and then acquires comes after the release; who only acquires does not") {
  cpu::RunOptions options;
  options.checks.race = true;
  const auto faults = [&](bool polls) {
    const Tensor x = zeros("x", DType::int32, {1}), flag = zeros("flag", DType::int32, {1});
    const auto body = [&](auto& tl) {
      auto f = pointer(tl, 1, flag);
      if (tl.program_id(0) == 0) {
        tl.store(pointer(tl, 0, x), 1);
        tl.debug_barrier();
        tl.atomic_xchg(f, 1, {.sem = "release"});
      } else {
        while (polls && tl.atomic_add(f, 0, {.sem = "relaxed"}) == 0) {
        }
        tl.atomic_add(f, 0, {.sem = "acquire"});
        tl.load(pointer(tl, 0, x));
      }
    };
    return program(body, options, {x, flag}, {2}).faults;
  };
  CHECK(faults(true).empty());
  CHECK_FALSE(faults(false).empty());
}

TEST_CASE("race: a program sees its own store only past a barrier, unless lane and thread are the same") {
  cpu::RunOptions options;
  options.checks.race = true;
  const Tensor x = zeros("x", DType::float32, {256});
  const auto reads = [&](bool turned, bool waits) {
    return program(
               [&](auto& tl) {
                 auto o = tl.arange(0, 256_c);
                 tl.store(pointer(tl, 0, x) + o, 1.0);
                 if (waits) tl.debug_barrier();
                 if (turned) tl.load(pointer(tl, 0, x) + (255 - o));
                 else tl.load(pointer(tl, 0, x) + o);
               },
               options, {x})
        .faults;
  };
  CHECK(reads(false, false).empty());
  CHECK(reads(true, true).empty());
  const auto faults = reads(true, false);
  REQUIRE_FALSE(faults.empty());
  CHECK(faults[0].headline == "tl.load: program 0 may not see its own store");
  CHECK(faults[0].detail.find("lane 0 of 256 reads element 255 of \"x\", which lane 255 of 256 stored") == 0);
  CHECK(faults[0].fix.find("tl.debug_barrier()") != std::string::npos);
}

TEST_CASE("race: a store over what other threads of the program may still read, or have stored, wants a barrier") {
  cpu::RunOptions options;
  options.checks.race = true;
  const Tensor x = zeros("x", DType::float32, {512});
  const auto faults = [&](auto body) {
    return program([&](auto& tl) { body(tl, pointer(tl, 0, x), tl.arange(0, 256_c)); }, options, {x}).faults;
  };
  const auto shifted = faults([](auto& tl, auto p, auto o) { tl.store(p + o + 1, tl.load(p + o)); });
  REQUIRE(shifted.size() == 1);
  CHECK(shifted[0].headline == "tl.store: program 0 may change what it still reads");
  CHECK(shifted[0].detail ==
        "lane 0 of 256 writes element 1 of \"x\", which lane 1 of 256 read: on a GPU another thread");
  CHECK(shifted[0].fix == "call tl.debug_barrier() between the load and the store");
  CHECK(faults([](auto& tl, auto p, auto o) {
          auto moved = tl.load(p + o);
          tl.debug_barrier();
          tl.store(p + o + 1, moved);
        }).empty());
  CHECK(faults([](auto& tl, auto p, auto o) { tl.store(p + o, tl.load(p + o) + 1); }).empty());
  // Read by two threads, and by one of them in the store's order.
  CHECK(faults([](auto& tl, auto p, auto o) {
          auto there = tl.load(p + o), back = tl.load(p + (255 - o));
          tl.store(p + o, there + back);
        }).size() == 1);
  const auto twice = faults([](auto& tl, auto p, auto o) {
    tl.store(p + o, 1.0);
    tl.store(p + (255 - o), 2.0);
  });
  REQUIRE(twice.size() == 1);
  CHECK(twice[0].headline == "tl.store: program 0 stores to an element twice");
  CHECK(faults([](auto& tl, auto p, auto o) {
          tl.store(p + o, 1.0);
          tl.store(p + o, 2.0);
        }).empty());
}

TEST_CASE("race: a sum over lanes of every thread brings the threads together") {
  cpu::RunOptions options;
  options.checks.race = true;
  const Tensor x = zeros("x", DType::float32, {512});
  const auto faults = [&](auto count) {
    return program(
               [&](auto& tl) {
                 auto p = pointer(tl, 0, x) + tl.arange(0, count);
                 auto all = tl.sum(tl.load(p), 0);
                 tl.store(p + 1, tl.zeros(tl.shape(count), tl.float32) + all);
               },
               options, {x})
        .faults.size();
  };
  CHECK(faults(128_c) == 0);
  CHECK(faults(64_c) == 1);  // held twice, and each pair of warps sums by itself
}

TEST_CASE("race: a scalar is stored by one thread and loaded by every one") {
  cpu::RunOptions options;
  options.checks.race = true;
  const Tensor x = zeros("x", DType::int32, {2});
  const auto faults = [&](bool waits) {
    return program(
               [&](auto& tl) {
                 auto p = pointer(tl, 0, x);
                 tl.store(p, tl.load(p) + 1);
                 if (waits) tl.debug_barrier();
                 tl.store(p + 1, tl.load(p));
               },
               options, {x})
        .faults;
  };
  CHECK(faults(true).empty());
  REQUIRE(faults(false).size() == 1);
  CHECK(faults(false)[0].detail ==
        "element 0 of \"x\": on a GPU one thread stores a scalar, and every thread loads it");
}

TEST_CASE("race: atomics by lanes need no order among themselves, and a barrier before other threads read") {
  cpu::RunOptions options;
  options.checks.race = true;
  const Tensor x = zeros("x", DType::int32, {256});
  const auto faults = [&](bool reads) {
    return program(
               [&](auto& tl) {
                 auto p = pointer(tl, 0, x);
                 auto o = tl.arange(0, 256_c);
                 tl.atomic_add(p + o, 1);
                 tl.atomic_add(p + (255 - o), 1);
                 if (reads) tl.load(p + o);
               },
               options, {x})
        .faults;
  };
  CHECK(faults(false).empty());
  CHECK(faults(true).size() == 1);
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
              tl.debug_barrier();
              tl.store(pointer(tl, 0, x) + i, i);
            },
            options, {x})
            .faults.empty());
}
