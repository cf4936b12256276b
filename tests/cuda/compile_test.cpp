// The compiler needs the toolkit but no GPU; without the toolkit these tests say so.
#include "interp/cuda/host/compile.h"

#include <doctest/doctest.h>

#include "interp/cuda/host/known_resources.h"
#include "interp/lang/error.h"
#include "tests/cuda/environment.h"
#include "tests/cuda/gpu.h"

using namespace tl;

namespace {

Launch launch_of(const std::string& kernel, const std::string& source, std::int64_t size = 128) {
  const Tensor x{.name = "x", .dtype = DType::float32, .shape = {1000}, .strides = {1}};
  return {.kernel = kernel,
          .source = source,
          .grid = {},
          .options = {},
          .arguments = {TensorArgument{x}, IntArgument{1000}, ConstantArgument{size}},
          .on_cpu = {}};
}

Error error_of(const Launch& launch, const cuda::Target& target = {}) {
  try {
    cuda::compile(launch, test::no_dots, target);
  } catch (const Error& error) {
    return error;
  }
  return Error("compiled without an error");
}

}  // namespace

TEST_CASE_FIXTURE(test::Fixture, "compile: a kernel for sm_90a and sm_80 reports its threads and registers") {
  if (test::no_toolkit()) return;
  for (const char* arch : {"sm_90a", "sm_80"}) {
    const auto compiled = cuda::compile(launch_of("double_kernel", "kernels/good.h"), test::no_dots, {.arch = arch});
    CHECK(compiled->resources.threads == 128);
    CHECK(compiled->resources.registers > 0);
    CHECK(compiled->resources.stack_bytes == 0);
    CHECK(compiled->cubin.substr(1, 3) == "ELF");
    CHECK(compiled->ptx.find(std::string(".target ") + arch) != std::string::npos);
  }
}

TEST_CASE_FIXTURE(test::Fixture, "compile: a stack frame and the largest shared memory report are seen") {
  if (test::no_toolkit()) return;
  const auto r = cuda::compile(launch_of("large_kernel", "kernels/good.h", 65536), test::no_dots)->resources;
  CHECK(r.stack_bytes >= 64);
  CHECK(r.dynamic_shared_bytes == 65536);
}

TEST_CASE_FIXTURE(test::Fixture, "compile: a kernel is compiled once, and left on disk for the next process") {
  if (test::no_toolkit()) return;
  const auto launch = launch_of("double_kernel", "kernels/good.h", 256);
  const auto first = cuda::compile(launch, test::no_dots);
  CHECK_FALSE(first->from_cache);
  CHECK(cuda::compile(launch, test::no_dots) == first);
  auto twin = launch;  // the same types, and 8 divides it, too: nothing new to compile
  twin.arguments[1] = IntArgument{3000};
  CHECK(cuda::compile(twin, test::no_dots) == first);
  REQUIRE(cuda::known_resources(launch, {}));
  CHECK(cuda::known_resources(launch, {})->registers == first->resources.registers);
}

TEST_CASE_FIXTURE(test::Fixture, "compile: an unknown op is reported in the compiler's words at its line and column") {
  if (test::no_toolkit()) return;
  CHECK(std::string(error_of(launch_of("unknown_op_kernel", "kernels/wrong.h")).what()) ==
        "kernels/wrong.h:5: class \"tl::cuda::Context\" has no member \"arrange\"\n"
        "    auto lanes = tl.arrange(SIZE);\n"
        "                    ^");
}

TEST_CASE_FIXTURE(test::Fixture,
                  "compile: what the executor refuses is reported at the kernel's line, with a caret under the op") {
  if (test::no_toolkit()) return;
  CHECK(std::string(error_of(launch_of("assertion_kernel", "kernels/wrong.h", 100)).what()) ==
        "kernels/wrong.h:11: tl.arange: a block dimension must be a power of two, in tl.arange(100_c)\n"
        "    auto lanes = tl.arange(SIZE);\n"
        "                    ^");
}

TEST_CASE_FIXTURE(test::Fixture, "compile: a call that matches no op is told how it is called") {
  if (test::no_toolkit()) return;
  CHECK(std::string(error_of(launch_of("bad_call_kernel", "kernels/wrong.h")).what())
            .find("tl.arange takes where it begins and where it ends") != std::string::npos);
}

TEST_CASE_FIXTURE(test::Fixture, "compile: a kernel or a file that does not exist is named") {
  if (test::no_toolkit()) return;
  CHECK(std::string(error_of(launch_of("missing_kernel", "kernels/good.h")).what()).find("has no \"missing_kernel\"") !=
        std::string::npos);
  CHECK(std::string(error_of(launch_of("k", "kernels/missing.h")).what()) ==
        "there is no source file \"kernels/missing.h\"");
}

TEST_CASE_FIXTURE(test::Fixture,
                  "compile: a chip that is unknown or too old is refused, with those that can be chosen") {
  if (test::no_toolkit()) return;
  const auto launch = launch_of("double_kernel", "kernels/good.h");
  CHECK(std::string(error_of(launch, {.arch = "sm_75"}).what()) ==
        "sm_75 is too old: kernels need sm_80 (Ampere) or newer");
  CHECK(std::string(error_of(launch, {.arch = "sm90"}).what()) == "unknown arch \"sm90\"");
  CHECK(std::string(error_of(launch, {.arch = "sm_9000000000000"}).what()).find("sm_9000000000000") !=
        std::string::npos);
  CHECK(error_of(launch, {.arch = "hopper"}).fix.find("sm_90a") != std::string::npos);
}
