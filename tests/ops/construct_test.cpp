// Every construct that the executors must treat alike, on each device there is; expected values by plain loops.
#include <algorithm>
#include <cmath>

#include "interp/cpu/launch.h"
#include "interp/sources/sources.h"
#include "tests/ops/construct_kernels.h"
#include "tests/ops/every_device.h"

using namespace tl;
using namespace tl::test;

namespace {

constexpr const char* source = "tests/ops/construct_kernels.h";

template <class K, class... A>
Launch launch(Grid grid, A... arguments) {
  return make_launch<K>(source, grid, LaunchOptions{}, arguments...);
}

// The devices have told where the texts are.
std::string source_line(int number) { return std::string(sources::source_line(source, number)); }

}  // namespace

TEST_CASE("constants: 4_c - STAGE sizes a block in a helper") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor out = poisoned("out", DType::int32, {16});
    run(device, launch<constant_arithmetic_kernel>({}, TensorArgument{out}, ConstantArgument{2}));
    for (int i = 0; i < 8; ++i) CHECK(get(out, i) == i);
    CHECK(get(out, 8) == static_cast<int>(0xA5A5A5A5));
  }
}

TEST_CASE("constants: tl.minimum, tl.maximum and tl.static_if of constants size a block, and ?: counts") {
  for (const Device& device : devices())
    for (const auto& [a, b] : {std::pair{8, 4}, std::pair{4, 8}}) {
      CAPTURE(device.name);
      const Tensor out = poisoned("out", DType::int32, {32});
      run(device, launch<constant_choice_kernel>({}, TensorArgument{out}, IntArgument{5}, ConstantArgument{a},
                                                 ConstantArgument{b}));
      for (int i = 0; i < 8; ++i) {
        CHECK(get(out, i) == (i < 4 ? i + a : i));
        CHECK(get(out, 16 + i) == i);
      }
      CHECK(get(out, 8) == static_cast<int>(0xA5A5A5A5));
    }
}

TEST_CASE("split: the halves of the columns, by shape(M, 2_c, N / 2_c)") {
  for (const Device& device : devices())
    for (int n : {4, 32, 128}) {
      CAPTURE(device.name);
      CAPTURE(n);
      const int m = 16;
      const Tensor in = tensor_of("in", DType::float32, {m, n}, [](auto i) { return i; });
      const Tensor out = poisoned("out", DType::float32, {m, n});
      run(device, launch<split_halves_kernel>({}, TensorArgument{out}, TensorArgument{in}, ConstantArgument{m},
                                              ConstantArgument{n}));
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) REQUIRE(get(out, i * n + j) == get(in, i * n + (j + n / 2) % n));
    }
}

TEST_CASE("split, join, permute and reshape return to the same block") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor in = tensor_of("in", DType::int32, {32, 64}, [](auto i) { return i * 7 - 3; });
    const Tensor out = poisoned("out", DType::int32, {32, 64});
    run(device, launch<round_trip_kernel>({}, TensorArgument{out}, TensorArgument{in}, ConstantArgument{32},
                                          ConstantArgument{64}));
    for (int i = 0; i < 32 * 64; ++i) REQUIRE(get(out, i) == get(in, i));
  }
}

TEST_CASE("trans: rows become columns, over dtypes and oblong shapes") {
  for (const Device& device : devices())
    for (DType dtype : {DType::uint8, DType::float16, DType::int32, DType::float64})
      for (auto [height, width] : {std::pair{16, 64}, {64, 16}, {1, 32}, {128, 2}}) {
        const int m = height, n = width;  // clang 14 captures no structured binding
        CAPTURE(device.name);
        CAPTURE(name_of(dtype));
        CAPTURE(m);
        const Tensor in = tensor_of("in", dtype, {m, n}, [](auto i) { return i % 251; });
        const Tensor out = poisoned("out", dtype, {n, m});
        run(device, launch<transpose_kernel>({}, TensorArgument{out}, TensorArgument{in}, ConstantArgument{m},
                                             ConstantArgument{n}));
        for (int i = 0; i < m; ++i)
          for (int j = 0; j < n; ++j) REQUIRE(get(out, j * m + i) == (i * n + j) % 251);
      }
}

TEST_CASE("if: a reduced scalar decides, program by program") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor in = tensor_of("in", DType::float32, {4, 64}, [](auto i) { return i / 64 % 2 ? -1.5 : 2.5; });
    const Tensor out = poisoned("out", DType::float32, {4, 64});
    run(device, launch<branch_on_scalar_kernel>({4}, TensorArgument{out}, TensorArgument{in}, ConstantArgument{64}));
    for (int i = 0; i < 256; ++i) REQUIRE(get(out, i) == std::fabs(get(in, i)));
  }
}

TEST_CASE("helpers two deep pass constants and values") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor out = poisoned("out", DType::int32, {32});
    run(device, launch<helpers_kernel>({}, TensorArgument{out}, ConstantArgument{32}));
    for (int i = 0; i < 32; ++i) CHECK(get(out, i) == i * 3 + 7);
  }
}

TEST_CASE("names bound from a tuple reach a lambda; swizzle2d visits every tile once") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const int rows = 5, cols = 4, n = 4;
    const Tensor out = poisoned("out", DType::int32, {rows * cols, n});
    run(device, launch<tuple_kernel>({rows * cols}, TensorArgument{out}, IntArgument{rows}, IntArgument{cols},
                                     ConstantArgument{n}));
    // By hand for groups of 2: columns of two, the last group of one row.
    const int expected[] = {0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15, 16, 17, 18, 19};
    for (int i = 0; i < rows * cols; ++i) CHECK(get(out, i * n + 3) == expected[i]);
  }
}

TEST_CASE("a block of pointers is carried through a loop") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor in = tensor_of("in", DType::float32, {5, 48}, [](auto i) { return i % 17; });
    const Tensor out = poisoned("out", DType::float32, {32});
    run(device, launch<carried_pointer_kernel>({}, TensorArgument{out}, TensorArgument{in}, IntArgument{5},
                                               IntArgument{48}, ConstantArgument{32}));
    for (int j = 0; j < 32; ++j) {
      double total = 0;
      for (int i = 0; i < 5; ++i) total += get(in, i * 48 + j) * i;
      CHECK(get(out, j) == total);
    }
  }
}

TEST_CASE("a pointer moves to another tensor, in a branch and in a loop") {
  for (const Device& device : devices())
    for (int turns : {0, 1, 9}) {
      CAPTURE(device.name);
      CAPTURE(turns);
      const int n = 8;
      const Tensor a = tensor_of("a", DType::int32, {n}, [](auto i) { return i; }),
                   b = tensor_of("b", DType::int32, {n}, [](auto i) { return 2 * i + 1; });
      const Tensor out = poisoned("out", DType::int32, {2 * n});
      run(device, launch<moved_pointer_kernel>({2}, TensorArgument{out}, TensorArgument{a}, TensorArgument{b},
                                               IntArgument{turns}, ConstantArgument{n}));
      for (int i = 0; i < 2 * n; ++i) {
        double total = 0;
        for (int turn = 0; turn <= turns; ++turn)
          total = std::fmod(total * 10 + get((turn + i / n) % 2 ? b : a, i % n), 4294967296.0);
        CHECK(static_cast<std::uint32_t>(static_cast<std::int32_t>(get(out, i))) == static_cast<std::uint32_t>(total));
      }
    }
}

TEST_CASE("pointers and counts take steps that divide nothing, declared from multiple_of(x, 1_c)") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor in = tensor_of("in", DType::float32, {16, 37}, [](auto i) { return i % 19; });
    const Tensor out = poisoned("out", DType::float32, {32});
    run(device, launch<odd_step_kernel>({}, TensorArgument{out}, TensorArgument{in}, IntArgument{16}, IntArgument{37},
                                        ConstantArgument{32}));
    for (int j = 0; j < 32; ++j) {
      double total = 0;
      for (int i = 0; i < 16; ++i) total += get(in, i * 37 + j) * (16 - i);
      CHECK(get(out, j) == total);
    }
  }
}

TEST_CASE("an int argument is as good a value when it is 1, or a multiple of 16") {
  for (const Device& device : devices())
    for (int n : {1, 3, 16}) {
      CAPTURE(device.name);
      CAPTURE(n);
      const Tensor in = tensor_of("in", DType::float32, {128}, [](auto i) { return i; }),
                   out = poisoned("out", DType::float32, {16});
      run(device, launch<int_argument_kernel>({}, TensorArgument{out}, TensorArgument{in}, IntArgument{n}));
      CHECK(get(out, 0) == n / 2.0);
      CHECK(get(out, 1) == n + std::min(n, 5) + std::max(3, n) + std::clamp(n, 2, 4) + n);
      CHECK(get(out, 2) == n * n + n + (n + 1) / 2 + (n > 2 ? n : 9));
      CHECK(get(out, 3) == std::exp2(n));
      CHECK(get(out, 4) == 1);
      for (int i = 0; i < 8; ++i) CHECK(get(out, 8 + i) == i * n + n);
    }
}

TEST_CASE("a float argument is an f32 scalar; inf is a literal; hints and print_if leave the values alone") {
  for (const Device& device : devices())
    for (const double scale : {0.1, -3.0}) {
      CAPTURE(device.name);
      const int n = 13, block = 16;
      const Tensor in = tensor_of("in", DType::float32, {n}, [](auto i) { return i + 0.5; }),
                   out = poisoned("out", DType::float32, {block + 2});
      run(device, launch<float_argument_kernel>({}, TensorArgument{out}, TensorArgument{in},
                                                FloatArgument{static_cast<float>(scale)}, IntArgument{n},
                                                ConstantArgument{block}));
      for (int i = 0; i < block; ++i)
        CHECK(out.as<float>()[i] == (i < n ? (static_cast<float>(i) + 0.5f) * static_cast<float>(scale) : INFINITY));
      CHECK(out.as<float>()[block] == static_cast<float>(scale));
      CHECK(out.as<float>()[block + 1] == 12.5f / static_cast<float>(scale));
    }
}

TEST_CASE("block pointers: both axes checked, nothing outside the tensor is touched") {
  for (const Device& device : devices())
    for (auto [height, width] : {std::pair{16, 16}, {13, 29}, {33, 7}}) {
      const int m = height, n = width;
      CAPTURE(device.name);
      CAPTURE(m);
      const int b = 16;
      const Tensor in = tensor_of("in", DType::float32, {m, n}, [](auto i) { return i % 101; });
      const Tensor out = poisoned("out", DType::float32, {m, n});
      run(device, launch<block_pointer_kernel>({(m + b - 1) / b}, TensorArgument{out}, TensorArgument{in},
                                               IntArgument{m}, IntArgument{n}, ConstantArgument{b}));
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) REQUIRE(get(out, i * n + j) == get(in, i * n + j) + j / b * b);
    }
}

TEST_CASE("descriptors: tiles at the edges read zeros and store only inside") {
  for (const Device& device : devices())
    for (auto [height, width] : {std::pair{64, 64}, {50, 72}, {7, 40}}) {
      const int m = height, n = width;
      CAPTURE(device.name);
      CAPTURE(m);
      const int b = 32;
      const Tensor in = tensor_of("in", DType::float16, {m, n}, [](auto i) { return i % 97; });
      const Tensor out = poisoned("out", DType::float16, {m, n});
      run(device, launch<descriptor_kernel>({(m + b - 1) / b, (n + b - 1) / b}, DescriptorArgument{out, {b, b}},
                                            DescriptorArgument{in, {b, b}}, ConstantArgument{b}));
      for (int i = 0; i < m * n; ++i) REQUIRE(get(out, i) == i % 97 * 2);
    }
}

TEST_CASE("pipelined: each tile once, in order, beside its scalar") {
  for (const Device& device : devices())
    for (int n : {32, 64, 100, 321}) {
      CAPTURE(device.name);
      CAPTURE(n);
      const int b = 32;
      const Tensor in = tensor_of("in", DType::float32, {n}, [](auto i) { return i % 5; });
      const Tensor out = poisoned("out", DType::float32, {b});
      run(device,
          launch<pipelined_kernel>({}, TensorArgument{out}, TensorArgument{in}, IntArgument{n}, ConstantArgument{b}));
      for (int j = 0; j < b; ++j) {
        double total = 0;
        for (int start = 0; start < n; start += b) total = total * 2 + (start + j < n ? (start + j) % 5 : 0) + start;
        REQUIRE(get(out, j) == total);
      }
    }
}

TEST_CASE("pipelined: a tile of one axis, over dtypes; lanes that the mask takes off get `other`") {
  for (const Device& device : devices())
    for (DType dtype : {DType::uint8, DType::float8e4nv, DType::float16, DType::float32, DType::float64, DType::int64})
      for (int other : {0, 3}) {
        CAPTURE(device.name);
        CAPTURE(name_of(dtype));
        const int n = 176 + (other ? 3 : 0), b = 64;  // 176: the tail ends where a copy does
        const Tensor in = tensor_of("in", dtype, {n}, [](auto i) { return i % 7; });
        const Tensor out = poisoned("out", DType::float32, {b});
        run(device, launch<pipelined_row_kernel>({}, TensorArgument{out}, TensorArgument{in}, IntArgument{n},
                                                 ConstantArgument{b}, ConstantArgument{other}));
        for (int j = 0; j < b; ++j) {
          double total = 0;
          for (int i = j; i < (n + b - 1) / b * b; i += b) total = total * 2 + (i < n ? i % 7 : other);
          REQUIRE(get(out, j) == total);
        }
      }
}

TEST_CASE("pipelined: a tile of one axis beside a descriptor's") {
  for (const Device& device : devices())
    for (int n : {64, 200}) {
      CAPTURE(device.name);
      CAPTURE(n);
      const int m = 64, b = 32;
      const Tensor in = tensor_of("in", DType::float16, {m, n}, [](auto i) { return i % 11; });
      const Tensor scales = tensor_of("scales", DType::float32, {n}, [](auto i) { return i % 5 - 2; });
      const Tensor out = poisoned("out", DType::float32, {m, b});
      run(device, launch<scaled_columns_kernel>({2}, TensorArgument{out}, DescriptorArgument{in, {m / 2, b}},
                                                TensorArgument{scales}, IntArgument{n}, ConstantArgument{m / 2},
                                                ConstantArgument{b}));
      for (int i = 0; i < m * b; ++i) {
        double total = 0;
        for (int j = i % b; j < n; j += b) total += get(in, i / b * n + j) * get(scales, j);
        REQUIRE(get(out, i) == total);
      }
    }
}

TEST_CASE("logical not: of masks, blocks and scalars") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const int n = 20, size = 32;
    const Tensor in = tensor_of("in", DType::int32, {size}, [](auto i) { return i % 5; });
    const Tensor out = tensor_of("out", DType::int32, {2 * size}, [](auto) { return -1; });
    run(device, launch<logical_not_kernel>({}, TensorArgument{out}, TensorArgument{in}, IntArgument{n},
                                           ConstantArgument{size}));
    for (int i = 0; i < size; ++i) {
      if (i > 0) CHECK(get(out, i) == !(i < n) + !(i % 5 > 2) * 2 + !(i % 5) * 4);
      CHECK(get(out, size + i) == (i < n ? -1 : i));
    }
    CHECK(get(out, 0) == 0);
  }
}

// After it a process can use the GPU no more: tests/gpu.sh runs it in a process of its own.
TEST_CASE("device_assert: a failing one names line, program, lane and text" * doctest::skip()) {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor out = poisoned("out", DType::int32, {128});
    const auto faults =
        device.run(launch<assertion_kernel>({4}, TensorArgument{out}, IntArgument{100}, ConstantArgument{32}));
    if (device.compiles) continue;
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].kind == FaultKind::assertion);
    CHECK(faults[0].program.x == 3);
    CHECK(faults[0].lane >= 4);
    CHECK((faults[0].headline + faults[0].detail).find("offs stay below n") != std::string::npos);
    CHECK(std::string(faults[0].site.file).ends_with("tests/ops/construct_kernels.h"));
    CHECK(source_line(faults[0].site.line).find("tl.device_assert(offs < n") != std::string::npos);
  }
}

TEST_CASE("static_if instantiates one branch, static_for counts in constants") {
  for (const Device& device : devices())
    for (bool wide : {false, true}) {
      CAPTURE(device.name);
      CAPTURE(wide);
      const Tensor out = tensor_of("out", DType::int32, {40}, [](auto) { return -1; });
      run(device, launch<static_if_kernel>({}, TensorArgument{out}, ConstantArgument{wide, true}));
      for (int i = 0; i < 32; ++i) CHECK(get(out, i) == (i < (wide ? 32 : 8) ? i + 1 : -1));
      for (int i = 0; i < 3; ++i) CHECK(get(out, 32 + i) == i * 10);
    }
}

TEST_CASE("atomic_add: programs and lanes that meet in one element all count") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const int n = 10007, bins = 7;
    const Tensor in = tensor_of("in", DType::int32, {n}, [](auto i) { return i * i % bins; });
    const Tensor counts = tensor_of("counts", DType::int32, {bins}, [](auto) { return 0; });
    run(device, launch<atomic_kernel>({(n + 255) / 256}, TensorArgument{counts}, TensorArgument{in}, IntArgument{n},
                                      ConstantArgument{256}));
    int expected[bins] = {};
    for (std::int64_t i = 0; i < n; ++i) ++expected[i * i % bins];
    for (int b = 0; b < bins; ++b) CHECK(get(counts, b) == expected[b]);
  }
}

TEST_CASE("rand: Philox's published answers, and the same numbers whatever the block") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor u4 = poisoned("uniform", DType::float32, {64}), i4 = poisoned("integers", DType::int32, {64});
    const Tensor u64 = poisoned("uniform", DType::float32, {64}), i64 = poisoned("integers", DType::int32, {64});
    run(device,
        launch<random_kernel>({16}, TensorArgument{u4}, TensorArgument{i4}, IntArgument{0}, ConstantArgument{4}));
    run(device,
        launch<random_kernel>({1}, TensorArgument{u64}, TensorArgument{i64}, IntArgument{0}, ConstantArgument{64}));
    CHECK(i4.as<std::uint32_t>()[0] == 0x6627e8d5u);  // Random123's known answer for counter 0, key 0
    CHECK(i4.as<std::uint32_t>()[1] == 0xf8e4cca4u);  // and for counter 1
    for (int i = 0; i < 64; ++i) {
      CHECK(get(i4, i) == get(i64, i));
      CHECK(get(u4, i) == get(u64, i));
      const double x = get(i4, i) < 0 ? -get(i4, i) - 1 : get(i4, i);
      CHECK(u4.as<float>()[i] == static_cast<float>(x) * 4.6566127342e-10f);
    }
  }
}

TEST_CASE("a branch that would change a block's shape is refused") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor out = poisoned("out", DType::int32, {32});
    CHECK(refusal(device, launch<reshaping_branch_kernel>({}, TensorArgument{out}, IntArgument{1})) != "");
  }
}

TEST_CASE("a block dimension that is no power of two is refused, and named") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor out = poisoned("out", DType::int32, {32});
    const std::string words = refusal(device, launch<odd_block_kernel>({}, TensorArgument{out}, ConstantArgument{24}));
    CAPTURE(words);
    CHECK(words.find("power of two") != std::string::npos);
  }
}

TEST_CASE("an assignment that would change a dtype is refused") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor out = poisoned("out", DType::int32, {16});
    CHECK(refusal(device, launch<changed_dtype_kernel>({}, TensorArgument{out})) != "");
  }
}
