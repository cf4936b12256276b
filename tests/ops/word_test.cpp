// The vocabulary of Triton's kernels on each device there is. Expected values: tables of constants as NumPy's and
// SciPy's documentation and handbooks state them, IEEE 754's rules, Random123's known answers, plain loops on integers.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "interp/cpu/facts.h"
#include "interp/cpu/launch.h"
#include "interp/cuda/host/compile.h"
#include "tests/ops/every_device.h"
#include "tests/ops/word_kernels.h"

namespace tl::test::word_test {
using enum DType;
namespace {

template <class K, class... A>
Launch launch(Grid grid, A... arguments) {
  return make_launch<K>("tests/ops/word_kernels.h", grid, LaunchOptions{}, arguments...);
}
constexpr double none = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();

TensorArgument arg(const Tensor& t) { return {t}; }
ConstantArgument fixed(int v) { return {v}; }
Tensor list(const char* name, DType t, const std::vector<double>& values) {
  return tensor_of(name, t, {static_cast<std::int64_t>(values.size())},
                   [&](auto i) { return values[static_cast<std::size_t>(i)]; });
}
bool same(double a, double b) { return std::isnan(b) ? std::isnan(a) : a == b && std::signbit(a) == std::signbit(b); }

}  // namespace

TEST_CASE("words of an access: caches, evictions and volatile change no value") {
  const int n = 64, known = 41;
  for (const Device& device : devices())
    for (DType t : {float32, float16, uint8, int64}) {
      if (device.compiles && t != float32 && t != uint8) continue;
      CAPTURE(device.name);
      const Tensor in = tensor_of("in", t, {n}, [](auto i) { return i % 50 + 1; }), out = poisoned("out", t, {5 * n});
      for (int i = 0; i < 5 * n; ++i) set(out, i, 0);
      run(device, launch<access_words_kernel>({}, arg(out), arg(in), IntArgument{known}, fixed(n)));
      for (int i = 0; i < n; ++i) {
        const double masked = i < known ? get(in, i) : 0;
        CHECK(get(out, i) == masked);
        CHECK(get(out, n + i) == masked);
        CHECK(get(out, 2 * n + i) == masked);
        CHECK(get(out, 3 * n + i) == get(in, i * 7 % n) + get(in, 3));
        CHECK(get(out, 4 * n + i) == get(in, i));
      }
    }
}

TEST_CASE("words of accesses and atomics stand in the PTX, as its manual spells them") {
  std::string why_not;
  if (!cuda::toolkit_available(&why_not)) {
    MESSAGE("skipped on cuda: " << why_not);
    return;
  }
  devices();  // the kernels' folder is known then
  const Tensor x = tensor_of("x", float32, {64}, [](auto) { return 0; }),
               i = tensor_of("i", int32, {512}, [](auto) { return 0; });
  for (const char* arch : {"sm_90a", "sm_80"}) {
    CAPTURE(arch);
    const auto ptx_of = [&](const Launch& l) { return cuda::compile(l, cpu::facts_of(l), {.arch = arch})->ptx; };
    const std::string words = ptx_of(launch<access_words_kernel>({}, arg(x), arg(x), IntArgument{41}, fixed(64))),
                      atomics = ptx_of(launch<atomics_kernel>({}, arg(i), arg(i), arg(i), arg(i), fixed(32)));
    for (const char* said : {"ld.global.L1::evict_last.L2::cache_hint.", "ld.global.L1::evict_first.L2::cache_hint.",
                             "createpolicy.fractional.L2::evict_last.b64", "ld.global.cg.", "ld.volatile.global.",
                             "ld.global.ca.", "ld.global.cv.", "st.global.L1::evict_first.L2::cache_hint.",
                             "st.global.wt.", "st.global.cs.", "st.global.cg."})
      CHECK_MESSAGE(words.find(said) != std::string::npos, said);
    CHECK(words.find("ld.global.cs.") == std::string::npos);  // what nobody said
    CHECK(words.find("st.global.wb.") == std::string::npos);
    for (const char* said :
         {"fence.acq_rel.gpu;", "fence.acq_rel.sys;", "fence.acq_rel.cta;", "atom.relaxed.gpu.global.max.s32",
          "atom.relaxed.gpu.global.min.s32", "atom.relaxed.sys.global.and.b32", "atom.relaxed.gpu.global.or.b32",
          "atom.relaxed.gpu.global.xor.b32", "atom.relaxed.gpu.global.exch.b32", "atom.relaxed.gpu.global.cas.b32",
          "barrier.cta.sync"})
      CHECK_MESSAGE(atomics.find(said) != std::string::npos, said);
  }
}

TEST_CASE("reduce takes tuples, max gives its index, sums keep an axis or take all") {
  for (const Device& device : devices())
    for (auto [height, width] : {std::pair{4, 16}, {32, 64}, {1, 256}}) {
      const int m = height, n = width;
      CAPTURE(device.name);
      CAPTURE(n);
      // powers of two and small integers: Welford's steps are exact
      const Tensor in = tensor_of("in", float32, {m, n}, [&](auto i) { return (i * 5 + i / n) % 8 * 4; });
      const Tensor out = poisoned("out", float32, {5 * m + 3}), at = poisoned("at", int32, {2 * m + 2});
      run(device, launch<tuple_reduce_kernel>({}, arg(out), arg(at), arg(in), fixed(m), fixed(n)));
      double total = 0, most = -1e9, least = 1e9;
      int mixed = 0, first = 0;
      for (int i = 0; i < m; ++i) {
        double sum = 0, squares = 0, largest = -1, smallest = 1e9;
        int where_largest = 0, where_smallest = 0;
        for (int j = 0; j < n; ++j) {
          const double v = get(in, i * n + j);
          sum += v;
          squares += v * v;
          mixed ^= static_cast<int>(v);
          if (v > largest) {
            largest = v;
            where_largest = j;
          }
          if (v < smallest) {
            smallest = v;
            where_smallest = j;
          }
          if (v > most) {
            most = v;
            first = i * n + j;
          }
          least = std::min(least, v);
        }
        total += sum;
        CHECK(get(out, i) == doctest::Approx(sum / n));
        CHECK(get(out, m + i) == doctest::Approx(squares / n - sum / n * (sum / n)).epsilon(1e-5));
        CHECK(get(out, 2 * m + i) == largest);
        CHECK(get(out, 3 * m + i) == smallest);
        CHECK(get(at, i) == where_largest);
        CHECK(get(at, m + i) == where_smallest);
        CHECK(get(out, 4 * m + i) == sum - largest * n);
      }
      CHECK(get(out, 5 * m) == total);
      CHECK(get(out, 5 * m + 1) == most - least);
      CHECK(get(out, 5 * m + 2) == total);
      CHECK(get(at, 2 * m) == mixed);
      CHECK(get(at, 2 * m + 1) == first);
    }
}

TEST_CASE("scans: from the end, products, any function, recurrences by tuples, softmax") {
  for (const Device& device : devices())
    for (auto [height, width] : {std::pair{2, 8}, {16, 32}, {1, 512}}) {
      const int m = height, n = width, count = m * n;
      CAPTURE(device.name);
      CAPTURE(n);
      // ones, minus ones and zeros late: products and recurrences stay exact
      const Tensor in = tensor_of("in", float32, {m, n}, [](auto i) { return i % 7 == 3 ? -1 : i % 11 == 10 ? 0 : 1; });
      const Tensor out = poisoned("out", float32, {6, count});
      run(device, launch<scan_kernel>({}, arg(out), arg(in), fixed(m), fixed(n)));
      for (int i = 0; i < m; ++i) {
        double back = 0, product = 1, most = -9, h = 0, powers = 0;
        for (int j = n - 1; j >= 0; --j) REQUIRE(get(out, i * n + j) == (back += get(in, i * n + j)));
        for (int j = 0; j < n; ++j) powers += std::exp(get(in, i * n + j));
        for (int j = 0; j < n; ++j) {
          const double v = get(in, i * n + j);
          product *= v;
          most = std::max(most, v);
          h = j ? h * v + v : v;
          REQUIRE(get(out, count + i * n + j) == product);
          REQUIRE(get(out, 2 * count + i * n + j) == most);
          double least = 9;
          for (int k = i; k < m; ++k) least = std::min(least, get(in, k * n + j));
          REQUIRE(get(out, 3 * count + i * n + j) == least);
          REQUIRE(get(out, 4 * count + i * n + j) == h);
          REQUIRE(get(out, 5 * count + i * n + j) == doctest::Approx(std::exp(v) / powers).epsilon(1e-6));
        }
      }
    }
}

TEST_CASE("functions: values of handbooks and NumPy's documentation, at 1/2 and at 1") {
  // of 0.5, then of 1 (NaN, infinity: what C's library and CUDA's give beyond the domain)
  const double expected[30][2] = {{0.46211715726000973, 0.7615941559557649},
                                  {0.4054651081081644, 0.6931471805599453},
                                  {0.6487212707001282, 1.718281828459045},
                                  {0.5463024898437905, 1.5574077246549023},
                                  {0.5235987755982989, 1.5707963267948966},
                                  {1.0471975511965979, 0},
                                  {0.4636476090008061, 0.7853981633974483},
                                  {0.5210953054937474, 1.1752011936438014},
                                  {1.1276259652063807, 1.5430806348152437},
                                  {0.48121182505960347, 0.881373587019543},
                                  {0.9624236501192069, 1.3169578969248166},
                                  {0.5493061443340549, infinite},
                                  {0.7937005259840998, 1},
                                  {3.1622776601683795, 10},
                                  {-0.3010299956639812, 0},
                                  {0.4795001221869535, 0.15729920705028513},
                                  {0.5723649429247001, 0},
                                  {1.772453850905516, 1},
                                  {0.1767766952966369, 1},
                                  {2.356194490192345, 2.0344439357957027},
                                  {0.9013878188659973, 1.25},
                                  {1.6487212707001282, 2.718281828459045},
                                  {0.46211715726000973, 0.7615941559557649},
                                  {1.4142135623730951, 2},
                                  {0.9384698072408130, 0.7651976865579666},
                                  {0.2422684576748739, 0.4400505857449335},
                                  {-0.4445187335067066, 0.08825696421567698},
                                  {-1.4714723926702430, -0.7812128213002887},
                                  {1.0634833707413236, 1.2660658777520084},
                                  {0.2578943053908963, 0.5651591039924851}};
  const int n = 16;
  for (const Device& device : devices())
    for (DType t : {float32, float64, float16}) {
      if (device.compiles && t != float32) continue;
      CAPTURE(device.name);
      CAPTURE(name_of(t));
      const Tensor in = tensor_of("in", t, {n}, [](auto i) { return i % 2 ? 1 : 0.5; }),
                   out = poisoned("out", t, {30, n});
      run(device, launch<function_kernel>({}, arg(out), arg(in), fixed(n)));
      for (int f = 0; f < 30; ++f)
        for (int i = 0; i < n; ++i) {
          const double e = expected[f][i % 2], g = get(out, f * n + i);
          // the programming guide's largest error of these in fp32 is 5 ulp; fp16 rounds once
          const double allowed = (t == float64 ? 1e-13 : t == float32 ? 6e-7 : 1e-3) * std::fmax(std::fabs(e), 0.1);
          CHECK_MESSAGE((g == e || std::fabs(g - e) <= allowed), "row " << f << ": " << g << ", not " << e);
        }
    }
}

TEST_CASE("rounding and questions: halves, zeros of either sign, infinities and NaN, as IEEE 754 has them") {
  const std::vector<double> xs{2.5,       -2.5, 3.5, -0.0, 0.0, -1.7, 1e10, infinite,
                               -infinite, none, 0.5, -0.5, 5.5, -5.5, 1,    7},
      ys{2, 2, 2, 1, 1, 1, 3, 2, 2, 1, 1, 1, 2, 2, 4, 2};
  const std::vector<double> round{3, -3, 4, -0.0, 0, -2, 1e10, infinite, -infinite, none, 1, -1, 6, -6, 1, 7},
      rint{2, -2, 4, -0.0, 0, -2, 1e10, infinite, -infinite, none, 0, -0.0, 6, -6, 1, 7},
      trunc{2, -2, 3, -0.0, 0, -1, 1e10, infinite, -infinite, none, 0, -0.0, 5, -5, 1, 7},
      fmod{0.5, -0.5, 1.5, -0.0, 0, -0.7, 1, none, none, none, 0.5, -0.5, 1.5, -1.5, 1, 1},
      copysign{2, -2, 2, -1, 1, -1, 3, 2, -2, 1, 1, -1, 2, -2, 4, 2},
      fdim{0.5, 0, 1.5, 0, 0, 0, 9999999997.0, infinite, 0, none, 0, 0, 3.5, 0, 0, 5};
  const int n = 16;
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor x = list("x", float32, xs), y = list("y", float32, ys), out = poisoned("out", float32, {18, n});
    run(device, launch<rounding_kernel>({}, arg(out), arg(x), arg(y), fixed(n)));
    const std::vector<double>* rows[] = {&round, &rint, &trunc, &fmod, &copysign, &fdim};
    for (int i = 0; i < n; ++i) {
      CAPTURE(xs[static_cast<std::size_t>(i)]);
      for (int r = 0; r < 6; ++r) {
        const double e = static_cast<float>((*rows[r])[static_cast<std::size_t>(i)]), g = get(out, r * n + i);
        const bool is_near = r == 3 && std::fabs(g - e) < 1e-6;  // -1.7 is not a float
        if (r == 4 && std::isnan(get(x, i))) continue;           // the sign of a NaN is its own
        CHECK_MESSAGE((same(g, e) || is_near), "row " << r << ": " << g << ", not " << e);
      }
      const double v = get(x, i);
      CHECK(get(out, 6 * n + i) == std::isnan(v));
      CHECK(get(out, 7 * n + i) == std::isinf(v));
      CHECK(get(out, 8 * n + i) == std::isfinite(v));
      if (!std::isnan(v)) CHECK(get(out, 9 * n + i) == std::signbit(v));
      CHECK(same(get(out, 10 * n + i), static_cast<float>(v) / static_cast<float>(get(y, i))));
      CHECK(get(out, 11 * n + i) == static_cast<float>(get(y, i)) / 3.0f);
      CHECK(same(get(out, 12 * n + i), std::sqrt(std::fabs(static_cast<float>(v)))));
      CHECK(get(out, 13 * n + i) == 1 + std::ldexp(1, -23));
      CHECK(get(out, 14 * n + i) == i / 4.0);
      CHECK(get(out, 15 * n + i) == std::isnan(v));
      const double whole = get(y, i);  // half less is between two: the even one, the one farther from 0
      CHECK(get(out, 16 * n + i) == (whole == 1 ? 0 : whole == 3 ? 2 : whole == 2 ? 2 : 4));
      CHECK(get(out, 17 * n + i) == whole);
    }
  }
}

TEST_CASE("scalars change in a loop; static_for steps up and down") {
  const int n = 50, chunk = 16;
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor in = tensor_of("in", float32, {n}, [](auto i) { return i % 9; }), out = poisoned("out", float32, {32});
    for (int i = 0; i < 32; ++i) set(out, i, 0);
    run(device, launch<scalar_kernel>({}, arg(out), arg(in), IntArgument{n}, fixed(chunk)));
    double total = 0;
    for (int i = 0; i < n; ++i) total += std::exp(i % 9 - 8);
    CHECK(get(out, 0) == 8);
    CHECK(get(out, 1) == doctest::Approx(total).epsilon(1e-6));
    CHECK(get(out, 2) == 4);
    const std::map<int, double> rest{{3, 2}, {6, 5}, {9, 8}, {8, 6}, {10, 4}, {12, 2}, {20, 1}, {21, 1}};
    for (int i = 3; i < 32; ++i) CHECK(get(out, i) == (rest.contains(i) ? rest.at(i) : 0));
  }
}

}  // namespace tl::test::word_test
