// How floats are rounded, on each device there is: tl.rtz, tl.tf32x3.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "interp/cpu/launch.h"
#include "tests/ops/every_device.h"
#include "tests/ops/rounding_kernels.h"

namespace tl::test::rounding_test {
using enum DType;
namespace {

template <class K, class... A>
Launch launch(A... arguments) {
  return make_launch<K>("tests/ops/rounding_kernels.h", Grid{}, LaunchOptions{}, arguments...);
}
TensorArgument arg(const Tensor& t) { return {t}; }
ConstantArgument fixed(int v) { return {v}; }

}  // namespace

TEST_CASE("tl.rtz rounds floats towards zero") {
  const double inf = std::numeric_limits<double>::infinity(), third = 1.0 / 3;
  struct Case {
    DType from, to;
    double value, rounded;  // by hand from the formats: 11, 8, 4, 3 and 24 significant bits
  };
  for (const Device& device : devices())
    for (const Case& c : {Case{float32, float16, third, 0x555p-12},   // 0.0101 0101 0101 01...
                          {float32, float16, -1.999999, -0x7ffp-10},  // to the nearest: -2
                          {float32, float16, 65535, 65504},           // to the nearest: inf
                          {float32, float16, -inf, -inf},
                          {float32, float16, 0x1.fp-25, 0},  // to the nearest: the least subnormal
                          {float32, bfloat16, third, 0xaap-9},
                          {float32, bfloat16, -0x1.ffffp3, -0x1.fep3},
                          {float32, float8e5, 0.99, 0.875},
                          {float32, float8e4nv, -0.31, -0.28125},
                          {float16, float8e5, 1.99, 1.75},
                          {float64, float32, 0.1, 0xccccccp-27},  // to the nearest: 0xcccccdp-27
                          {float64, float16, -third, -0x555p-12}}) {
      CAPTURE(device.name);
      CAPTURE(c.value);
      const Tensor in = tensor_of("in", c.from, {32}, [&](auto) { return c.value; }), out = poisoned("out", c.to, {33});
      run(device, launch<truncating_kernel>(arg(out), arg(in), fixed(32)));
      for (int i = 0; i < 33; ++i) CHECK(get(out, i) == c.rounded);
    }
}

TEST_CASE("quotients by one divisor are rounded to the nearest, whatever is divided") {
  const int rows = 64, columns = 4096;
  auto bits = [state = 1u]() mutable {
    state = state * 1664525u + 1013904223u;
    return state ^ state >> 15;
  };
  const auto number = [&](bool usual) {  // usual: of magnitudes near 1
    const std::uint32_t word = bits();
    return std::bit_cast<float>(usual ? (word & 0x8fffffffu) | 0x38000000u : word);
  };
  // Every second row, and a column of the others, holds what is not usual: subnormal, infinite, NaN, -0.
  std::vector<float> divisors(rows), dividends(static_cast<std::size_t>(rows * columns));
  for (int i = 0; i < rows; ++i) divisors[static_cast<std::size_t>(i)] = number(i % 4 != 3);
  for (int i = 0; i < rows * columns; ++i)
    dividends[static_cast<std::size_t>(i)] = i % 5 == 0 ? 0.0f : i % 1001 == 0 ? -0.0f : number(i / columns % 2 == 0);
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor in = tensor_of("in", float32, {rows, columns},
                                [&](auto i) { return dividends[static_cast<std::size_t>(i)]; }),
                 by = tensor_of("by", float32, {rows}, [&](auto i) { return divisors[static_cast<std::size_t>(i)]; }),
                 out = poisoned("out", float32, {rows, columns});
    Launch quotients = launch<quotient_kernel>(arg(out), arg(in), arg(by), fixed(columns));
    quotients.grid = {rows};
    run(device, quotients);
    int wrong = 0;
    for (int i = 0; i < rows * columns; ++i) {
      const float expected = dividends[static_cast<std::size_t>(i)] / divisors[static_cast<std::size_t>(i / columns)];
      const double got = get(out, i);
      wrong += std::isnan(expected) ? !std::isnan(got) : got != expected || std::signbit(got) != std::signbit(expected);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("tl.tf32x3, tl.bf16x3 and tl.bf16x6 come near the products of fp32, infinities too") {
  const int m = 64, n = 32, k = 32;
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const auto fraction = [](double x) { return x - std::floor(x) - 0.5; };
    const Tensor a = tensor_of("a", float32, {m, k},
                               [&](auto i) {
                                 return i / k == 5 && i % k == 3 ? std::numeric_limits<double>::infinity()
                                                                 : fraction(i * 0.7548776662466927);
                               }),
                 b = tensor_of("b", float32, {k, n},
                               [&](auto i) { return 0.75 + fraction(i * 0.5698402909980532) / 2; }),
                 out = poisoned("out", float32, {5, m, n});
    run(device, launch<split_dot_kernel>(arg(out), arg(a), arg(b), fixed(m), fixed(n), fixed(k)));
    double once = 0, thrice = 0, bf16_thrice = 0, bf16_six_times = 0;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double total = 0;
        for (int l = 0; l < k; ++l) total += get(a, i * k + l) * get(b, l * n + j);
        const int at = i * n + j;
        if (i == 5) {
          for (const int way : {1, 3, 4}) CHECK(get(out, way * m * n + at) == total);
          continue;
        }
        once = std::max(once, std::abs(get(out, at) - total));
        thrice = std::max(thrice, std::abs(get(out, m * n + at) - total));
        bf16_thrice = std::max(bf16_thrice, std::abs(get(out, 3 * m * n + at) - total));
        bf16_six_times = std::max(bf16_six_times, std::abs(get(out, 4 * m * n + at) - total));
        CHECK(get(out, 2 * m * n + at) == doctest::Approx(total + 1000).epsilon(2e-7));
      }
    if (!device.compiles) {
      CHECK(once > 1e-4);
      CHECK(thrice < 4e-6);
      CHECK(bf16_thrice > 4e-6);  // 16 significant bits
      CHECK(bf16_thrice < 2e-4);
      CHECK(bf16_six_times < 4e-6);
    }
  }
}

}  // namespace tl::test::rounding_test
