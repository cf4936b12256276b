// Every dtype through the ops whose result depends on it, on each device there is. Expected values: Triton's rules
// written out, C++'s own arithmetic, IEEE's minNum and maxNum, Philox as Random123 states it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "interp/cpu/launch.h"
#include "interp/lang/narrow.h"
#include "tests/ops/dtype_kernels.h"
#include "tests/ops/every_device.h"

namespace tl::test::dtype_test {
namespace {

constexpr const char* source = "tests/ops/dtype_kernels.h";

template <class K, class... A>
Launch launch(Grid grid, A... arguments) {
  return make_launch<K>(source, grid, LaunchOptions{}, arguments...);
}

constexpr double no = std::numeric_limits<double>::quiet_NaN(), big = std::numeric_limits<double>::infinity();

// `value` as a tensor of this dtype holds it.
double held(DType dtype, double value) {
  const Tensor t = make_tensor("held", dtype, {1});
  set(t, 0, value);
  return get(t, 0);
}

// Where a device only compiles, one dtype shows that the kernel does.
bool is_left_out(const Device& device, DType dtype, DType shown) { return device.compiles && dtype != shown; }

}  // namespace

TEST_CASE("promotion: what each two dtypes meet in, by what the sum rounds to") {
  using enum DType;
  const std::array<DType, 9> dtypes{uint8, int32, uint32, int64, float16, bfloat16, float32, float64, float8e5};
  // Triton's rules: fp64, fp32, fp16, bf16 (with an int: fp32), fp8 (with an int: fp32), ints: the wider, unsigned if
  // as wide.
  const DType met[9][9] = {
      {uint8, int32, uint32, int64, float16, float32, float32, float64, float32},
      {int32, int32, uint32, int64, float16, float32, float32, float64, float32},
      {uint32, uint32, uint32, int64, float16, float32, float32, float64, float32},
      {int64, int64, int64, int64, float16, float32, float32, float64, float32},
      {float16, float16, float16, float16, float16, float16, float32, float64, float16},
      {float32, float32, float32, float32, float16, bfloat16, float32, float64, bfloat16},
      {float32, float32, float32, float32, float32, float32, float32, float64, float32},
      {float64, float64, float64, float64, float64, float64, float64, float64, float64},
      {float32, float32, float32, float32, float16, bfloat16, float32, float64, float8e5},
  };
  const int n = 32;
  std::vector<Tensor> x;
  // Sums need more digits than any narrow dtype has, and wrap in the narrow integers.
  for (DType dtype : dtypes)
    x.push_back(tensor_of(name_of(dtype), dtype, {n},
                          [&](auto i) { return is_integer(dtype) ? 100 + 5 * i : 1.25 * static_cast<double>(i + 1); }));
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor out = poisoned("out", float64, {81, n});
    run(device, launch<promotion_kernel>({}, TensorArgument{out}, TensorArgument{x[0]}, TensorArgument{x[1]},
                                         TensorArgument{x[2]}, TensorArgument{x[3]}, TensorArgument{x[4]},
                                         TensorArgument{x[5]}, TensorArgument{x[6]}, TensorArgument{x[7]},
                                         TensorArgument{x[8]}, ConstantArgument{n}));
    for (std::size_t a = 0; a < 9; ++a)
      for (std::size_t b = 0; b < 9; ++b)
        for (int i = 0; i < n; ++i) {
          const DType t = met[a][b];
          const double sum = held(t, get(x[a], i)) + held(t, get(x[b], i));
          const double expected = t == uint8 ? std::fmod(sum, 256) : held(t, sum);
          REQUIRE_MESSAGE(get(out, static_cast<std::int64_t>(a * 9 + b) * n + i) == expected,
                          name_of(dtypes[a]) << " + " << name_of(dtypes[b]) << ", lane " << i);
        }
  }
}

TEST_CASE("x >> y: the promoted dtype, and the sign of x alone says which bits come in") {
  using enum DType;
  // Triton's __rshift__: both sides in the promoted dtype, shifted arithmetically where x is signed.
  const auto shifted = [](DType from, DType by, std::int64_t x, int y) -> std::int64_t {
    const int x_bits = 8 * size_in_bytes(from), y_bits = 8 * size_in_bytes(by), bits = std::max(x_bits, y_bits);
    const bool is_unsigned =
        x_bits == y_bits ? !is_signed(from) || !is_signed(by) : !is_signed(x_bits > y_bits ? from : by);
    const auto kept = [bits](std::int64_t v, bool has_sign) {  // the low bits of v, as a number
      const int rest = 64 - bits;
      const std::uint64_t high = static_cast<std::uint64_t>(v) << rest;
      return has_sign ? static_cast<std::int64_t>(high) >> rest : static_cast<std::int64_t>(high >> rest);
    };
    const std::int64_t in = kept(x, is_signed(from));
    const std::int64_t out = is_signed(from) ? in >> y : static_cast<std::int64_t>(static_cast<std::uint64_t>(in) >> y);
    return kept(out, !is_unsigned);
  };
  CHECK(shifted(int16, uint16, -4, 1) == 65534);
  CHECK(shifted(int16, int16, -4, 1) == -2);
  CHECK(shifted(uint16, int16, 65532, 1) == 32766);
  const int n = 4;
  const std::array<DType, 8> dtypes{int8, uint8, int16, uint16, int32, uint32, int64, uint64};
  for (const Device& device : devices())
    for (const DType from : dtypes)
      for (const DType by : dtypes) {
        if (device.compiles && (from != int16 || by != uint16)) continue;
        CAPTURE(device.name);
        CAPTURE(name_of(from));
        CAPTURE(name_of(by));
        const std::int64_t xs[n] = {is_signed(from) ? -4 : 100, is_signed(from) ? -128 : 255, 127, 1};
        const int ys[n] = {1, 3, 7, 0};
        const Tensor x = tensor_of("x", from, {n}, [&](auto i) { return static_cast<double>(xs[i]); }),
                     y = tensor_of("y", by, {n}, [&](auto i) { return ys[i]; }), out = poisoned("out", int64, {n + 1});
        run(device, launch<shift_right_kernel>({}, TensorArgument{out}, TensorArgument{x}, TensorArgument{y},
                                               ConstantArgument{n}));
        for (int i = 0; i <= n; ++i) {
          const int at = i == n ? 1 : i;  // the last is a scalar's
          CHECK(out.as<std::int64_t>()[i] == shifted(from, by, xs[at], ys[at]));
        }
      }
}

TEST_CASE("shifts by the width or more leave 0, or the sign") {
  const int n = 16;
  const double xs[4] = {1, -8, 255, 2147483647}, shifts[4] = {0, 7, 31, 64};
  for (const Device& device : devices())
    for (DType dtype : {DType::uint8, DType::int32, DType::uint32, DType::int64}) {
      if (is_left_out(device, dtype, DType::int32)) continue;
      CAPTURE(device.name);
      CAPTURE(name_of(dtype));
      const Tensor x = tensor_of("x", dtype, {n}, [&](auto i) {
        return dtype == DType::uint8 || dtype == DType::uint32 ? std::fabs(xs[i % 4]) : xs[i % 4];
      });
      const Tensor by = tensor_of("by", dtype, {n}, [&](auto i) { return shifts[i / 4]; });
      const Tensor out = poisoned("out", dtype, {4, n});
      run(device,
          launch<shift_kernel>({}, TensorArgument{out}, TensorArgument{x}, TensorArgument{by}, ConstantArgument{n}));
      const int bits = size_in_bytes(dtype) * 8;
      for (int i = 0; i < n; ++i) {
        const auto v = static_cast<std::int64_t>(get(x, i));
        const int s = static_cast<int>(get(by, i));
        const std::int64_t left = s < bits ? v << s : 0, right = s < bits ? v >> s : v < 0 ? -1 : 0;
        const std::int64_t wrapped = dtype == DType::int64   ? left
                                     : dtype == DType::int32 ? static_cast<std::int32_t>(left)
                                                             : left & ((1ll << bits) - 1);
        REQUIRE_MESSAGE(get(out, i) == static_cast<double>(wrapped), v << " << " << s);
        REQUIRE_MESSAGE(get(out, n + i) == static_cast<double>(right), v << " >> " << s);
        REQUIRE(get(out, 2 * n + i) == 0);
        REQUIRE(get(out, 3 * n + i) == (v < 0 ? -1 : 0));
      }
    }
}

TEST_CASE(
    "minimum, maximum, clamp, max, min and their positions: NaN is dropped, -0 lies under 0, the first of equals "
    "wins") {
  const int m = 4, n = 8;
  const double xs[m * n] = {1,  no, -big, 3, 3,  no, 0,  -0.0, no, no, no, no, no, no, no, no,
                            -2, -2, 5,    5, no, 5,  -2, 1,    7,  6,  5,  4,  3,  2,  1,  0};
  const double ys[m * n] = {no, 2, 4, big, 3, no, -0.0, 0, no, 1,  no, 1,  no, 1,  no, 1,
                            0,  1, 2, 3,   4, 5,  6,    7, -1, -1, -1, -1, -1, -1, -1, -1};
  for (const Device& device : devices())
    for (DType dtype : {DType::float32, DType::float16, DType::bfloat16, DType::float64}) {
      if (is_left_out(device, dtype, DType::float16)) continue;
      CAPTURE(device.name);
      CAPTURE(name_of(dtype));
      const Tensor x = tensor_of("x", dtype, {m, n}, [&](auto i) { return xs[i]; }),
                   y = tensor_of("y", dtype, {m, n}, [&](auto i) { return ys[i]; });
      const Tensor out = poisoned("out", dtype, {4 * m * n + 2 * m}),
                   positions = poisoned("positions", DType::int32, {2 * m});
      run(device, launch<extremes_kernel>({}, TensorArgument{out}, TensorArgument{positions}, TensorArgument{x},
                                          TensorArgument{y}, ConstantArgument{m}, ConstantArgument{n}));
      const auto is = [&](std::int64_t at, double expected) {
        const double got = get(out, at);
        return std::isnan(expected) ? std::isnan(got) : got == expected && std::signbit(got) == std::signbit(expected);
      };
      for (int i = 0; i < m * n; ++i) {
        const double a = xs[i], b = ys[i];
        const bool equal = a == b;
        CHECK_MESSAGE(is(i, equal ? (std::signbit(a) ? a : b) : std::fmin(a, b)),
                      "minimum of " << a << " and " << b << ": " << get(out, i));
        CHECK_MESSAGE(is(m * n + i, equal ? (std::signbit(a) ? b : a) : std::fmax(a, b)),
                      "maximum of " << a << " and " << b << ": " << get(out, m * n + i));
        CHECK(is(3 * m * n + i, std::isnan(a) ? b : a));
        if (!std::isnan(a)) CHECK(is(2 * m * n + i, a < -1 ? -1 : a > 2 ? 2 : a));
      }
      const double largest[m] = {3, no, 5, 7}, smallest[m] = {-big, no, -2, 0};
      const int at_largest[m] = {3, 0, 2, 0}, at_smallest[m] = {2, 0, 0, 7};
      for (int i = 0; i < m; ++i) {
        CHECK(is(4 * m * n + i, largest[i]));
        CHECK(is(4 * m * n + m + i, smallest[i]));
        CHECK(get(positions, i) == at_largest[i]);
        CHECK(get(positions, m + i) == at_smallest[i]);
      }
    }
}

TEST_CASE("sum, cumsum and argmax along each of three axes, in every dtype") {
  const int a = 2, b = 8, c = 4, count = a * b * c;
  for (const Device& device : devices())
    for (DType dtype : {DType::int1, DType::uint8, DType::int32, DType::uint32, DType::int64, DType::float16,
                        DType::bfloat16, DType::float32, DType::float64, DType::float8e4nv}) {
      if (is_left_out(device, dtype, DType::float16)) continue;
      CAPTURE(device.name);
      CAPTURE(name_of(dtype));
      const Tensor in = tensor_of("in", dtype, {a, b, c},
                                  [&](auto i) { return dtype == DType::int1 ? i % 3 == 0 : (i * 7 + 3) % 5; });
      const DType out_dtype = is_float(dtype) ? DType::float64 : DType::int64;
      const Tensor sums = poisoned("sums", out_dtype, {b * c + a * c + a * b}),
                   positions = poisoned("positions", DType::int32, {b * c + a * c + a * b});
      const Tensor running = poisoned("running", out_dtype, {3, count});
      run(device,
          launch<three_axes_kernel>({}, TensorArgument{sums}, TensorArgument{running}, TensorArgument{positions},
                                    TensorArgument{in}, ConstantArgument{a}, ConstantArgument{b}, ConstantArgument{c}));
      const int extent[3] = {a, b, c}, stride[3] = {b * c, c, 1}, first[3] = {0, b * c, b * c + a * c};
      for (int axis = 0; axis < 3; ++axis)
        for (int o = 0, row = 0; o < count; ++o) {
          if (o / stride[axis] % extent[axis]) continue;  // not the first along the axis
          double total = 0, largest = -1;
          int position = 0;
          for (int i = 0; i < extent[axis]; ++i) {
            const double v = get(in, o + i * stride[axis]);
            total += v;
            if (v > largest) {
              largest = v;
              position = i;
            }
            REQUIRE(get(running, axis * count + o + i * stride[axis]) ==
                    (is_float(dtype) ? held(dtype, total) : total));
          }
          REQUIRE(get(sums, first[axis] + row) == (is_float(dtype) ? held(dtype, total) : total));
          REQUIRE(get(positions, first[axis] + row) == position);
          ++row;
        }
    }
}

TEST_CASE("a sum keeps a float's dtype, rounded once; max widens narrow floats to fp32, as in Triton") {
  const int n = 16;
  for (const Device& device : devices())
    for (DType dtype : {DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
      if (is_left_out(device, dtype, DType::bfloat16)) continue;
      CAPTURE(device.name);
      CAPTURE(name_of(dtype));
      // 2048 + 15 x 0.5: in fp16 every half would be lost, in fp32 none is before the end
      const Tensor in = tensor_of("in", dtype, {n}, [](auto i) { return i ? 0.5 : 2048; });
      const Tensor out = poisoned("out", DType::float32, {3});
      run(device, launch<sum_dtype_kernel>({}, TensorArgument{out}, TensorArgument{in}, ConstantArgument{n}));
      const double sum = held(dtype, 2055.5);  // 2056 in fp16 and in bf16 alike
      CHECK(get(out, 0) == held(dtype, sum + 1));
      CHECK(get(out, 1) == 2049);
      CHECK(get(out, 2) == sum);
    }
}

TEST_CASE("permute: all orders of three axes") {
  const int a = 2, b = 8, c = 4, count = a * b * c;
  const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const Device& device : devices())
    for (DType dtype : {DType::uint8, DType::bfloat16, DType::int64}) {
      if (is_left_out(device, dtype, DType::uint8)) continue;
      CAPTURE(device.name);
      CAPTURE(name_of(dtype));
      const Tensor in = tensor_of("in", dtype, {count}, [](auto i) { return i; }),
                   out = poisoned("out", dtype, {6, count});
      run(device, launch<permutations_kernel>({}, TensorArgument{out}, TensorArgument{in}, ConstantArgument{a},
                                              ConstantArgument{b}, ConstantArgument{c}));
      const int extent[3] = {a, b, c}, stride[3] = {b * c, c, 1};
      for (int o = 0; o < 6; ++o)
        for (int i = 0, at = 0; i < extent[orders[o][0]]; ++i)
          for (int j = 0; j < extent[orders[o][1]]; ++j)
            for (int k = 0; k < extent[orders[o][2]]; ++k, ++at)
              REQUIRE(get(out, o * count + at) ==
                      i * stride[orders[o][0]] + j * stride[orders[o][1]] + k * stride[orders[o][2]]);
    }
}

TEST_CASE("atomic_add: in every dtype that GPUs add atomically, old values returned") {
  const int n = 64, programs = 4, count = n * programs;
  for (const Device& device : devices())
    for (DType dtype :
         {DType::int32, DType::uint32, DType::int64, DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
      if (is_left_out(device, dtype, DType::float16)) continue;
      CAPTURE(device.name);
      CAPTURE(name_of(dtype));
      const Tensor cells = tensor_of("cells", dtype, {8 + count}, [](auto i) { return i < 8 ? 0 : i % 50; }),
                   old = poisoned("old", dtype, {count});
      run(device,
          launch<atomic_dtype_kernel>({programs}, TensorArgument{cells}, TensorArgument{old}, ConstantArgument{n}));
      double expected[8] = {};
      for (int i = 0; i < count; ++i) expected[i % 8] += i % 3 != 0;
      expected[7] += 3 * programs;
      for (int i = 0; i < 8; ++i) CHECK(get(cells, i) == expected[i]);
      for (int i = 0; i < count; ++i) {
        REQUIRE(get(old, i) == (8 + i) % 50);
        REQUIRE(get(cells, 8 + i) == (8 + i) % 50 + 2);
      }
    }
}

TEST_CASE("randint: seeds of 64 bits, negative ones, and offsets beyond 32 bits") {
  const int n = 32;
  const auto philox = [](std::uint64_t seed, std::uint64_t offset) {  // Random123's Philox4x32-10, word 0
    std::uint32_t c0 = static_cast<std::uint32_t>(offset), c1 = static_cast<std::uint32_t>(offset >> 32), c2 = 0,
                  c3 = 0;
    std::uint32_t k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
      const std::uint64_t a = 0xD2511F53ull * c0, b = 0xCD9E8D57ull * c2;
      const std::uint32_t n0 = static_cast<std::uint32_t>(b >> 32) ^ c1 ^ k0,
                          n2 = static_cast<std::uint32_t>(a >> 32) ^ c3 ^ k1;
      c1 = static_cast<std::uint32_t>(b);
      c3 = static_cast<std::uint32_t>(a);
      c0 = n0;
      c2 = n2;
    }
    return c0;
  };
  REQUIRE(philox(0, 0) == 0x6627e8d5u);  // its published answer
  const IntArgument seeds[] = {{-1}, {0x299f31d0a4093822, DType::int64}, {7}},
                    firsts[] = {{0}, {0x1234567890, DType::int64}, {-5}};
  for (const Device& device : devices())
    for (int s = 0; s < 3; ++s) {
      if (device.compiles && s != 1) continue;
      CAPTURE(device.name);
      CAPTURE(s);
      const Tensor out = poisoned("out", DType::int64, {2 * n});  // wide enough to tell 2^32 - 1 from -1
      run(device, launch<seeds_kernel>({}, TensorArgument{out}, seeds[s], firsts[s], ConstantArgument{n}));
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t offset = i + firsts[s].value;
        // offsets of 32 bits are counted without a sign
        const std::uint64_t counter = s == 1 ? static_cast<std::uint64_t>(offset) : static_cast<std::uint32_t>(offset);
        const auto seed = static_cast<std::uint64_t>(seeds[s].value);
        REQUIRE(get(out, i) == philox(seed, counter));
        REQUIRE(get(out, n + i) == philox(seed, 0x1234567890 + static_cast<std::uint64_t>(i)));
      }
    }
}

}  // namespace tl::test::dtype_test
