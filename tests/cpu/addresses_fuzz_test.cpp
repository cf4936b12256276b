// Random loops: skipping iterations must give the accesses of running them all.
#include <random>

#include "interp/cpu/addresses.h"
#include "tests/cpu/lab.h"
#include "tests/same_accesses.h"

using namespace tl;
using namespace tl::testing;

namespace {

constexpr Constant c(long long value) { return Constant(value); }
constexpr int ints = 4, pointers = 3;

struct Statement {
  int what, a, b, d, k;
  std::vector<Statement> body;
};

class Writer {
 public:
  explicit Writer(unsigned seed) : random_(seed) {}
  // Mostly what moves evenly; `wild` adds the rest.
  std::vector<Statement> block(int size, int depth, bool wild) {
    std::vector<Statement> all;
    for (int i = 0; i < size; ++i) all.push_back(statement(depth, wild));
    return all;
  }
  int upto(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

 private:
  Statement statement(int depth, bool wild) {
    const int what = upto(wild ? 22 : 12);
    Statement s{what, upto(1 << 20), upto(1 << 20), upto(1 << 20), upto(7) - 2, {}};
    if (depth < 2 && (what == 10 || what == 11 || what == 20 || what == 21))
      s.body = block(1 + upto(3), depth + 1, wild);
    return s;
  }
  std::mt19937 random_;
};

struct Program {
  cpu::Context& tl;
  std::vector<Block> v;
  std::vector<Pointer> p;

  bool run(const std::vector<Statement>& all, const Block& i) {
    for (const Statement& s : all)
      if (!run(s, i)) return false;
    return true;
  }

  // False: break.
  bool run(const Statement& s, const Block& i) {
    Block &a = v[static_cast<std::size_t>(s.a % ints)], &b = v[static_cast<std::size_t>(s.b % ints)],
          &d = v[static_cast<std::size_t>(s.d % ints)];
    Pointer &x = p[static_cast<std::size_t>(s.a % pointers)], &y = p[static_cast<std::size_t>(s.b % pointers)];
    const auto lanes = tl.arange(0, c(8));
    switch (s.what) {
      case 0: a = b + s.k; break;
      case 1: a += s.k; break;
      case 2: a = i * s.k; break;
      case 3: a = b - d; break;
      case 4: x += s.k; break;
      case 5: tl.load(x + i * 3); break;
      case 6: tl.load(y + lanes * 2 + a); break;
      case 7: tl.store(x + lanes + b, 1.0, {.mask = lanes + i < 40 + s.k}); break;
      case 8: tl.store(x + a, 1.0, {.mask = (a < b + 30) & (i >= s.k)}); break;
      case 9: tl.store(y + lanes, 1.0, {.mask = lanes < d}); break;
      case 10:
        if (i < 25 + s.k) return run(s.body, i);
        break;
      case 11:
        for (auto j : tl.range(s.k))
          if (!run(s.body, j)) break;
        break;
      case 12: a = b * d; break;
      case 13: a = b % 17; break;
      case 14: a = tl.minimum(b, 40); break;
      case 15: {
        auto t = x;
        x = y + 0;
        y = t;
        break;
      }
      case 16: a = tl.where(b < d, b, d + 1); break;
      case 17: x += a; break;
      case 18: a = a + b; break;
      case 19: return a > 300 + s.k ? false : true;
      case 20:
        if (a == b + s.k) return run(s.body, i);
        break;
      case 21:
        for (auto j : tl.range(s.k * 4))
          if (!run(s.body, j)) break;
        break;
    }
    return true;
  }
};

Launch launch_of(unsigned seed, const Tensor& x) {
  Writer writer(seed);
  const bool wild = seed % 3 != 0;
  const auto body = writer.block(2 + writer.upto(5), 0, wild);
  const int n = writer.upto(60), step = 1 + writer.upto(3);
  const TensorArgument argument{x};
  return {.kernel = "random",
          .source = "a test",
          .grid = {2},
          .options = {},
          .arguments = {argument},
          .on_cpu = [=](cpu::Context& tl) {
            Program program{tl, {}, {}};
            for (int k = 0; k < ints; ++k) program.v.push_back(tl.program_id(0) * 5 + k * 3);
            for (int k = 0; k < pointers; ++k) program.p.push_back(tl.bind(argument, 0) + ((1ll << 39) + 1000 * k));
            for (auto i : tl.range(0, n * step, step))
              if (!program.run(body, i)) break;
            tl.store(program.p[0] + program.v[0], 1.0);
            tl.store(program.p[1] + program.v[1], 1.0);
            tl.store(program.p[2] + program.v[2] - program.v[3], 1.0);
          }};
}

#if defined(__has_feature)
constexpr bool is_under_tsan = __has_feature(thread_sanitizer);
#else
constexpr bool is_under_tsan = false;
#endif

}  // namespace

TEST_CASE("address run: random loops, skipped and run in full, make the same accesses") {
  if (is_under_tsan) {
    MESSAGE("skipped: ThreadSanitizer leaves no room for a tensor of 1 TiB");
    return;
  }
  const ShapesOnly no_data;
  const Tensor x = make_tensor("x", DType::uint8, {1ll << 40});
  int skipped = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    const Launch launch = launch_of(seed, x);
    const trace::AccessRecord r = cpu::record_accesses(launch, {.confirms = false}),
                              full = cpu::record_accesses(launch, {.compress_loops = false});
    const std::string found = difference(r, full);
    if (!found.empty()) FAIL_CHECK("seed " << seed << ": " << found);
    for (const auto& s : r.segments) skipped += s.iterations > 1;
  }
  CHECK(skipped > 1000);
}
