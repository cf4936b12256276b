// Pointers that move, tiles, descriptors, pipelines and atomics, on each device there is; expected values by plain
// loops.
#include <algorithm>
#include <array>
#include <cmath>

#include "interp/cpu/launch.h"
#include "tests/ops/every_device.h"
#include "tests/ops/memory_kernels.h"

namespace tl::test::memory_test {
namespace {

template <class K, class... A>
Launch launch(Grid grid, A... arguments) {
  return make_launch<K>("tests/ops/memory_kernels.h", grid, LaunchOptions{}, arguments...);
}

}  // namespace

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

TEST_CASE("rows and columns modulo a size, of either sign, are those that C's remainder gives") {
  constexpr int M = 32, N = 64;
  for (const Device& device : devices())
    for (const DType dtype : {DType::float32, DType::float16, DType::uint8})
      for (const auto& [first, rows, columns, stride] :
           {std::array{0, 16, 48, 112}, {160, 48, 32, 112}, {-160, 16, 48, 112}, {-5, 7, 33, 111}, {3, 40, 100, 113}}) {
        CAPTURE(device.name);
        CAPTURE(first);
        CAPTURE(columns);
        const Tensor in = tensor_of("in", dtype, {180, stride}, [](auto i) { return i * 7 % 61; });
        const Tensor out = poisoned("out", dtype, {M, N});
        run(device, launch<formula_kernel>({}, TensorArgument{out}, TensorArgument{in}, IntArgument{first},
                                           IntArgument{rows}, IntArgument{columns}, IntArgument{stride},
                                           ConstantArgument{M}, ConstantArgument{N}));
        for (int i = 0; i < M; ++i)
          for (int j = 0; j < N - 5; ++j) {
            const int at = (64 + (first + i) % rows) * stride + (first + j) % columns;
            const double expected = get(in, at) + (j < columns - 3 ? get(in, at + 2 * stride) : 0);
            CHECK(get(out, i * N + (j ^ 16)) == expected);
          }
      }
}

TEST_CASE("a variable of offsets modulo a size takes others in a loop") {
  constexpr int N = 64;
  for (const Device& device : devices())
    for (const int n : {16, 33}) {
      CAPTURE(device.name);
      CAPTURE(n);
      const Tensor in = tensor_of("in", DType::float32, {n}, [](auto i) { return i % 13; });
      const Tensor out = poisoned("out", DType::float32, {N});
      run(device, launch<assigned_formula_kernel>({}, TensorArgument{out}, TensorArgument{in}, IntArgument{4},
                                                  IntArgument{n}, ConstantArgument{N}));
      for (int i = 0; i < N; ++i) {
        double expected = 0;
        for (int step = 0; step < 4; ++step) expected += get(in, (i + 5 * step) % n);
        CHECK(get(out, i) == expected);
      }
    }
}

TEST_CASE("offsets divided, clamped, chosen and masked by bits are loaded at the places that plain loops give") {
  constexpr int N = 256;
  for (const Device& device : devices())
    for (const DType dtype : {DType::float32, DType::float16})
      for (const int n : {16, 64, 100, 333}) {
        CAPTURE(device.name);
        CAPTURE(n);
        const Tensor in = tensor_of("in", dtype, {2 * N}, [](auto i) { return i % 13; });
        const Tensor out = poisoned("out", dtype, {2 * N});
        run(device, launch<formula_operators_kernel>({2}, TensorArgument{out}, TensorArgument{in}, IntArgument{n},
                                                     ConstantArgument{N}));
        for (int i = 0; i < 2 * N; ++i) {
          const int at[] = {i / n, std::min(i, n), i < n ? i : 0, i & 63, (i >> 4) * 2, i, i};
          const int by[] = {1, 2, 3, 5, 7, 11, 13};
          double expected = 0;
          for (int k = 0; k < 7; ++k) expected += by[k] * get(in, at[k]);
          CHECK(get(out, i) == expected);
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

TEST_CASE("a loop loads each row once, in order, beside its scalar") {
  for (const Device& device : devices())
    for (int n : {32, 64, 100, 321}) {
      CAPTURE(device.name);
      CAPTURE(n);
      const int b = 32;
      const Tensor in = tensor_of("in", DType::float32, {n}, [](auto i) { return i % 5; });
      const Tensor out = poisoned("out", DType::float32, {b});
      run(device, launch<rows_in_turn_kernel>({}, TensorArgument{out}, TensorArgument{in}, IntArgument{n},
                                              ConstantArgument{b}));
      for (int j = 0; j < b; ++j) {
        double total = 0;
        for (int start = 0; start < n; start += b) total = total * 2 + (start + j < n ? (start + j) % 5 : 0) + start;
        REQUIRE(get(out, j) == total);
      }
    }
}

TEST_CASE("a loop loads rows of any dtype; lanes that the mask takes off get `other`") {
  for (const Device& device : devices())
    for (DType dtype : {DType::uint8, DType::float8e4nv, DType::float16, DType::float32, DType::float64, DType::int64})
      for (int other : {0, 3}) {
        CAPTURE(device.name);
        CAPTURE(name_of(dtype));
        const int n = 176 + (other ? 3 : 0), b = 64;  // 176: the tail ends where a copy does
        const Tensor in = tensor_of("in", dtype, {n}, [](auto i) { return i % 7; });
        const Tensor out = poisoned("out", DType::float32, {b});
        run(device, launch<filled_rows_kernel>({}, TensorArgument{out}, TensorArgument{in}, IntArgument{n},
                                               ConstantArgument{b}, ConstantArgument{other}));
        for (int j = 0; j < b; ++j) {
          double total = 0;
          for (int i = j; i < (n + b - 1) / b * b; i += b) total = total * 2 + (i < n ? i % 7 : other);
          REQUIRE(get(out, j) == total);
        }
      }
}

TEST_CASE("a loop loads a row beside a descriptor's tile") {
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

}  // namespace tl::test::memory_test
