// Triton's Python as a kernel's file. Expected values: arithmetic by hand.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "interp/case/file_kernel.h"
#include "interp/cpu/run.h"
#include "interp/lang/error.h"

using namespace tl;

namespace {

const char* const twice =
    "# Twice what it holds.\n# case: n=6 x_ptr=f32[n]:iota z=out:f32[n] grid=cdiv(n,BLOCK)\n"
    "import triton\nimport triton.language as tl\nfrom helper import two\n"
    "@triton.autotune(configs=[triton.Config({'BLOCK': 4}, num_warps=8), triton.Config({'BLOCK': 8})], key=['n'])\n"
    "@triton.jit\ndef twice(x_ptr, z_ptr, n, BLOCK: tl.constexpr):\n"
    "    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    z_ptrs = z_ptr + offs\n"
    "    tl.store(z_ptrs, two(tl.load(x_ptr + offs, mask=offs < n)), mask=offs < n)\n";

struct File {
  std::filesystem::path folder = std::filesystem::temp_directory_path() / "tilescope_python_test";
  explicit File(const std::string& text) {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "twice.py") << text;
    std::ofstream(folder / "helper.py") << "import triton\n@triton.jit\ndef two(x):\n    return x + x\n";
  }
  ~File() { std::filesystem::remove_all(folder); }
  std::string name(const std::string& kernel = "") const { return (folder / "twice.py").string() + kernel; }
};

std::string refusal_of_script(const std::string& name) {
  try {
    cases::problem_of_file(name);
  } catch (const Error& e) {
    return std::string(e.what()) + " | " + e.fix;
  }
  return "";
}

}  // namespace

TEST_CASE("python: a .py file is a kernel: its case, helpers of other files, the first config of @triton.autotune") {
  const File file(twice);
  const problems::Problem problem = cases::problem_of_file(file.name());
  CHECK(problem.summary == "Twice what it holds.");
  const problems::Instance instance = problem.make(problem.parse({}), 1);
  const Launch& launch = instance.launches.front();
  CHECK(launch.grid.x == 2);
  CHECK(launch.options.num_warps == 8);
  CHECK(cpu::run(launch).faults.empty());
  REQUIRE(instance.outputs.size() == 1);
  for (int i = 0; i < 6; ++i) CHECK(instance.outputs[0].as<float>()[i] == 2.0f * static_cast<float>(i));
  CHECK(problem.make(problem.parse({"BLOCK=8"}), 1).launches.front().grid.x == 1);
}

TEST_CASE("python: a parameter's default is its value where the case names none") {
  const File file(
      "# case: x=f32[2]:iota z=out:f32[2] grid=1\nimport triton\nimport triton.language as tl\n"
      "@triton.jit\ndef k(x, z, scale=-2.0, shift=3, bias=None, BLOCK: tl.constexpr = 2):\n"
      "    offs = tl.arange(0, BLOCK)\n    y = tl.load(x + offs) * scale + shift\n"
      "    if bias is not None:\n        y += tl.load(bias + offs)\n    tl.store(z + offs, y)\n");
  const problems::Problem problem = cases::problem_of_file(file.name());
  const auto second = [&](const std::vector<std::string>& words) {
    const problems::Instance instance = problem.make(problem.parse(words), 1);
    CHECK(cpu::run(instance.launches.front()).faults.empty());
    return instance.outputs.at(0).as<float>()[1];
  };
  CHECK(second({}) == 1);
  CHECK(second({"scale=0.5"}) == 3.5f);
}

TEST_CASE("python: what is wrong with a file or its name is told") {
  const File file(twice);
  CHECK(refusal_of_script(file.name(":twoce")) == "twice.py holds no function \"twoce\" | did you mean twice?");
  const File broken("@triton.jit\ndef f(x):\n    y = (x\n");
  CHECK(refusal_of_script(broken.name()).starts_with("twice.py:3:9: '(' is never closed"));
  const File none("x = 1\n");
  CHECK(refusal_of_script(none.name()).find("a kernel is a function with @triton.jit above it") != std::string::npos);
  const File two("@triton.jit\ndef f(x):\n    pass\n@triton.jit\ndef g(x):\n    pass\n");
  CHECK(refusal_of_script(two.name()).starts_with("twice.py holds 2 kernels: f, g"));
}

TEST_CASE(
    "python: what a kernel stores to is the pointer, not what moves it; a helper stores where its own text does") {
  const std::string head =
      "import triton\nimport triton.language as tl\nfrom helper import two\n"
      "@triton.jit\ndef read(p, by):\n    return tl.load(p + by)\n"
      "@triton.jit\ndef write(p, v, by):\n    moved = p + by\n    tl.store(moved[None, :], v)\n";
  const auto missing = [&](const std::string& body) {
    const File file(head + "@triton.jit\ndef kernel(x, y, by):\n" + body);
    try {
      const problems::Problem p = cases::problem_of_file(file.name(":kernel"));
      p.make(p.parse({}), 1);
    } catch (const Error& e) {
      return e.fix;
    }
    return std::string("none");
  };
  const std::string expected = "x=f32[1000] y=out:f32[1000] by=1000 grid=1";
  CHECK(missing("    offs = tl.arange(0, 8) * by\n    tl.store(y + offs, tl.load(x + offs))\n").ends_with(expected));
  CHECK(missing("    a, b = x, y\n    write(b + by, two(read(p=a, by=by)), by)\n").ends_with(expected));
}
