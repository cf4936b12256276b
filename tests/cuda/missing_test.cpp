// What is said where something is missing. Each case wants a process with an environment of its own: see
// CMakeLists.txt.
#include <doctest/doctest.h>

#include "interp/cuda/host/compile.h"
#include "interp/cuda/host/device.h"
#include "interp/cuda/host/run.h"
#include "interp/lang/error.h"

using namespace tl;

namespace {

// What every entrance says, `fact; fix`.
std::string why_not_available() {
  std::string why_not;
  CHECK_FALSE(cuda::available(&why_not));
  CHECK_THROWS_WITH_AS(cuda::run({}, {}), why_not.c_str(), Error);
  try {
    cuda::device_info();
  } catch (const Error& error) {
    CHECK(error.what() == why_not);
    return why_not + "; " + error.fix;
  }
  return "there is a GPU";
}

}  // namespace

TEST_CASE("no_driver: a machine without NVIDIA's driver is told what to install" * doctest::skip()) {
  CHECK(why_not_available() ==
        "no CUDA driver: libcuda.so.1 was not found; install NVIDIA's driver on a machine with a GPU, or use --device "
        "cpu");
}

TEST_CASE("no_gpu: a driver that finds no GPU is named" * doctest::skip()) {
  CHECK(why_not_available() ==
        "no GPU: the CUDA driver finds none; install NVIDIA's driver on a machine with a GPU, or use --device cpu");
}

TEST_CASE("too_old: a chip older than Ampere is refused by name" * doctest::skip()) {
  if (!cuda::toolkit_available()) return;  // which is then the first thing that is said
  CHECK(why_not_available() ==
        "Fake GPU is too old: kernels need compute capability 8.0 (Ampere) or newer; use --device cpu");
}

TEST_CASE("no_toolkit: a GPU without the toolkit is told what to install" * doctest::skip()) {
  const std::string expected =
      "no CUDA toolkit: its compiler NVRTC (/nonexistent) was not found; install CUDA 12.4 or newer and set CUDA_HOME, "
      "or use --device cpu";
  CHECK(why_not_available() == expected);
  CHECK_THROWS_WITH_AS(cuda::compile({}, {}), expected.substr(0, expected.find("; ")).c_str(), Error);
}
