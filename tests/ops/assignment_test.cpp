// What may be assigned to a variable may be so on each device there is; expected values by plain loops.
#include <algorithm>
#include <cmath>

#include "interp/cpu/launch.h"
#include "tests/ops/assignment_kernels.h"
#include "tests/ops/every_device.h"

namespace tl::test::assignment_test {
namespace {

template <class K, class... A>
Launch launch(A... arguments) {
  return make_launch<K>("tests/ops/assignment_kernels.h", {}, LaunchOptions{}, arguments...);
}

constexpr int untouched = static_cast<int>(0xA5A5A5A5);

}  // namespace

TEST_CASE("assignment: offsets step through a loop, their mask narrowed each turn") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const int n = 64, steps = 3;
    const Tensor in = tensor_of("in", DType::float32, {steps * n}, [](auto i) { return i; });
    const Tensor out = poisoned("out", DType::float32, {n});
    run(device, launch<stepped_offsets_kernel>(TensorArgument{out}, TensorArgument{in}, IntArgument{steps},
                                               ConstantArgument{n}));
    for (int lane = 0; lane < n; ++lane) {
      int expected = 0;
      for (int i = 0, at = lane; i < steps; ++i, at += n)
        if (at < steps * n - 3 && at > i) expected += at;
      CHECK(get(out, lane) == expected);
    }
  }
}

TEST_CASE("assignment: offsets take sums, products, remainders and loaded values, and pointers another order") {
  for (const Device& device : devices())
    for (int arg : {1, 7, 16}) {
      CAPTURE(device.name);
      CAPTURE(arg);
      const int n = 8;
      const Tensor in = tensor_of("in", DType::int32, {n}, [&](auto i) { return (i * 3 + 1) % 8 + arg; });
      const Tensor out = poisoned("out", DType::int32, {5 * n});
      run(device, launch<changed_offsets_kernel>(TensorArgument{out}, TensorArgument{in}, IntArgument{arg},
                                                 ConstantArgument{n}));
      for (int i = 0; i < n; ++i) {
        const int x = -(i + 1 + arg) * 2;
        CHECK(get(out, i) == x);
        CHECK(get(out, n + i) == x % 4);
        CHECK(get(out, 2 * n + i) == get(in, (i * 3 + 1) % 8));
        CHECK(get(out, 3 * n + i) == 4 * i + 9);
        CHECK(get(out, 4 * n + i) == n - 1 - i);
      }
    }
}

TEST_CASE("assignment: masks are widened, inverted and replaced") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const int n = 8;
    const Tensor out = poisoned("out", DType::int32, {4 * n});
    run(device, launch<changed_masks_kernel>(TensorArgument{out}, IntArgument{3}, ConstantArgument{n}));
    for (int i = 0; i < n; ++i) {
      const bool ends = i < 3 || i > 5;
      CHECK(get(out, i) == (ends ? i : untouched));
      CHECK(get(out, n + i) == (ends ? untouched : i));
      CHECK(get(out, 2 * n + i) == (!ends != (i > 4) ? i : untouched));
      CHECK(get(out, 3 * n + i) == ((i % 2 == 0 && i > 3) || i == 0));
    }
  }
}

TEST_CASE("assignment: what begins as an int argument or its multiple may change, at every value") {
  for (const Device& device : devices())
    for (int n : {1, 7, 16}) {
      CAPTURE(device.name);
      CAPTURE(n);
      const Tensor in = tensor_of("in", DType::int32, {20}, [](auto i) { return 100 + i; });
      const Tensor out = poisoned("out", DType::int32, {6});
      run(device, launch<changed_scalars_kernel>(TensorArgument{out}, TensorArgument{in}, IntArgument{n}));
      CHECK(get(out, 0) == n);
      CHECK(get(out, 1) == 2 * n + 1);
      CHECK(get(out, 2) == std::min((n + 3) / 4, 3));
      CHECK(get(out, 3) == (n + 2) / 3);
      CHECK(get(out, 4) == n);
      CHECK(get(out, 5) == 202 + n);
    }
}

TEST_CASE("assignment: a scalar takes a literal in its own dtype") {
  for (const Device& device : devices())
    for (int n : {1, 7, 16}) {
      CAPTURE(device.name);
      CAPTURE(n);
      const Tensor out = poisoned("out", DType::float32, {6});
      run(device, launch<assigned_literals_kernel>(TensorArgument{out}, IntArgument{n}, FloatArgument{9.0f},
                                                   ConstantArgument{32}));
      const double expected[] = {-1, 5, 3, 0.25, -INFINITY, 32 + 3 + 4 + 5};
      for (int i = 0; i < 6; ++i) CHECK(get(out, i) == expected[i]);
    }
}

TEST_CASE("assignment: a literal that would change a variable's dtype or shape, or does not fit, is refused") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const auto says = [&]<class K>(K, DType dtype, const char* text) {
      const Tensor out = poisoned("out", dtype, {8});
      const std::string words = refusal(device, launch<K>(TensorArgument{out}, IntArgument{4}));
      CHECK_MESSAGE(words.find(text) != std::string::npos, words);
    };
    says(float_to_int_kernel{}, DType::int32, "dtype");
    says(int_to_bool_kernel{}, DType::int32, "dtype");
    says(large_to_byte_kernel{}, DType::uint8, "300");
    says(literal_to_block_kernel{}, DType::float32, "shape");
  }
}

TEST_CASE("an int argument is an int32 beside bytes, at 1 too") {
  for (const Device& device : devices())
    for (int n : {1, 7, 16}) {
      CAPTURE(device.name);
      const Tensor in = tensor_of("in", DType::uint8, {8}, [](auto i) { return 248 + i; });
      const Tensor out = poisoned("out", DType::int32, {8});
      run(device,
          launch<strong_argument_kernel>(TensorArgument{out}, TensorArgument{in}, IntArgument{n}, ConstantArgument{8}));
      for (int i = 0; i < 8; ++i) CHECK(get(out, i) == 248 + i + n);
    }
}

TEST_CASE("assignment: offsets change beside a pipeline of pointers' tiles") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const int n = 100, block = 32;
    const Tensor in = tensor_of("in", DType::float32, {n}, [](auto i) { return i; });
    const Tensor out = poisoned("out", DType::float32, {block});
    run(device, launch<changed_beside_tiles_kernel>(TensorArgument{out}, TensorArgument{in}, IntArgument{n},
                                                    ConstantArgument{block}));
    for (int i = 0; i < block; ++i) {
      int expected = 0;
      for (int start = 0; start < n; start += block)
        expected = expected * 2 + (start + (i ^ 1) < n ? start + (i ^ 1) : 0) + start;
      CHECK(get(out, i) == expected);
    }
  }
}

}  // namespace tl::test::assignment_test
