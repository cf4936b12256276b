// Every op over dtypes, on each device there is. Expected values: C++'s own arithmetic, the C library in double, IEEE
// rounding.
#include <algorithm>
#include <cmath>
#include <limits>

#include "interp/cpu/launch.h"
#include "interp/lang/narrow.h"
#include "tests/ops/every_device.h"
#include "tests/ops/op_kernels.h"

namespace tl::test::op_test {
namespace {

constexpr const char* source = "tests/ops/op_kernels.h";

template <class K, class... A>
Launch launch(Grid grid, A... arguments) {
  return make_launch<K>(source, grid, LaunchOptions{}, arguments...);
}

// A reproducible value in [-scale, scale).
double noise(std::int64_t i, double scale) {
  std::uint64_t z = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u + 0x1234567u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return (static_cast<double>((z ^ z >> 31) >> 11) / 4503599627370496.0 - 1) * scale;
}

// Distance in units of the last place of `dtype` at `expected`.
double ulps(DType dtype, double got, double expected) {
  if (std::isnan(expected)) return std::isnan(got) ? 0 : 1e9;
  if (got == expected) return 0;
  const int mantissa = dtype == DType::float64 ? 52 : dtype == DType::float32 ? 23 : dtype == DType::float16 ? 10 : 7;
  const int smallest = dtype == DType::float64 ? -1022 : dtype == DType::float16 ? -14 : -126;
  const int exponent = expected == 0 ? smallest : std::max(smallest, std::ilogb(expected));
  return std::fabs(got - expected) / std::ldexp(1.0, exponent - mantissa);
}

}  // namespace

TEST_CASE("math: within stated ulps of the C library in double") {
  const int n = 256, programs = 4, count = n * programs;
  double (*const functions[])(double) = {std::exp, std::exp2, std::log, std::log2, std::sqrt,
                                         nullptr,  std::fabs, std::sin, std::cos};
  const char* const names[] = {"exp", "exp2", "log", "log2", "sqrt", "rsqrt", "abs", "sin", "cos"};
  // Of f32; the narrow dtypes compute in f32 and round once, so that they are within one ulp of their own.
  const double limits[] = {2, 2, 2, 2, 0.5, 2, 0, 2, 2};
  for (const Device& device : devices())
    for (DType dtype : {DType::float32, DType::float16, DType::bfloat16}) {
      CAPTURE(device.name);
      CAPTURE(name_of(dtype));
      const Tensor in = tensor_of("in", dtype, {count}, [](auto i) { return noise(i, 8); });
      const Tensor out = poisoned("out", dtype, {9, count});
      run(device, launch<math_kernel>({programs}, TensorArgument{out}, TensorArgument{in}, ConstantArgument{n}));
      for (int op = 0; op < 9; ++op) {
        double worst = 0;
        for (int i = 0; i < count; ++i) {
          const double x = get(in, i), y = op >= 2 && op <= 6 ? std::fabs(x) : x;
          const double expected = functions[op] ? functions[op](y) : 1 / std::sqrt(y);
          // near a zero crossing an absolute error of f32's last place counts
          if (op >= 7 && std::fabs(expected) < 0.1) continue;
          if ((op == 2 || op == 3) && std::fabs(expected) < 0.1) continue;
          worst = std::max(worst, ulps(dtype, get(out, op * count + i), expected));
        }
        CAPTURE(names[op]);
        CHECK(worst <= (dtype == DType::float32 ? limits[op] : 1));
      }
    }
}

TEST_CASE("arithmetic on floats: IEEE, rounded once") {
  const int n = 128, programs = 3, count = n * programs;
  for (const Device& device : devices())
    for (DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16}) {
      CAPTURE(device.name);
      CAPTURE(name_of(dtype));
      const Tensor x = tensor_of("x", dtype, {count}, [](auto i) { return noise(i, 100); });
      const Tensor y = tensor_of("y", dtype, {count}, [](auto i) { return noise(i + 7777, 3); });
      const Tensor out = poisoned("out", dtype, {8, count});
      const Tensor expected = poisoned("expected", dtype, {8, count});
      run(device, launch<arithmetic_kernel>({programs}, TensorArgument{out}, TensorArgument{x}, TensorArgument{y},
                                            ConstantArgument{n}));
      for (int i = 0; i < count; ++i) {
        const double a = get(x, i), b = get(y, i);
        // double holds the exact sum, difference and product of two 24-bit numbers nearly always, and rounds f64 itself
        const double quotient =
            dtype == DType::float64 ? a / b : static_cast<double>(static_cast<float>(a) / static_cast<float>(b));
        const double values[] = {a + b, a - b, a * b, quotient, std::min(a, b), std::max(a, b), a < b ? a : b * 2, -a};
        for (int op = 0; op < 8; ++op) {
          set(expected, op * count + i, values[op]);
          REQUIRE_MESSAGE(get(out, op * count + i) == get(expected, op * count + i),
                          "row " << op << ", " << a << " and " << b);
        }
      }
    }
}

TEST_CASE("arithmetic on integers: as C++ does it, division toward zero") {
  const int n = 64, programs = 2, count = n * programs;
  for (const Device& device : devices())
    for (DType dtype : {DType::int32, DType::int64}) {
      CAPTURE(device.name);
      CAPTURE(name_of(dtype));
      const Tensor x = tensor_of("x", dtype, {count}, [](auto i) { return std::floor(noise(i, 1e6)); });
      const Tensor y = tensor_of("y", dtype, {count}, [](auto i) { return i % 2 ? i + 1 : -i - 1; });
      const Tensor out = poisoned("out", dtype, {8, count}), bits = poisoned("bits", dtype, {7, count});
      run(device, launch<arithmetic_kernel>({programs}, TensorArgument{out}, TensorArgument{x}, TensorArgument{y},
                                            ConstantArgument{n}));
      run(device, launch<integer_kernel>({programs}, TensorArgument{bits}, TensorArgument{x}, TensorArgument{y},
                                         ConstantArgument{n}));
      for (int i = 0; i < count; ++i) {
        const auto a = static_cast<std::int64_t>(get(x, i)), b = static_cast<std::int64_t>(get(y, i));
        const std::int64_t values[] = {a + b, a - b, a * b, a / b, std::min(a, b), std::max(a, b), a < b ? a : b * 2,
                                       -a};
        const std::int64_t bit_values[] = {a % b, a & b, a | b, a ^ b, a << (b & 7), a >> (b & 7), ~a};
        for (int op = 0; op < 8; ++op)
          REQUIRE_MESSAGE(get(out, op * count + i) == static_cast<double>(values[op]),
                          "row " << op << ", " << a << " and " << b);
        for (int op = 0; op < 7; ++op)
          REQUIRE_MESSAGE(get(bits, op * count + i) == static_cast<double>(bit_values[op]),
                          "row " << op << ", " << a << " and " << b);
      }
    }
}

TEST_CASE("comparisons: a NaN is unequal to all, itself included") {
  const int n = 16;
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const double xs[n] = {0, -0.0, 1, nan, nan, 2, inf, -inf, 3, 3, 1, 5, -4, 8, nan, 0};
  const double ys[n] = {-0.0, 0, 2, nan, 1, nan, inf, inf, 3, 2, 1, 6, -5, 8, inf, 0};
  for (const Device& device : devices())
    for (DType dtype : {DType::float32, DType::float16, DType::bfloat16, DType::float64}) {
      CAPTURE(device.name);
      const Tensor x = tensor_of("x", dtype, {n}, [&](auto i) { return xs[i]; }),
                   y = tensor_of("y", dtype, {n}, [&](auto i) { return ys[i]; });
      const Tensor out = poisoned("out", DType::int32, {n});
      run(device, launch<comparison_kernel>({}, TensorArgument{out}, TensorArgument{x}, TensorArgument{y},
                                            ConstantArgument{n}));
      for (int i = 0; i < n; ++i) {
        const double a = xs[i], b = ys[i];
        CHECK(get(out, i) == (a < b) + (a <= b) * 2 + (a > b) * 4 + (a >= b) * 8 + (a == b) * 16 + (a != b) * 32);
      }
    }
}

TEST_CASE("casts: every f16, bf16 and fp8 value widens exactly") {
  for (const Device& device : devices())
    for (DType dtype : {DType::float16, DType::bfloat16, DType::float8e4nv, DType::float8e5}) {
      CAPTURE(device.name);
      CAPTURE(name_of(dtype));
      const int count = size_in_bytes(dtype) == 2 ? 65536 : 256;
      const Tensor in = make_tensor("in", dtype, {count});
      for (int i = 0; i < count; ++i)
        size_in_bytes(dtype) == 2 ? void(in.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(i))
                                  : void(in.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i));
      const Tensor out = poisoned("out", DType::float32, {count});
      run(device, launch<cast_kernel>({(count + 255) / 256}, TensorArgument{out}, TensorArgument{in},
                                      IntArgument{count}, ConstantArgument{256}));
      for (int i = 0; i < count; ++i) {
        const double expected = decode_narrow(dtype, static_cast<std::uint16_t>(i));
        REQUIRE((std::isnan(expected) ? std::isnan(get(out, i)) : get(out, i) == expected));
      }
    }
}

TEST_CASE("casts: f32 narrows to the nearest, ties to even, over all exponents and the edges") {
  const int count = 4099;
  const auto sample = [](std::int64_t i) {
    static const double edges[] = {
        0,     -0.0, 65504,        65519.996,    65520,         448,         464,          465,   57344,
        61440, 1e30, 5.9604645e-8, 2.9802322e-8, 2.98023260e-8, 0.001953125, 0.0009765625, 3.4e38};
    if (i < 17) return edges[i];
    return noise(i, 1) * std::ldexp(1.0, static_cast<int>(i % 60) - 35);
  };
  for (const Device& device : devices())
    for (DType dtype : {DType::float16, DType::bfloat16, DType::float8e4nv, DType::float8e5}) {
      CAPTURE(device.name);
      CAPTURE(name_of(dtype));
      const Tensor in = tensor_of("in", DType::float32, {count}, sample);
      const Tensor out = poisoned("out", dtype, {count});
      run(device, launch<cast_kernel>({(count + 255) / 256}, TensorArgument{out}, TensorArgument{in},
                                      IntArgument{count}, ConstantArgument{256}));
      for (int i = 0; i < count; ++i)
        REQUIRE_MESSAGE(get(out, i) == decode_narrow(dtype, encode_narrow(dtype, get(in, i))), "of " << get(in, i));
    }
}

TEST_CASE("casts: float to integers truncates and saturates, NaN gives 0") {
  const int n = 16;
  const double inf = std::numeric_limits<double>::infinity();
  const double xs[n] = {0,     1.9, -1.9, 254.6,        255.5,      256, -1,      1e10,
                        -1e10, inf, -inf, std::nan(""), 2147483520, 0.5, 127.999, 3};
  for (const Device& device : devices())
    for (DType dtype : {DType::int32, DType::uint8, DType::int64}) {
      CAPTURE(device.name);
      CAPTURE(name_of(dtype));
      const Tensor in = tensor_of("in", DType::float32, {n}, [&](auto i) { return xs[i]; });
      const Tensor out = poisoned("out", dtype, {n});
      run(device,
          launch<cast_kernel>({}, TensorArgument{out}, TensorArgument{in}, IntArgument{n}, ConstantArgument{n}));
      for (int i = 0; i < n; ++i) {
        const double x = get(in, i);
        const double expected = dtype == DType::int32   ? float_to_int32(x)
                                : dtype == DType::uint8 ? float_to_uint8(x)
                                                        : static_cast<double>(float_to_int64(x));
        CHECK_MESSAGE(get(out, i) == expected, "of " << x);
      }
    }
}

TEST_CASE("reductions: along rows and columns, over dtypes and shapes; the first of equals wins") {
  for (Turns turns(4); const Device& device : devices())
    for (DType dtype : {DType::int32, DType::float32, DType::float64})
      for (auto [height, width] : {std::pair{4, 8}, {32, 64}, {128, 16}, {1, 256}}) {
        if (turns.leave_out(device)) continue;
        const int m = height, n = width;  // clang 14 captures no structured binding
        CAPTURE(device.name);
        CAPTURE(name_of(dtype));
        CAPTURE(m);
        // small integers: sums are exact in any order, and maxima repeat
        const Tensor in = tensor_of("in", dtype, {m, n}, [](auto i) { return std::floor(noise(i, 9)); });
        const Tensor rows[] = {poisoned("sums", dtype, {m}), poisoned("maxima", dtype, {m}),
                               poisoned("minima", dtype, {m}), poisoned("positions", DType::int32, {m})};
        const Tensor cols[] = {poisoned("sums", dtype, {n}), poisoned("maxima", dtype, {n}),
                               poisoned("minima", dtype, {n}), poisoned("positions", DType::int32, {n})};
        const ConstantArgument M{m}, N{n};
        run(device,
            launch<row_reduction_kernel>({}, TensorArgument{rows[0]}, TensorArgument{rows[1]}, TensorArgument{rows[2]},
                                         TensorArgument{rows[3]}, TensorArgument{in}, M, N));
        run(device, launch<column_reduction_kernel>({}, TensorArgument{cols[0]}, TensorArgument{cols[1]},
                                                    TensorArgument{cols[2]}, TensorArgument{cols[3]},
                                                    TensorArgument{in}, M, N));
        for (int axis = 0; axis < 2; ++axis) {
          const Tensor* got = axis ? rows : cols;
          for (int i = 0; i < (axis ? m : n); ++i) {
            double sum = 0, largest = -1e9, smallest = 1e9;
            int position = 0;
            for (int j = 0; j < (axis ? n : m); ++j) {
              const double v = get(in, axis ? i * n + j : j * n + i);
              sum += v;
              if (axis ? v > largest : v < smallest) position = j;
              largest = std::max(largest, v);
              smallest = std::min(smallest, v);
            }
            REQUIRE(get(got[0], i) == sum);
            REQUIRE(get(got[1], i) == largest);
            REQUIRE(get(got[2], i) == smallest);
            REQUIRE(get(got[3], i) == position);
          }
        }
      }
}

TEST_CASE("max and min drop a NaN") {
  const int n = 8;
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor in = tensor_of("in", DType::float32, {1, n}, [](auto i) { return i == 3 ? std::nan("") : i - 4.0; });
    const Tensor sums = poisoned("s", DType::float32, {1}), maxima = poisoned("x", DType::float32, {1}),
                 minima = poisoned("n", DType::float32, {1}), positions = poisoned("p", DType::int32, {1});
    run(device, launch<row_reduction_kernel>({}, TensorArgument{sums}, TensorArgument{maxima}, TensorArgument{minima},
                                             TensorArgument{positions}, TensorArgument{in}, ConstantArgument{1},
                                             ConstantArgument{n}));
    CHECK(get(maxima, 0) == 3);
    CHECK(get(minima, 0) == -4);
    CHECK(std::isnan(get(sums, 0)));
  }
}

TEST_CASE("cumsum: along rows") {
  for (const Device& device : devices())
    for (auto [height, width] : {std::pair{1, 1024}, {16, 32}, {64, 4}}) {
      const int m = height, n = width;
      CAPTURE(device.name);
      CAPTURE(m);
      const Tensor in = tensor_of("in", DType::float32, {m, n}, [](auto i) { return std::floor(noise(i, 20)); });
      const Tensor out = poisoned("out", DType::float32, {m, n});
      run(device,
          launch<cumsum_kernel>({}, TensorArgument{out}, TensorArgument{in}, ConstantArgument{m}, ConstantArgument{n}));
      for (int i = 0; i < m; ++i) {
        double total = 0;
        for (int j = 0; j < n; ++j) REQUIRE(get(out, i * n + j) == (total += get(in, i * n + j)));
      }
    }
}

TEST_CASE("dot: exact on small integers, over dtypes and shapes") {
  for (Turns turns(4); const Device& device : devices())
    for (DType dtype : {DType::float16, DType::bfloat16, DType::float32, DType::float8e4nv, DType::float8e5})
      for (auto [height, width, depth] : {std::tuple{16, 16, 16}, {32, 64, 32}, {64, 32, 128}, {128, 128, 32}}) {
        if (turns.leave_out(device)) continue;
        const int m = height, n = width, k = depth;
        // fp8's matrix instructions take 32 along k
        if (is_fp8(dtype) && k < 32) continue;
        CAPTURE(device.name);
        CAPTURE(name_of(dtype));
        CAPTURE(m);
        const Tensor a = tensor_of("a", dtype, {m, k}, [](auto i) { return std::floor(noise(i, 4)); });
        const Tensor b = tensor_of("b", dtype, {k, n}, [](auto i) { return std::floor(noise(i + 999, 4)); });
        const Tensor out = poisoned("out", DType::float32, {m, n});
        run(device, launch<dot_kernel>({}, TensorArgument{out}, TensorArgument{a}, TensorArgument{b},
                                       ConstantArgument{m}, ConstantArgument{n}, ConstantArgument{k}));
        for (int i = 0; i < m; ++i)
          for (int j = 0; j < n; ++j) {
            double total = 1;
            for (int l = 0; l < k; ++l) total += get(a, i * k + l) * get(b, l * n + j);
            REQUIRE(get(out, i * n + j) == total);
          }
      }
}

TEST_CASE("dot: f32 inputs are rounded to tf32 unless ieee is asked for") {
  const int size = 16;
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    // 1 + 2^-12 needs more than tf32's 10 mantissa bits: it rounds to 1
    const Tensor a =
        tensor_of("a", DType::float32, {size, size}, [](auto i) { return i % 17 == 0 ? 1 + std::ldexp(1, -12) : 0; });
    const Tensor b = tensor_of("b", DType::float32, {size, size}, [](auto i) { return i % 17 == 0 ? 1 : 0; });
    const Tensor tf32 = poisoned("tf32", DType::float32, {size, size}),
                 ieee = poisoned("ieee", DType::float32, {size, size});
    run(device, launch<dot_kernel>({}, TensorArgument{tf32}, TensorArgument{a}, TensorArgument{b},
                                   ConstantArgument{size}, ConstantArgument{size}, ConstantArgument{size}));
    run(device, launch<ieee_dot_kernel>({}, TensorArgument{ieee}, TensorArgument{a}, TensorArgument{b},
                                        ConstantArgument{size}, ConstantArgument{size}, ConstantArgument{size}));
    CHECK(get(tf32, 0) == 1 + 1);
    CHECK(get(ieee, 0) == 1 + std::ldexp(1, -12));
    CHECK(get(ieee, 1) == 0);
  }
}

}  // namespace tl::test::op_test
