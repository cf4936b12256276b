// Every construct that the executors must treat alike, on each device there is; expected values by plain loops.
#include <algorithm>
#include <cmath>

#include "interp/cpu/launch.h"
#include "interp/sources/sources.h"
#include "tests/ops/construct_kernels.h"
#include "tests/ops/every_device.h"

namespace tl::test::construct_test {
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
  for (Turns turns(4); const Device& device : devices())
    for (DType dtype : {DType::uint8, DType::float16, DType::int32, DType::float64})
      for (auto [height, width] : {std::pair{16, 64}, {64, 16}, {1, 32}, {128, 2}}) {
        if (turns.leave_out(device)) continue;
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
      CHECK(get(out, 36) == (wide ? 7 : 0));
      CHECK(get(out, 39) == (wide ? 31 : -1));
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

}  // namespace tl::test::construct_test
