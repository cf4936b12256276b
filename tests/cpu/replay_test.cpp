// Programs that are replayed write the bits that they write one after the other, when each is run by its C++.
#include <atomic>
#include <cstring>
#include <random>

#include "tests/cpu/lab.h"

using namespace tl;
using namespace tl::testing;

namespace {

using Body = std::function<void(cpu::Context&, Pointer in, Pointer out)>;

struct Outcome {
  Tensor out;
  std::vector<Fault> faults;
  int bodies = 0;  // run by C++
};
constexpr std::int64_t room = 1 << 16;

Outcome outcome(const Body& body, cpu::Order order, Grid grid, bool in_place) {
  const Tensor in = random_tensor("in", DType::float32, {room}, 7), out = empty("out", DType::float32, {room});
  cpu::RunOptions options;
  options.order = order;
  options.threads = 2;
  std::atomic<int> bodies = 0;
  const auto r = program(
      [&](cpu::Context& tl) {
        ++bodies;
        body(tl, tl.bind(TensorArgument{in}, 0), tl.bind(TensorArgument{in_place ? in : out}, 1));
      },
      options, {in, in_place ? in : out}, grid);
  return {in_place ? in : out, r.faults, bodies};
}

// The programs of a grid, each of which writes its own elements.
// Whether most were replayed.
bool agrees(const Body& body, Grid grid = {64}, bool in_place = false) {
  const Outcome one = outcome(body, cpu::Order::sequential, grid, in_place),
                all = outcome(body, cpu::Order::parallel, grid, in_place);
  REQUIRE(one.faults.empty());
  REQUIRE(all.faults.empty());
  CHECK(std::memcmp(one.out.data(), all.out.data(), static_cast<std::size_t>(one.out.storage_bytes())) == 0);
  CHECK(one.bodies == grid.programs());
  return all.bodies < grid.programs() / 2;
}

auto lanes_from(cpu::Context& tl, int step) { return tl.program_id(0) * step + tl.arange(0_c, 64_c); }

}  // namespace

TEST_CASE("replay: most programs of an unobserved run are not run by the kernel's C++") {
  CHECK(agrees([](auto& tl, auto in, auto out) {
    auto offs = lanes_from(tl, 64);
    auto mask = offs < 64 * 64 - 3;
    auto x = tl.load(in + offs, {.mask = mask});
    tl.store(out + offs, x * 2 + 1.5, {.mask = mask});
  }));
}

TEST_CASE("replay: a program that overwrites what it has loaded keeps what it loaded") {
  CHECK(agrees(
      [](auto& tl, auto in, auto out) {
        auto offs = lanes_from(tl, 256);
        auto x = tl.load(in + offs);
        tl.store(out + offs + 32, x);
        tl.store(out + offs + 100, x + 1);
        tl.store(out + offs, tl.load(in + offs + 7) + x);
      },
      {64}, true));
}

TEST_CASE("replay: a branch, a bound and a fill by the program's number are those of each program") {
  CHECK(agrees([](auto& tl, auto in, auto out) {
    auto pid = tl.program_id(0);
    auto offs = lanes_from(tl, 64);
    auto x = tl.load(in + offs, {.mask = offs < 1000, .other = 3});
    if (pid % 64 == 3) x = x + 100;
    for (auto i : tl.range(pid, 70, 30)) x = x * 2 + tl.load(in + i * 3);
    tl.store(out + offs, tl.where(pid > 40, x, x - 5));
  }));
}

TEST_CASE("replay: what all programs have in common is not overwritten by what they have not") {
  CHECK(agrees([](auto& tl, auto in, auto out) {
    auto offs = lanes_from(tl, 64);
    auto mask = tl.arange(0_c, 64_c) < 50;
    auto x = tl.load(in + offs, {.mask = mask, .other = 0});
    auto mean = tl.sum(x, 0_c) / 50;
    auto centred = tl.where(mask, x - mean, 0.25);
    auto ramp = tl.exp(tl.arange(0_c, 64_c).to(tl.float32) * 0.01);
    auto scale = 1 / tl.sqrt(tl.sum(centred * centred, 0_c) / 50 + 1e-5);
    tl.store(out + offs, centred * scale * ramp + tl.maximum(x, -0.5));
  }));
}

TEST_CASE("replay: matrices, in every precision, transposed, broadcast and reduced") {
  CHECK(agrees(
      [](auto& tl, auto in, auto out) {
        auto i = tl.arange(0_c, 16_c);
        auto at = in + tl.program_id(1) * 512 + tl.program_id(0) * 8;
        auto a = tl.load(at + i(_, None) * 24 + i(None, _)), b = tl.load(at + i(_, None) * 16 + i(None, _) + 3);
        auto acc = tl.dot(a, tl.trans(b), tl.zeros(tl.shape(16_c, 16_c), tl.float32), tl.ieee);
        acc = tl.dot(a.to(tl.float16), b.to(tl.float16), acc);
        acc = tl.dot(a, b, acc);
        auto rows = tl.max(acc, 1_c), cols = tl.sum(acc, 0_c);
        auto y = tl.exp2(acc - rows(_, None)) * cols(None, _) + (acc > 0.5).to(tl.float32);
        auto own = out + (tl.program_id(1) * 8 + tl.program_id(0)) * 256;
        tl.store(own + i(_, None) * 16 + i(None, _), y.to(tl.bfloat16).to(tl.float32));
      },
      {8, 8}));
}

TEST_CASE("replay: an access beyond the tensor is the fault of its program") {
  const auto beyond = [](auto& tl, auto in, auto out) {
    auto offs = lanes_from(tl, 1024);
    tl.store(out + offs, tl.load(in + offs + 960 + 1) + 0);
  };
  const Outcome one = outcome(beyond, cpu::Order::sequential, {64}, false),
                all = outcome(beyond, cpu::Order::parallel, {64}, false);
  REQUIRE(one.faults.size() == 1);
  REQUIRE(all.faults.size() == 1);
  CHECK(all.faults[0].headline == "tl.load: lane 63 of program 63 is out of bounds");
  CHECK(all.faults[0].headline == one.faults[0].headline);
  CHECK(all.faults[0].detail == one.faults[0].detail);
}

TEST_CASE("replay: a program that might print is run by its C++") {
  CHECK_FALSE(agrees([](auto& tl, auto in, auto out) {
    auto offs = lanes_from(tl, 64);
    tl.print_if("never", "=1000");
    tl.store(out + offs, tl.load(in + offs) + 1);
  }));
}

TEST_CASE("replay: what only the first program does keeps no other from being replayed") {
  CHECK(agrees([](auto& tl, auto in, auto out) {
    auto offs = lanes_from(tl, 64);
    auto x = tl.load(in + offs);
    if (tl.program_id(0) == 0) tl.print_if("never", "=1000");
    tl.store(out + offs, x + 1);
  }));
}

TEST_CASE("replay: a branch on what was loaded is taken by each program for itself") {
  CHECK_FALSE(agrees(
      [](auto& tl, auto in, auto out) {
        auto offs = lanes_from(tl, 64);
        auto x = tl.load(in + offs);
        if (tl.sum(x, 0_c) > 0) x = -x;
        tl.store(out + offs, x);
      },
      {64}));
}

namespace {

// Ops by chance, on blocks of 64 lanes and scalars, of two dtypes.
void random_program(cpu::Context& tl, Pointer in, Pointer out, unsigned seed) {
  std::mt19937 random(seed);
  const auto any = [&](std::size_t n) { return static_cast<int>(random() % n); };
  auto offs = lanes_from(tl, 512);
  auto pid = tl.program_id(0);
  std::vector<Block> made{tl.load(in + offs), tl.load(in + offs + 64 * 1), tl.load(in + pid * 512),
                          tl.arange(0_c, 64_c).to(tl.float32)};
  int stores = 0;
  for (int i = 0; i < 24; ++i) {
    const Block a = made[static_cast<std::size_t>(any(made.size()))],
                b = made[static_cast<std::size_t>(any(made.size()))];
    const auto mask = tl.arange(0_c, 64_c) >= any(20);
    switch (any(16)) {
      case 0: made.push_back(a + b); break;
      case 1: made.push_back(a - b * 0.5); break;
      case 2: made.push_back(tl.maximum(a, b)); break;
      case 3: made.push_back(tl.exp(tl.minimum(a, 2))); break;
      case 4: made.push_back(tl.where(a > b, a, 0.125)); break;
      case 5: made.push_back(tl.where(mask, a, b)); break;
      case 6: made.push_back(tl.load(in + offs + any(200), {.mask = mask, .other = any(3)})); break;
      case 7: made.push_back(tl.load(in + offs + any(200))); break;
      case 8: made.push_back(a.to(tl.float16).to(tl.float32)); break;
      case 9: made.push_back((a.to(tl.bfloat16) * b.to(tl.bfloat16)).to(tl.float32)); break;
      case 10: made.push_back(tl.where(pid < 50, a, b)); break;
      case 11: made.push_back(tl.fma(a, b, 1.5)); break;
      case 12: made.push_back(tl.sum(tl.broadcast_to(a, tl.shape(64_c)), 0_c)); break;
      case 13: made.push_back(tl.max(tl.broadcast_to(b, tl.shape(64_c)), 0_c)); break;
      case 14: tl.store(out + offs + 64 * (stores++ % 7), 2.5, {.mask = mask}); break;
      default: tl.store(out + offs + 64 * (stores++ % 7), a, {.mask = mask});
    }
  }
  tl.store(out + offs + 64 * 7, made.back());
}

}  // namespace

TEST_CASE("replay: programs of ops by chance") {
  int replayed = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    replayed += agrees([seed](auto& tl, auto in, auto out) { random_program(tl, in, out, seed); }, {64}, seed % 3 == 0);
  }
  CHECK(replayed > 100);
}
