// The host's part of a run, on the GPU where there is one, with an executor of a few lines (fixture/) in place of the
// real one.
#include "interp/cuda/host/run.h"

#include <doctest/doctest.h>

#include <atomic>

#include "interp/cuda/host/device.h"
#include "interp/lang/stop_scope.h"
#include "tests/cuda/environment.h"
#include "tests/cuda/gpu.h"

using namespace tl;

namespace {

Launch launch_of(const std::string& kernel, std::vector<Argument> arguments, Grid grid = {}) {
  Launch launch;
  launch.kernel = kernel;
  launch.source = "kernels/good.h";
  launch.grid = grid;
  launch.arguments = std::move(arguments);
  return launch;
}

Tensor counting(const std::string& name, DType dtype, std::vector<std::int64_t> shape,
                std::vector<std::int64_t> strides) {
  Tensor t = make_tensor(name, dtype, std::move(shape), std::move(strides));
  for (std::int64_t i = 0; i < t.storage_elems; ++i) set(t, i, static_cast<double>(i));
  return t;
}

std::string error_of_run(const Launch& launch) {
  try {
    cuda::run(std::span(&launch, 1), test::has_no_dots);
  } catch (const Error& error) {
    return error.what();
  }
  return "ran without an error";
}

}  // namespace

TEST_CASE_FIXTURE(test::Fixture, "run: every program runs once, on tensors that are copied there and back") {
  if (test::no_gpu()) return;
  const auto x = counting("x", DType::float32, {1000}, {1});
  const auto result =
      cuda::run({{launch_of("double_kernel", {TensorArgument{x}, IntArgument{1000}, ConstantArgument{128}}, {8})}},
                test::has_no_dots);
  CHECK(result.faults.empty());
  CHECK(result.programs == 8);
  for (int i = 0; i < 1000; ++i) REQUIRE(get(x, i) == 2 * i);
}

TEST_CASE_FIXTURE(test::Fixture, "run: each kind of argument arrives, ones and constants as types") {
  if (test::no_gpu()) return;
  const auto out = counting("out", DType::float64, {5}, {1});
  cuda::run({{launch_of("arguments_kernel",
                        {TensorArgument{out}, IntArgument{-7}, IntArgument{std::int64_t{1} << 40, DType::int64},
                         IntArgument{1}, FloatArgument{0.5}, ConstantArgument{1, true}})}},
            test::has_no_dots);
  CHECK(get(out, 0) == -7);
  CHECK(get(out, 1) == 0x1p40);
  CHECK(get(out, 2) == 1);
  CHECK(get(out, 3) == 0.5);
  CHECK(get(out, 4) == 1);
}

TEST_CASE_FIXTURE(
    test::Fixture,
    "run: a tensor that TMA cannot take sends every descriptor as an address, extents and strides, with a note") {
  if (test::no_gpu()) return;
  const auto out = counting("out", DType::float32, {5}, {1});
  const auto padded = counting("padded", DType::float32, {4, 6}, {7, 1}),
             mapped = counting("mapped", DType::float32, {64, 64}, {64, 1});
  const auto result = cuda::run(
      {{launch_of("descriptor_kernel",
                  {TensorArgument{out}, DescriptorArgument{padded, {4, 8}}, DescriptorArgument{mapped, {64, 64}}})}},
      test::has_no_dots);
  const double expected[] = {4, 6, 7, 1, 3};
  for (int i = 0; i < 5; ++i) CHECK(get(out, i) == expected[i]);
  REQUIRE(result.notes.size() == 1);
  CHECK(result.notes[0].find("its stride of 28 bytes is not a multiple of 16") != std::string::npos);
}

TEST_CASE_FIXTURE(test::Fixture, "run: a write just outside a tensor is found, and its element named") {
  if (test::no_gpu()) return;
  test::Variable guards("TILESCOPE_GUARDS", "1");
  for (const int step : {3, -2 - 1000}) {
    const auto x = counting("x", DType::float32, {1000}, {1});
    const auto result =
        cuda::run({{launch_of("outside_kernel", {TensorArgument{x}, IntArgument{1000}, ConstantArgument{step}})}},
                  test::has_no_dots);
    REQUIRE(result.faults.size() == 1);
    CHECK(result.faults[0].kind == FaultKind::out_of_bounds);
    CHECK(result.faults[0].tensor == "x");
    CHECK(result.faults[0].element == 1000 + step);
  }
}

TEST_CASE_FIXTURE(test::Fixture, "run: a launch that the chip cannot hold says what is too large") {
  if (test::no_gpu()) return;
  const auto x = counting("x", DType::float32, {1000}, {1});
  const std::vector<Argument> arguments = {TensorArgument{x}, IntArgument{1000}, ConstantArgument{1 << 20}};
  CHECK(error_of_run(launch_of("large_kernel", arguments)).find("needs 1048576 bytes of shared memory a program") !=
        std::string::npos);
  CHECK(error_of_run(launch_of("double_kernel", arguments, {1, 65536}))
            .find("is larger than 2147483647 x 65535 x 65535") != std::string::npos);
  CHECK(error_of_run(launch_of("double_kernel", arguments, {0})).find("is empty: 0 x 1 x 1 programs") !=
        std::string::npos);
}

TEST_CASE_FIXTURE(test::Fixture, "run: a tensor larger than the GPU's memory is named with its size") {
  if (test::no_gpu()) return;
  // No host memory behind it: it is refused before it would be copied.
  const Tensor huge{
      .name = "huge", .dtype = DType::float32, .shape = {1ll << 42}, .strides = {1}, .storage_elems = 1ll << 42};
  const auto error =
      error_of_run(launch_of("double_kernel", {TensorArgument{huge}, IntArgument{1000}, ConstantArgument{128}}));
  CHECK(error.find("tensor \"huge\" of 17592.2 GB does not fit on the GPU") != std::string::npos);
}

TEST_CASE_FIXTURE(test::Fixture, "run: programs_per_sm is what the threads of a small kernel allow") {
  if (test::no_gpu()) return;
  const auto x = counting("x", DType::float32, {1000}, {1});
  CHECK(cuda::programs_per_sm(launch_of("double_kernel", {TensorArgument{x}, IntArgument{1000}, ConstantArgument{128}}),
                              test::no_dots) >= 8);
}

// After these two a process can use the GPU no more: tests/gpu.sh runs each in a process of its own.
TEST_CASE_FIXTURE(test::Fixture, "run: an access far outside stops the kernel, which is named" * doctest::skip()) {
  if (test::no_gpu()) return;
  const auto x = counting("x", DType::float32, {1000}, {1});
  const auto result =
      cuda::run({{launch_of("outside_kernel", {TensorArgument{x}, IntArgument{1000}, ConstantArgument{1ll << 45}})}},
                test::has_no_dots);
  REQUIRE(result.faults.size() == 1);
  CHECK(result.faults[0].kind == FaultKind::out_of_bounds);
  CHECK(result.faults[0].headline.find("the GPU stopped outside_kernel") != std::string::npos);
}

TEST_CASE_FIXTURE(test::Fixture, "run: a kernel that never ends can be stopped" * doctest::skip()) {
  if (test::no_gpu()) return;
  const auto x = counting("x", DType::float32, {1000}, {1});
  const std::atomic<bool> stop = true;
  const auto launch = launch_of("endless_kernel", {TensorArgument{x}, IntArgument{1000}, ConstantArgument{128}});
  const StopScope scope(&stop);
  const auto result = cuda::run(std::span(&launch, 1), test::has_no_dots);
  REQUIRE(result.faults.size() == 1);
  CHECK(result.faults[0].kind == FaultKind::stopped);
}
