// Constants that are no integers, pointers and descriptors that a kernel makes, on each device there is; expected
// values by plain loops.
#include <algorithm>
#include <cmath>

#include "interp/cpu/facts.h"
#include "interp/cpu/launch.h"
#include "interp/cuda/host/device.h"
#include "interp/cuda/host/run.h"
#include "tests/ops/every_device.h"
#include "tests/ops/made_kernels.h"

namespace tl::test::made_test {
namespace {

template <class K, class... A>
Launch launch(Grid grid, A... arguments) {
  return make_launch<K>("tests/ops/made_kernels.h", grid, LaunchOptions{}, arguments...);
}

Tensor addresses(std::string name, std::vector<int> of) {
  Tensor t = make_tensor(std::move(name), DType::int64, {static_cast<std::int64_t>(of.size())});
  t.holds_addresses = true;
  for (std::size_t i = 0; i < of.size(); ++i) t.as<std::int64_t>()[i] = address_of(of[i]);
  return t;
}

}  // namespace

TEST_CASE("constants may be floats, texts and enumerators, and choose as others do") {
  const int n = 64;
  for (const Device& device : devices())
    for (const double scale : {0.5, 1.0, 1.5})
      for (const std::string activation : {"leaky_relu", "square", "none", ""})
        for (const int scaling : {plain, doubled}) {
          if (device.compiles && (scale == 1.0 || scaling == plain)) continue;
          CAPTURE(device.name);
          CAPTURE(scale);
          CAPTURE(activation);
          const Tensor in = tensor_of("in", DType::float32, {n}, [](auto i) { return i % 9 - 4; });
          const Tensor out = poisoned("out", DType::float32, {n});
          run(device, launch<constants_kernel>({}, TensorArgument{out}, TensorArgument{in}, RealConstantArgument{scale},
                                               TextConstantArgument{activation}, ConstantArgument{scaling},
                                               ConstantArgument{n}));
          for (int i = 0; i < n; ++i) {
            const double x = i % 9 - 4;
            double y = activation == "leaky_relu" ? (x > 0 ? x : x / 4) : activation == "square" ? x * x : x;
            y *= scale * (scaling == doubled ? 2 : 1) * (scale > 0.75 ? -1 : 1);
            REQUIRE(get(out, i) == (activation == "none" ? x : y) + (scale == 1.5 ? 2 : 1));
          }
        }
}

// IEEE 754: of whole numbers between 2048 and 4096 fp16 has the even ones, and a tie goes to the even significand.
TEST_CASE("constants may be dtypes") {
  const int n = 4;
  const double as_half[n] = {2048, 2048, 2050, 2052};
  for (const Device& device : devices())
    for (const DType acc : {DType::float32, DType::float16}) {
      CAPTURE(device.name);
      const Tensor in = tensor_of("in", DType::float32, {n}, [](auto i) { return 2048 + i; });
      const Tensor out = poisoned("out", DType::float32, {n});
      run(device, launch<dtype_constant_kernel>({}, TensorArgument{out}, TensorArgument{in}, DtypeConstantArgument{acc},
                                                ConstantArgument{n}));
      for (int i = 0; i < n; ++i) CHECK(get(out, i) == (acc == DType::float16 ? as_half[i] + 1 : 2048 + i));
    }
}

TEST_CASE("shapes: of no axis, of another block, with a new axis among five") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor in = tensor_of("in", DType::float32, {16}, [](auto i) { return i; });
    const Tensor out = poisoned("out", DType::float32, {17});
    run(device, launch<shapes_kernel>({}, TensorArgument{out}, TensorArgument{in}));
    double sum = 0.5;
    for (int i = 0; i < 16; ++i) {
      CHECK(get(out, i) == i + i / 2 % 2 * 100 + 1);
      sum += i + i / 2 % 2 * 100;
    }
    CHECK(get(out, 16) == sum);
  }
}

TEST_CASE("addresses in memory lead to tensors, with their bounds") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const int n = 13;
    const Tensor a = tensor_of("a", DType::float16, {n}, [](auto i) { return i; }),
                 b = tensor_of("b", DType::float16, {n}, [](auto i) { return 3 * i + 1; });
    const Tensor ya = poisoned("ya", DType::float32, {n}), yb = poisoned("yb", DType::float32, {n});
    const auto with = [&](int count, std::vector<int> from) {
      Launch l =
          launch<addresses_kernel>({2}, TensorArgument{addresses("from", from)},
                                   TensorArgument{addresses("to", {4, 5})}, IntArgument{count}, ConstantArgument{16});
      l.reached = {a, b, ya, yb};  // numbers 2 to 5, behind the arguments
      return l;
    };
    run(device, with(n, {2, 3}));
    for (int i = 0; i < n; ++i) {
      CHECK(get(ya, i) == 2 * i);
      CHECK(get(yb, i) == 2 * (3 * i + 1));
    }
    if (device.name != "cpu") continue;
    CHECK(refusal(device, with(n + 1, {2, 3})).find(", which holds 13") != std::string::npos);
    CHECK(refusal(device, with(n, {2, 9})).find("is the address of no tensor") != std::string::npos);
    CHECK(refusal(device, with(n, {2, 4})).find("\"ya\" holds f32, and tl.pointer_type(f16) points to others") !=
          std::string::npos);
  }
}

TEST_CASE("a block of addresses is refused: one tensor at a time") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor out = poisoned("out", DType::float32, {2});
    CHECK(refusal(device,
                  launch<block_of_addresses_kernel>({}, TensorArgument{out}, TensorArgument{addresses("from", {0, 0})}))
              .find("load the address of one tensor as a scalar") != std::string::npos);
  }
}

TEST_CASE("descriptors made in a kernel: tiles at the edges read zeros, store and add only inside") {
  for (const Device& device : devices())
    for (const DType dtype : {DType::float16, DType::float32, DType::int32})
      for (const auto& [height, width, stride] : {std::array{32, 32, 32}, {20, 36, 36}, {7, 13, 17}}) {
        const int m = height, n = width, pitch = stride, b = 16;
        CAPTURE(device.name);
        CAPTURE(m);
        const Tensor in = tensor_of("in", dtype, {m, pitch}, [](auto i) { return i % 97; });
        const Tensor out = tensor_of("out", dtype, {m, pitch}, [](auto) { return -1; });
        const Tensor sums = tensor_of("sums", DType::float32, {m, pitch}, [](auto) { return 1; });
        run(device, launch<made_descriptor_kernel>({(m + b - 1) / b, (n + b - 1) / b}, TensorArgument{out},
                                                   TensorArgument{sums}, TensorArgument{in}, IntArgument{m},
                                                   IntArgument{n}, IntArgument{pitch}, ConstantArgument{b}));
        for (int i = 0; i < m * pitch; ++i) {
          const bool is_inside = i % pitch < n;
          REQUIRE(get(out, i) == (is_inside ? i % 97 : -1));
          REQUIRE(get(sums, i) == (is_inside ? 1 + 2 * (i % 97) : 1));
        }
      }
}

TEST_CASE("descriptors gather and scatter rows: those outside read zeros and are not stored") {
  const int m = 20, n = 48, r = 8, b = 16, column = 40;  // half of the columns lie outside
  const int wanted[] = {3, 19, 0, 25, -1, 7, 2, 11};
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor in = tensor_of("in", DType::float32, {m, n}, [](auto i) { return i; });
    const Tensor to = tensor_of("to", DType::float32, {m, n}, [](auto) { return -1; });
    const Tensor rows = tensor_of("rows", DType::int32, {r}, [&](auto i) { return wanted[i]; });
    const Tensor out = poisoned("out", DType::float32, {r, b});
    run(device, launch<gathered_rows_kernel>({}, TensorArgument{out}, DescriptorArgument{to, {1, b}},
                                             DescriptorArgument{in, {1, b}}, TensorArgument{rows}, IntArgument{column},
                                             ConstantArgument{r}, ConstantArgument{b}));
    for (int i = 0; i < r * b; ++i) {
      const int row = wanted[i / b], col = column + i % b;
      REQUIRE(get(out, i) == (row >= 0 && row < m && col < n ? row * n + col : 0));
    }
    for (int i = 0; i < m * n; ++i)
      REQUIRE(get(to, i) == (std::ranges::count(wanted, i / n) && i % n >= column ? i : -1));
  }
}

namespace {
// The formats' tables: OCP Microscaling Formats, 5.3.
double e2m1(int bits) {
  const double sizes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  return bits & 8 ? -sizes[bits & 7] : sizes[bits & 7];
}
double narrow(int bits, int fraction_bits, int bias) {
  const int exponent = (bits & 127) >> fraction_bits, fraction = bits & ((1 << fraction_bits) - 1);
  const double part = std::ldexp(fraction, -fraction_bits);
  const double size = exponent ? std::ldexp(1 + part, exponent - bias) : std::ldexp(part, 1 - bias);
  return bits & 128 ? -size : size;
}
// The value at place i along k of a row or column of bytes, or of floats of 16 bits.
double value_in(const std::string& format, const Tensor& bytes, std::int64_t other, std::int64_t i, std::int64_t row,
                std::int64_t step) {
  if (format == "fp16" || format == "bf16") return get(bytes, other * row + i * step);
  const auto at = [&](std::int64_t l) { return static_cast<int>(get(bytes, other * row + l * step)); };
  if (format == "e2m1") return e2m1(at(i / 2) >> (i % 2 ? 4 : 0) & 15);
  return format == "e4m3" ? narrow(at(i), 3, 7) : narrow(at(i), 2, 15);
}
}  // namespace

TEST_CASE("scaled dots of mxfp4, mxfp8, bf16 and fp16 are those of their tables' numbers") {
  const int m = 32, n = 16, k = 64;
  for (const Device& device : devices())
    for (const auto& formats : {std::pair<std::string, std::string>{"e2m1", "e2m1"},
                                {"e4m3", "e2m1"},
                                {"e5m2", "e4m3"},
                                {"fp16", "e2m1"},
                                {"e4m3", "fp16"},
                                {"fp16", "fp16"},
                                {"bf16", "e5m2"}}) {
      const std::string &left = formats.first, &right = formats.second;
      CAPTURE(device.name);
      CAPTURE(left);
      CAPTURE(right);
      const auto bytes = [&](const char* name, const std::string& format, std::vector<std::int64_t> shape, int step) {
        if (format == "fp16" || format == "bf16")
          return tensor_of(name, format == "fp16" ? DType::float16 : DType::bfloat16, shape,
                           [step](auto i) { return (step * i % 11 - 5) * 0.25; });
        // exponents near 0, so that sums are exact
        return tensor_of(name, DType::uint8, shape, [&, step](auto i) {
          const int fp8 = format == "e4m3" ? 0x38 + (step * i % 9) : 0x3C + (step * i % 5);
          return format == "e2m1" ? step * i % 256 : fp8 | (i % 3 ? 0 : 128);
        });
      };
      const int ka = left == "e2m1" ? k / 2 : k, kb = right == "e2m1" ? k / 2 : k;
      const Tensor a = bytes("a", left, {m, ka}, 37), b = bytes("b", right, {kb, n}, 29);
      const Tensor sa = tensor_of("sa", DType::uint8, {m, k / 32}, [](auto i) { return 126 + i % 3; }),
                   sb = tensor_of("sb", DType::uint8, {n, k / 32}, [](auto i) { return 128 - i % 3; });
      const Tensor out = poisoned("out", DType::float32, {m, n});
      run(device,
          launch<scaled_kernel>({}, TensorArgument{out}, TensorArgument{a}, TensorArgument{sa}, TensorArgument{b},
                                TensorArgument{sb}, TextConstantArgument{left}, TextConstantArgument{right},
                                ConstantArgument{32}, ConstantArgument{m}, ConstantArgument{n}, ConstantArgument{k}));
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
          double sum = 0;
          for (int l = 0; l < k; ++l) {
            const double x = value_in(left, a, i, l, ka, 1) *
                             std::ldexp(1, static_cast<int>(get(sa, i * 2 + l / 32)) - 127),
                         y = value_in(right, b, j, l, 1, n);
            sum += x * y * (1 + std::ldexp(1, static_cast<int>(get(sb, j * 2 + l / 32)) - 127));
          }
          REQUIRE(get(out, i * n + j) == sum);
        }
    }
}

TEST_CASE("scaled dots of nvfp4 take an fp8 for 16 numbers") {
  const int m = 32, n = 16, k = 64, parts = k / 16;
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor a = tensor_of("a", DType::uint8, {m, k / 2}, [](auto i) { return 37 * i % 256; }),
                 b = tensor_of("b", DType::uint8, {k / 2, n}, [](auto i) { return 29 * i % 256; });
    const Tensor sa = tensor_of("sa", DType::float8e4nv, {m, parts}, [](auto i) { return 1 + i % 7 * 0.125; }),
                 sb = tensor_of("sb", DType::float8e4nv, {n, parts}, [](auto i) { return 0.5 + i % 5 * 0.25; });
    const Tensor out = poisoned("out", DType::float32, {m, n});
    run(device,
        launch<scaled_kernel>({}, TensorArgument{out}, TensorArgument{a}, TensorArgument{sa}, TensorArgument{b},
                              TensorArgument{sb}, TextConstantArgument{"e2m1"}, TextConstantArgument{"e2m1"},
                              ConstantArgument{16}, ConstantArgument{m}, ConstantArgument{n}, ConstantArgument{k}));
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int l = 0; l < k; ++l)
          sum += value_in("e2m1", a, i, l, k / 2, 1) * get(sa, i * parts + l / 16) * value_in("e2m1", b, j, l, 1, n) *
                 (1 + get(sb, j * parts + l / 16));
        REQUIRE(get(out, i * n + j) == sum);
      }
  }
}

TEST_CASE("a dot adds to fp16, rounded once a dot") {
  const int n = 16;
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor a = tensor_of("a", DType::float16, {n, n}, [](auto i) { return i % 7 - 3; }),
                 b = tensor_of("b", DType::float16, {n, n}, [](auto i) { return i % 5 - 1.5; });
    const Tensor out = poisoned("out", DType::float16, {n, n});
    run(device,
        launch<narrow_sum_kernel>({}, TensorArgument{out}, TensorArgument{a}, TensorArgument{b}, ConstantArgument{n}));
    for (int i = 0; i < n * n; ++i) {
      double sum = 0;
      for (int l = 0; l < n; ++l) sum += get(a, i / n * n + l) * get(b, l * n + i % n);
      REQUIRE(get(out, i) == 2 * sum);  // few enough digits for fp16
    }
  }
}

TEST_CASE("printing kernels compute as others do") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor out = poisoned("out", DType::int32, {8});
    run(device, launch<printing_kernel>({2}, TensorArgument{out}, TextConstantArgument{"lanes"}, ConstantArgument{4}));
    for (int i = 0; i < 8; ++i) CHECK(get(out, i) == i);
  }
}

TEST_CASE("a GPU prints what the interpreter does, program by program") {
  if (std::string why; !cuda::available(&why)) {
    MESSAGE("skipped on cuda: " << why);
    return;
  }
  const Tensor out = poisoned("out", DType::int32, {8});
  const Launch l =
      launch<printing_kernel>({2}, TensorArgument{out}, TextConstantArgument{"lanes"}, ConstantArgument{4});
  CHECK(cuda::run({&l, 1}, cpu::facts_of).prints ==
        std::vector<std::string>{"lanes of 4", "pid (0, 0, 0) x = [0 0.5 1 1.5], 0",
                                 "offs = [4 5 6 7], mask = [True False False False]",
                                 "pid (1, 0, 0) x = [2 2.5 3 3.5], 1"});
}

}  // namespace tl::test::made_test
