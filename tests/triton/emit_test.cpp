// What C++ is written for a kernel, and what is refused. The last test of this program runs what the others here walk.
#include <doctest/doctest.h>

#include <string>

#include "interp/lang/error.h"
#include "interp/triton/launch.h"

using namespace tl;

namespace {

// Of a body with the parameters y_ptr, n and C, the constant 8.
std::string cpp_of(const std::string& body, const std::string& helpers = "", const CppStyle& style = {}) {
  const std::string text = "import triton\nimport triton.language as tl\n" + helpers +
                           "@triton.jit\ndef kernel(y_ptr, n, C: tl.constexpr):\n" + body;
  const auto program = std::make_shared<triton::Program>("a.py", text);
  const Launch launch =
      triton::launch_of(program, program->kernel("kernel"), {}, {},
                        {TensorArgument{make_tensor("y", DType::float32, {8})}, IntArgument{5}, ConstantArgument{8}});
  try {
    return launch.in_cpp(style).text;
  } catch (const CompileError& e) {
    return e.what();
  }
}
bool has(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != text.npos);
  return text.find(part) != text.npos;
}

}  // namespace

TEST_CASE("emit: a variable that changes in a row gets a new name, one that a loop changes keeps its own") {
  has(cpp_of("  n = n * 2\n  tl.store(y_ptr, n)\n"), "auto n_1 = n * 2_c;");
  has(cpp_of("  s = 0\n  for i in range(n):\n    s += i\n  tl.store(y_ptr, s)\n"),
      "auto s = tl.scalar(0_c, tl.int32);");
}

TEST_CASE("emit: a variable that both branches make is declared before them") {
  has(cpp_of(
          "  if n > 3:\n    z = tl.arange(0, C)\n  else:\n    z = tl.arange(0, C) * 2\n  tl.store(y_ptr + z, 1.0)\n"),
      "auto z = tl.zeros(tl.shape(8_c), tl.int32);\n    if (n > 3_c) {");
}

TEST_CASE("emit: a type that changes in a loop or on one path is an error with both types, at its line") {
  has(cpp_of("  s = 0\n  for i in range(n):\n    s = s + 0.5\n  tl.store(y_ptr, s)\n"),
      "a.py:6:3: s is a scalar of i32 on one path, and a scalar of f32 on another");
  has(cpp_of("  if n > 3:\n    z = n\n  else:\n    z = tl.arange(0, C)\n  tl.store(y_ptr + z, 1.0)\n"),
      "a.py:5:3: z is a scalar of i32 on one path, and a block of i32(8,) on another");
}

TEST_CASE("emit: a dot is added in place to a block of its dtype and shape, as Triton's compiler has it") {
  const auto sum = [](const std::string& dtype, const std::string& added) {
    return cpp_of("  a = tl.full((16, 16), 1.0, tl.float16)\n  acc = tl.zeros((16, 16), " + dtype +
                  ")\n  for i in range(n):\n    " + added + "\n  tl.store(y_ptr, tl.sum(acc))\n");
  };
  has(sum("tl.float32", "acc += tl.dot(a, a)"), "acc = tl.dot(a, a, acc);");
  has(sum("tl.float32", "acc = tl.dot(a, a) + acc"), "acc = tl.dot(a, a, acc);");
  has(sum("tl.float64", "acc += tl.dot(a, a)"), "acc += tl.dot(a, a);");
  has(sum("tl.float32", "acc += tl.dot(a, a, out_dtype=tl.float16)"), "tl.float16");
}

TEST_CASE("emit: helpers are written once for each set of constants and types") {
  const std::string text =
      cpp_of("  a = f(n, 1) + f(n, 1) + f(n, 2)\n  b = f(n.to(tl.int64), 1)\n  tl.store(y_ptr, a + b)\n",
             "@triton.jit\ndef f(x, K: tl.constexpr):\n  return x * K\n");
  has(text, "auto f(auto& tl, auto x)");
  has(text, "auto f_2(auto& tl, auto x)");
  CHECK(text.find("f_3") == text.npos);
}

TEST_CASE("emit: compilers are told the lines of the .py") {
  has(cpp_of("  tl.store(y_ptr, n)\n", "", {.has_lines = true}), "#line 4 \"a.py\"\n  void operator()");
}
