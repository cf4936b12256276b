// Which element a program's lane means: by its place in the grid, by pointers and masks that broadcast, by block
// pointers, by descriptors. Expected values: row-major offsets, written out.
#include <cmath>

#include "interp/cpu/launch.h"
#include "tests/ops/addressing_kernels.h"
#include "tests/ops/every_device.h"

namespace tl::test::addressing_test {
namespace {

template <class K, class... A>
Launch launch(Grid grid, A... arguments) {
  return make_launch<K>("tests/ops/addressing_kernels.h", grid, LaunchOptions{}, arguments...);
}

}  // namespace

TEST_CASE("grids of three axes: every program knows where it is") {
  const int x = 3, y = 2, z = 4;
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor out = poisoned("out", DType::int32, {x * y * z});
    run(device, launch<grid_kernel>({x, y, z}, TensorArgument{out}));
    for (int i = 0; i < x * y * z; ++i) CHECK(get(out, i) == i % x + i / x % y * 10 + i / x / y * 100 + z * 1000);
  }
}

TEST_CASE("loads and stores of one address, with masks and others that broadcast") {
  const int m = 4, n = 16, known = 11;
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor in = tensor_of("in", DType::int32, {m, n}, [](auto i) { return i + 5; });
    const Tensor out = poisoned("out", DType::int32, {4 * m * n + 2});
    run(device, launch<load_forms_kernel>({}, TensorArgument{out}, TensorArgument{in}, IntArgument{known},
                                          ConstantArgument{m}, ConstantArgument{n}));
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        const int at = i * n + j;
        CHECK(get(out, at) == (i < 3 ? at + 5 : -1) + 5);
        CHECK(get(out, m * n + at) == (j < known ? at + 5 : j));
        CHECK(get(out, 2 * m * n + at) == 7 + i);
        CHECK(get(out, 3 * m * n + at) == i + 5);
      }
    CHECK(get(out, 4 * m * n) == 10);
    CHECK(get(out, 4 * m * n + 1) == static_cast<int>(0xA5A5A5A5));
  }
}

TEST_CASE("block pointers: one to three axes, either order, each check and padding") {
  const int m = 6, n = 10, b = 8;
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor in = tensor_of("in", DType::float32, {m, n}, [](auto i) { return i; });
    const Tensor out = tensor_of("out", DType::float32, {3 * b * b + m * n}, [](auto) { return -1; });
    run(device, launch<block_pointer_forms_kernel>({}, TensorArgument{out}, TensorArgument{in}, IntArgument{m},
                                                   IntArgument{n}, ConstantArgument{b}));
    for (int i = 0; i < b; ++i)
      for (int j = 0; j < b; ++j) {
        const double x = get(out, i * b + j);
        CHECK((m - 4 + i < m ? x == (m - 4 + i) * n + j : std::isnan(x)));
        const bool inside = n - 3 + i < n && m - 5 + j < m;
        CHECK(get(out, b * b + i * b + j) == (inside ? (m - 5 + j) * n + n - 3 + i : 0));
      }
    for (int i = 0; i < b; ++i) CHECK(get(out, 2 * b * b + i) == (m * n - 6 + i < m * n ? m * n - 6 + i : 0));
    for (int i = 0; i < 16; ++i) {  // planes 1 and 2, of which there is no second; rows 0 and 1; columns from n - 2
      const int plane = 1 + i / 8, row = i / 4 % 2, col = n - 2 + i % 4;
      const double x = get(out, 2 * b * b + b + i);
      CHECK((plane < 2 && col < n ? x == (plane * (m / 2) + row) * n + col : std::isnan(x)));
    }
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) CHECK(get(out, 3 * b * b + i * n + j) == (i >= m - 4 && j >= n - 3 ? 5 : -1));
  }
}

TEST_CASE("descriptors of one axis and of three") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const int n = 50, b = 16, planes = 3, rows = 21, cols = 8;
    const Tensor line = tensor_of("line", DType::float32, {n}, [](auto i) { return i; }),
                 line_out = poisoned("out", DType::float32, {n});
    run(device, launch<line_descriptor_kernel>({(n + b - 1) / b}, DescriptorArgument{line_out, {b}},
                                               DescriptorArgument{line, {b}}, ConstantArgument{b}));
    for (int i = 0; i < n; ++i) REQUIRE(get(line_out, i) == i + 1);
    const Tensor cube = tensor_of("cube", DType::float32, {planes, rows, cols}, [](auto i) { return i; }),
                 cube_out = poisoned("out", DType::float32, {planes, rows, cols});
    run(device, launch<cube_descriptor_kernel>({(rows + b - 1) / b, planes}, DescriptorArgument{cube_out, {1, b, cols}},
                                               DescriptorArgument{cube, {1, b, cols}}, ConstantArgument{b}));
    for (int i = 0; i < planes * rows * cols; ++i) REQUIRE(get(cube_out, i) == i + 1);
  }
}

}  // namespace tl::test::addressing_test
