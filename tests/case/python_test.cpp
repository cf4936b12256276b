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

TEST_CASE("python: a case and the command line may say num_warps and num_stages, as launches of Triton do") {
  const File file("# case: n=6 x=f32[n] z=out:f32[n] grid=1 BLOCK=8 num_warps=8\n" +
                  std::string(twice).substr(std::string(twice).find("import triton")));
  const auto problem = cases::problem_of_file(file.name());
  const auto options = [&](const std::vector<std::string>& words) {
    return problem.make(problem.parse(words), 1).launches.front().options;
  };
  CHECK(options({}).num_warps == 8);
  CHECK(options({"num_stages=4", "num_warps=2"}).num_warps == 2);
  CHECK(options({"num_stages=4", "num_warps=2"}).num_stages == 4);
}

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

namespace {

// The settings of a kernel with these decorators, on n=6 in blocks of BLOCK.
std::string settings_of(const std::string& decorators, const std::vector<std::string>& words = {}) {
  const File file(
      "# case: n=6 x=f32[n]:iota z=out:f32[n] grid=cdiv(n,BLOCK)\nimport triton\nimport triton.language as tl\n" +
      decorators +
      "@triton.jit\ndef k(x, z, n, BLOCK: tl.constexpr = 2, EVEN: tl.constexpr = None):\n"
      "    tl.store(z + tl.arange(0, BLOCK), 1.0 if EVEN else 0.0)\n");
  const problems::Problem problem = cases::problem_of_file(file.name());
  const problems::Settings settings = problem.parse(words);
  const bool has_configs = settings.values.contains("configs");
  return settings.text("BLOCK") + " " + settings.text("EVEN") + (has_configs ? " " + settings.text("configs") : "");
}
std::string refusal_of_decorators(const std::string& decorators) {
  try {
    return settings_of(decorators);
  } catch (const Error& e) {
    return std::string(e.what()) + " | " + e.fix;
  }
}

}  // namespace

TEST_CASE("python: configs of @triton.autotune may be computed: by comprehensions, names, sums, functions") {
  CHECK(settings_of("@triton.autotune([triton.Config({'BLOCK': b * 2}, num_warps=w) for b in [2, 4, 8] if b > 2 for w "
                    "in (1, 2)], key=['n'])\n") ==
        "8 None BLOCK=8 warps=1; BLOCK=8 warps=2; BLOCK=16 warps=1; BLOCK=16 warps=2");
  CHECK(settings_of("few = [triton.Config({'BLOCK': 4})]\ndef more():\n    return [triton.Config({'BLOCK': 8, "
                    "'num_stages': 2})]\n@triton.autotune(configs=few + more(), key=[])\n") ==
        "4 None BLOCK=4; BLOCK=8 stages=2");
}

TEST_CASE("python: @triton.heuristics are expressions of the case, after its configs") {
  const std::string even = "@triton.heuristics({'EVEN': lambda args: args['n'] % args['BLOCK'] == 0})\n";
  CHECK(settings_of("@triton.autotune([triton.Config({'BLOCK': 4})], key=['n'])\n" + even) ==
        "4 ((n % BLOCK) == 0) BLOCK=4");
  CHECK(settings_of("def b(a):\n    return min(triton.next_power_of_2(a['n']), 64) if a['n'] > 1 else 1\n"
                    "@triton.heuristics(values={'BLOCK': b})\n") ==
        "where((n > 1), minimum(next_power_of_2(n), 64), 1) None");
}

TEST_CASE("python: a config, key or heuristic of a parameter that the kernel has not is told") {
  CHECK(refusal_of_decorators("@triton.autotune([triton.Config({'BLOK': 4})], key=['n'])\n") ==
        "twice.py:4:34: k has no parameter BLOK\n     4 | @triton.autotune([triton.Config({'BLOK': 4})], "
        "key=['n'])\n       |                                  ^ | did you mean BLOCK?");
  CHECK(refusal_of_decorators("@triton.autotune([triton.Config({'BLOCK': 4})], key=['m'])\n").find("no parameter m") !=
        std::string::npos);
  CHECK(refusal_of_decorators("@triton.autotune(configs=[], key=['n'])\n").find("this list of configs is empty") !=
        std::string::npos);
  CHECK(refusal_of_decorators("@triton.heuristics({'EVENN': lambda a: 1})\n").find("did you mean EVEN?") !=
        std::string::npos);
}
