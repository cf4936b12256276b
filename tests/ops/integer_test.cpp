// Integers at their limits, loops downward and literals, on each device there is; expected values by 64-bit arithmetic
// cut to 32 bits.
#include <cmath>
#include <limits>

#include "interp/cpu/launch.h"
#include "interp/lang/error.h"
#include "tests/ops/every_device.h"
#include "tests/ops/integer_kernels.h"

namespace tl::test::integer_test {
namespace {

template <class K, class... A>
Launch launch(A... arguments) {
  return make_launch<K>("tests/ops/integer_kernels.h", {}, LaunchOptions{}, arguments...);
}

constexpr int most = std::numeric_limits<int>::max(), least = std::numeric_limits<int>::min();
int wrapped(long long x) { return static_cast<int>(static_cast<unsigned>(x)); }

Tensor list(const std::string& name, DType dtype, const std::vector<double>& values) {
  return tensor_of(name, dtype, {static_cast<std::int64_t>(values.size())},
                   [&](auto i) { return values[static_cast<std::size_t>(i)]; });
}

}  // namespace

TEST_CASE("integers wrap: sums, products, negation and what is decided by them") {
  const std::vector<double> values = {most, least, 1500000000, -1500000000, 0, 7, -7, most - 1};
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const int n = 8;
    const Tensor in = list("in", DType::int32, values), out = poisoned("out", DType::int32, {5 * n + 3});
    run(device,
        launch<wrapping_kernel>(TensorArgument{out}, TensorArgument{in}, IntArgument{most}, ConstantArgument{n}));
    long long total = 0;
    for (int i = 0; i < n; ++i) {
      const auto x = static_cast<long long>(values[static_cast<std::size_t>(i)]);
      CAPTURE(x);
      total += x;
      CHECK(get(out, i) == (wrapped(x + 1) > x));
      CHECK(get(out, n + i) == wrapped(2 * x) / 2);
      CHECK(get(out, 2 * n + i) == wrapped(x < 0 ? -x : x));
      CHECK(get(out, 3 * n + i) == wrapped(-x - 1));
      CHECK(get(out, 4 * n + i) == wrapped(total));
    }
    CHECK(get(out, 5 * n) == wrapped(total));
    CHECK(get(out, 5 * n + 1) == 2);
    CHECK(get(out, 5 * n + 2) == 1);  // (2^31 - 1)^2 = 2^62 - 2^32 + 1
  }
}

TEST_CASE("offsets wrap in 32 bits before they are widened or compared, as a forgotten cast to int64 would show") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const int count = 128, n = 2147483640, stride = 123456789;
    const Tensor wide = poisoned("wide", DType::int64, {4 * count}),
                 masks = poisoned("masks", DType::int32, {7 * count});
    run(device, launch<wrapping_offsets_kernel>(TensorArgument{wide}, TensorArgument{masks}, IntArgument{n},
                                                IntArgument{stride}, ConstantArgument{count}));
    for (long long i = 0; i < count; ++i) {
      CAPTURE(i);
      CHECK(get(wide, i) == wrapped(i * 1000000000));
      CHECK(get(wide, count + i) == wrapped(i * stride));
      CHECK(get(wide, 2 * count + i) == wrapped(i * stride + n));
      CHECK(get(wide, 3 * count + i) == static_cast<double>(i * stride));
      CHECK(get(masks, i) == (wrapped(i + n) < 100));
      CHECK(get(masks, count + i) == (wrapped(i + n) >= 0));
      CHECK(get(masks, 2 * count + i) == (i == 3));
      CHECK(get(masks, 3 * count + i) == 1);
      CHECK(get(masks, 4 * count + i) == (wrapped(i * 100000000) < 100));
      CHECK(get(masks, 5 * count + i) == (wrapped(i + n) > i));
      CHECK(get(masks, 6 * count + i) == (i < 8 ? static_cast<int>(i) : static_cast<int>(0xA5A5A5A5)));
    }
  }
}

TEST_CASE("range: downward, by any step, in 64 bits where a bound needs them, and through a pipeline") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const int n = 8;
    const Tensor in = tensor_of("in", DType::float32, {4 * n}, [](auto i) { return i; });
    const Tensor out = poisoned("out", DType::int32, {5}), tiles = poisoned("tiles", DType::float32, {n});
    const Tensor bound = list("bound", DType::uint32, {4000000003});
    run(device, launch<range_kernel>(TensorArgument{out}, TensorArgument{in}, TensorArgument{tiles}, IntArgument{-2},
                                     TensorArgument{bound}, ConstantArgument{n}));
    CHECK(get(out, 0) == 54321);
    CHECK(get(out, 1) == 97531);
    CHECK(get(out, 2) == 741);
    CHECK(get(out, 3) == 0);
    CHECK(get(out, 4) == 21);
    for (int i = 0; i < n; ++i) CHECK(get(tiles, i) == ((3 * n + i) * 2 + 2 * n + i) * 4 + (n + i) * 2 + i);
  }
}

TEST_CASE("range: a step of 0 is refused") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor out = poisoned("out", DType::int32, {8});
    CHECK(refusal(device, launch<still_range_kernel>(TensorArgument{out})).find("range with step 0 never ends") !=
          std::string::npos);
  }
}

TEST_CASE("literals: long ones count in 64 bits, unsigned ones in 32 without a sign") {
  const std::vector<double> values = {1, -5, 3e9, 1e12, 0, 4294967296.0, -3e9, 2999999999};
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const int n = 8;
    const Tensor in = list("in", DType::int64, values),
                 words = list("words", DType::uint32, {0, 1, 2, 3, 4294967295, 5, 6, 2654435769});
    const Tensor out = poisoned("out", DType::int64, {11 * n});
    run(device, launch<long_literals_kernel>(TensorArgument{out}, TensorArgument{in}, TensorArgument{words},
                                             ConstantArgument{n}));
    for (int i = 0; i < n; ++i) {
      CAPTURE(i);
      const double x = values[static_cast<std::size_t>(i)];
      CHECK(get(out, i) == x + 3e9);
      CHECK(get(out, n + i) == x + 3);
      CHECK(get(out, 2 * n + i) == (x < 3e9));
      CHECK(get(out, 3 * n + i) == 5e9);
      CHECK(get(out, 4 * n + i) == (i < 4 ? 3e9 : 1));
      CHECK(get(out, 5 * n + i) == (i < 4) + 3e9);
      CHECK(get(out, 6 * n + i) == std::fmod(std::fmod(x, 1099511627776.0) + 1099511627776.0, 1099511627776.0));
      CHECK(get(out, 7 * n + i) == i * 3e9);
      CHECK(get(out, 8 * n + i) == static_cast<double>(static_cast<std::uint32_t>(get(words, i)) ^ 0x9E3779B9u));
      CHECK(get(out, 9 * n + i) == 3e9);
      CHECK(get(out, 10 * n + i) == 7);
    }
  }
}

TEST_CASE("literals that are stored, filled in or stand for masked lanes are cast: -1 is all ones, 300 a byte's 44") {
  for (const Device& device : devices())
    for (auto [dtype, bits] : {std::pair{DType::uint8, 8}, {DType::uint32, 32}, {DType::int32, 32}}) {
      const DType type = dtype;  // clang 14 captures no structured binding
      CAPTURE(device.name);
      CAPTURE(name_of(type));
      const double modulus = std::ldexp(1.0, bits), ones = is_signed(type) ? -1 : modulus - 1;
      const int n = 8;
      const Tensor in = tensor_of("in", type, {n}, [](auto i) { return i; }), out = poisoned("out", type, {6 * n + 1});
      run(device, launch<stored_literals_kernel>(TensorArgument{out}, TensorArgument{in}, ConstantArgument{n}));
      for (int i = 0; i < n; ++i) {
        const double hundreds = std::fmod(300, modulus);
        CHECK(get(out, i) == hundreds);
        CHECK(get(out, n + i) == ones);
        CHECK(get(out, 2 * n + i) == hundreds);
        CHECK(get(out, 3 * n + i) == ones);
        CHECK(get(out, 4 * n + i) == (i < 4 ? i : hundreds));
        CHECK(get(out, 5 * n + i) == std::fmod(5000000044.0, modulus));
      }
      CHECK(get(out, 6 * n) == ones - 1);
    }
}

TEST_CASE(
    "shapes: scalars join and come from split, 0 stands for 0_c, axes count from the end, trans swaps the last two") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const int n = 16;
    const Tensor out = poisoned("out", DType::int32, {8 + 5 * n});
    run(device, launch<shape_words_kernel>(TensorArgument{out}, ConstantArgument{n}));
    for (int i = 0; i < 2; ++i) {
      CHECK(get(out, i) == i + 1);
      CHECK(get(out, 2 + i) == i + 5);
      CHECK(get(out, 4 + 2 * n + i) == (i ? 92 : 28));  // 0 ... 7 and 8 ... 15
      CHECK(get(out, 6 + 2 * n + i) == 7);
    }
    for (int i = 0; i < n; ++i) {
      CAPTURE(i);
      CHECK(get(out, 4 + i) == i);
      CHECK(get(out, 4 + n + i) == i % 2 * 8 + i / 2);
      CHECK(get(out, 8 + 2 * n + i) == i / 8 * 8 + i % 2 * 4 + i % 8 / 2);
      CHECK(get(out, 8 + 3 * n + i) == (i < 4 ? i : static_cast<int>(0xA5A5A5A5)));
      CHECK(get(out, 8 + 4 * n + i) == (i % 2 ? i / 2 : 3));
    }
  }
}

TEST_CASE("shapes: an axis named twice, and rows and columns of one axis, are refused") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor out = poisoned("out", DType::int32, {16});
    CHECK(refusal(device, launch<repeated_axis_kernel>(TensorArgument{out})) != "");
    CHECK(refusal(device, launch<flat_trans_kernel>(TensorArgument{out})).find("rows and columns") !=
          std::string::npos);
  }
}

}  // namespace tl::test::integer_test
