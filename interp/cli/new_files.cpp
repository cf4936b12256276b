#include "interp/cli/new_files.h"

#include <fmt/format.h>

namespace tl::cli {
namespace {

namespace fs = std::filesystem;

// <name> stands for the kernel's.
constexpr const char* kernel_text = R"(// y = max(x, 0), element by element: a program takes BLOCK of them
// case: n=1000 BLOCK=64 x=f32[n]:normal y=out:f32[n] grid=cdiv(n, BLOCK)
// case: expect='y = maximum(x, 0)'
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct <name>_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto n, constexpr_ auto BLOCK) const {
    auto pid = tl.program_id(0);
    auto offs = pid * BLOCK + tl.arange(0, BLOCK);
    auto mask = offs < n;
    auto x = tl.load(x_ptr + offs, {.mask = mask});
    auto y = tl.maximum(x, 0);
    tl.store(y_ptr + offs, y, {.mask = mask});
  }
};

}  // namespace tl::kernels
)";

constexpr const char* triton_text = R"(# y = max(x, 0), element by element: a program takes BLOCK of them
# case: n=1000 BLOCK=64 x=f32[n]:normal y=out:f32[n] grid=cdiv(n, BLOCK)
# case: expect='y = maximum(x, 0)'
import triton
import triton.language as tl


@triton.jit
def <name>_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.maximum(x, 0)
    tl.store(y_ptr + offs, y, mask=mask)
)";

constexpr const char* test_text = R"(// <name>.h on the interpreter, and on a GPU where there is one.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
)"
                                  "#include \"<name>.h\"\n"
                                  R"(
#include <interp/testing/devices.h>

#include <algorithm>

using namespace tl;

namespace {

// Sizes around a block's, and dtypes.
void is_right_on(const testing::Device& device) {
  for (const DType dtype : {DType::float32, DType::float16})
    for (const int n : {1, 63, 64, 65, 1000}) {
      CAPTURE(n);
      const auto value = [](std::int64_t i) { return i % 7 - 3; };
      const Tensor x = testing::tensor_of("x", dtype, {n}, value), y = testing::poisoned("y", dtype, {n});
      testing::run(device, make_launch<kernels::<name>_kernel>("<name>.h", {.x = (n + 63) / 64}, {}, TensorArgument{x},
                                                              TensorArgument{y}, IntArgument{n}, ConstantArgument{64}));
      for (std::int64_t i = 0; i < n; ++i) CHECK(get(y, i) == std::max<std::int64_t>(value(i), 0));
    }
}

}  // namespace

TEST_CASE("interpreter: what is below zero becomes zero") { is_right_on(testing::interpreter()); }

TEST_CASE("gpu: what is below zero becomes zero") {
  if (const auto gpu = testing::gpu()) is_right_on(*gpu);
}
)";

constexpr const char* cmake_text = R"(cmake_minimum_required(VERSION 3.25)
project(<name> LANGUAGES CXX)

find_package(tilescope REQUIRED)  # where it was installed is told by -DCMAKE_PREFIX_PATH=$HOME/.local

add_executable(<name>_tests <name>_test.cpp)
target_link_libraries(<name>_tests PRIVATE tilescope::testing)

enable_testing()
add_test(NAME interpreter COMMAND <name>_tests --test-case=interpreter:*)
add_test(NAME gpu COMMAND <name>_tests --test-case=gpu:*)
set_tests_properties(gpu PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: ")
)";

std::string named(std::string text, const std::string& name) {
  constexpr std::string_view place = "<name>";
  for (std::size_t at; (at = text.find(place)) != std::string::npos;) text.replace(at, place.size(), name);
  return text;
}

// bin and build alike are a folder below.
fs::path parent_of_program() {
  std::error_code unknown;
  return fs::read_symlink("/proc/self/exe", unknown).parent_path().parent_path();
}

}  // namespace

NewFile new_kernel(const std::string& name) { return {name + ".h", named(kernel_text, name)}; }
NewFile new_triton_kernel(const std::string& name) { return {name + ".py", named(triton_text, name)}; }

std::vector<NewFile> new_project(const std::string& name) {
  return {new_kernel(name), {name + "_test.cpp", named(test_text, name)}, {"CMakeLists.txt", named(cmake_text, name)}};
}

// Where a kernel's #include leads: beside an installed program, or in the sources that it was built from.
NewFile new_clangd() {
  std::error_code unknown;
  for (const auto& folder : {parent_of_program() / "include/tilescope", parent_of_program()})
    if (fs::exists(folder / "interp/tl.h", unknown))
      return {".clangd", fmt::format("CompileFlags:\n  Add: [-xc++, -std=c++20, -Wno-pragma-once-outside-header, "
                                     "'-I{0}', -include, '{0}/interp/editor.h']\n",
                                     folder.string())};
  return {".clangd", ""};
}

std::string package_option() {
  std::error_code unknown;
  const fs::path folder = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  if (fs::exists(folder / "tilescopeConfig.cmake", unknown)) return "-Dtilescope_DIR=" + folder.string();
  return "-DCMAKE_PREFIX_PATH=" + folder.parent_path().string();
}

}  // namespace tl::cli
