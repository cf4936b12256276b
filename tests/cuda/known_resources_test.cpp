// What is remembered of compiled kernels, for which neither a toolkit nor a GPU is needed.
#include "interp/cuda/host/known_resources.h"

#include <doctest/doctest.h>

#include "tests/cuda/environment.h"

using namespace tl;

namespace {

Launch launch_with(std::int64_t constant, bool flag = false, int warps = 4) {
  const Tensor x{.name = "x", .dtype = DType::float32, .shape = {1000}, .strides = {1}};
  return {.kernel = "double_kernel",
          .source = "kernels/good.h",
          .grid = {},
          .options = {.num_warps = warps},
          .arguments = {TensorArgument{x}, IntArgument{1000}, ConstantArgument{constant}, ConstantArgument{flag, true}},
          .on_cpu = {}};
}
const cuda::Target h200{.arch = "sm_90a"}, a100{.arch = "sm_80"};
const cuda::Resources some{.registers = 100,
                           .spill_load_bytes = 8,
                           .static_shared_bytes = 1024,
                           .dynamic_shared_bytes = 98304,
                           .threads = 256,
                           .warnings = {}};

}  // namespace

TEST_CASE_FIXTURE(test::Fixture,
                  "known resources: those of a launch are its own: another constant, chip, number of warps or text "
                  "knows nothing of them") {
  cuda::keep_resources(launch_with(8), h200, some);
  const auto known = cuda::known_resources(launch_with(8), h200);
  REQUIRE(known);
  CHECK(known->registers == 100);
  CHECK(known->spill_load_bytes == 8);
  CHECK(known->static_shared_bytes + known->dynamic_shared_bytes == 1024 + 98304);
  CHECK(known->threads == 256);
  CHECK_FALSE(cuda::known_resources(launch_with(9), h200));
  CHECK_FALSE(cuda::known_resources(launch_with(8), a100));
  CHECK_FALSE(cuda::known_resources(launch_with(8, false, 8), h200));
  sources::use_built_in_sources();
  sources::use_sources_from(folder.path);
  CHECK_THROWS(cuda::known_resources(launch_with(8), h200));  // its text is gone
}

TEST_CASE_FIXTURE(test::Fixture, "known resources: another toolkit has compiled nothing yet") {
  cuda::keep_resources(launch_with(8), h200, some);
  test::Variable another("TILESCOPE_NVRTC", folder.path + "/libnvrtc.so.14");
  CHECK_FALSE(cuda::known_resources(launch_with(8), h200));
}
