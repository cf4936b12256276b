// What the interpreter computes follows from the kernel, the launch and the chip, never from what was compiled before.
#include "interp/run/arithmetic.h"

#include <doctest/doctest.h>

#include "interp/cuda/host/known_resources.h"
#include "interp/run/cuda_config.h"
#include "interp/run/kernel_case.h"
#include "tests/cuda/environment.h"

using namespace tl;
using namespace tl::run;

namespace {

rules::Matrix matrix_of(const Launch& launch) {
  cpu::RunOptions options;
  Arithmetic().apply(options, launch);
  return options.dots.matrix;
}

}  // namespace

TEST_CASE_FIXTURE(test::EmptyCache,
                  "arithmetic: a dot rounds alike before and after the kernel was compiled in one role") {
  const Case c = make_case({"promoted_matmul", {"m=128", "n=128", "k=128"}});
  const Launch& launch = c.instance.launches.front();
  const machine::Device h200 = machine::find_device("h200");
  const rules::Matrix before = matrix_of(launch);
  const machine::CudaConfig config = cuda_config_of(launch, h200);
  cuda::keep_resources(launch, {.arch = "sm_90a"}, {.registers = 100, .threads = 128, .warnings = {}});
  CHECK(matrix_of(launch) == before);
  CHECK(cuda_config_of(launch, h200).matrix == config.matrix);
  CHECK(cuda_config_of(launch, h200).copies_ahead == config.copies_ahead);
}
