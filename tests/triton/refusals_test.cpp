// What Triton refuses and the interpreter takes is noted, with its place; what Triton takes is not. Where it refuses is
// Triton's own: its code generator has no break, wants one type of a variable in loops and branches, constexpr globals.
#include "interp/triton/refusals.h"
#include "tests/triton/run_body.h"

using namespace run_body;

namespace {

// The notes of a run, each as "line: fact".
std::string notes_of(const std::string& body, const std::string& helpers = "") {
  const std::string text =
      "import triton.language as tl\n" + helpers + "@triton.jit\ndef kernel(y_ptr, x, n, C: tl.constexpr):\n" + body;
  const auto program = std::make_shared<triton::Program>("a.py", text);
  const Launch launch = triton::launch_of(program, program->kernel("kernel"), {}, {},
                                          {TensorArgument{make_tensor("y", DType::float32, {8})}, FloatArgument{0.5f},
                                           IntArgument{5}, ConstantArgument{8}});
  CHECK(triton::note_refusals(launch));
  for (const Fault& f : cpu::run(launch).faults) return "fault: " + f.headline;
  std::string all;
  for (const triton::Refusal& r : triton::refusals_of(launch))
    all += std::to_string(r.site.line) + ": " + r.fact + "\n";
  return all;
}
bool notes(const std::string& body, const std::string& part, const std::string& helpers = "") {
  const std::string all = notes_of(body, helpers);
  INFO(all);
  return all.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("refusals: jumps that Triton has not, whether the run comes to them or not") {
  CHECK(notes("  for i in range(n):\n    if i > 9:\n      break\n", "6: Triton has no break"));
  CHECK(notes("  for i in tl.static_range(C):\n    if n > 9:\n      continue\n", "6: Triton has no continue"));
  CHECK(notes("  for i in range(n):\n    if i > 9:\n      return\n", "6: Triton has no return within a loop"));
  CHECK(notes_of("  if n > 9:\n    return\n  if C > 9:\n    for i in range(n):\n      break\n") == "");
}

TEST_CASE("refusals: a variable that changes its type in a loop or a branch") {
  CHECK(notes("  s = 0\n  for i in range(n):\n    s += 0.5\n",
              "5: s is a scalar of i32 before this loop, and a scalar of f32 in it"));
  CHECK(notes("  s = tl.zeros((8,), tl.float32)\n  if n > 1:\n    s = s.to(tl.float16)\n",
              "5: s is a block of f32(8,) before this if, and a block of f16(8,) in it"));
  CHECK(notes("  m = None\n  if n > 1:\n    m = x\n", "5: m is None before this if"));
  CHECK(notes_of("  s = 0.0\n  for i in range(n):\n    s += x\n  if n > 1:\n    s = 2.0\n  s = n\n") == "");
  CHECK(notes_of("  s = 0\n  for i in tl.static_range(C):\n    s = s + 0.5\n  if C > 1:\n    s = None\n") == "");
}

TEST_CASE("refusals: a variable that is born in a branch or a loop and used behind it") {
  CHECK(notes("  if n > 1:\n    s = 1\n  y = s\n", "6: s is first assigned inside the if or loop of line 4"));
  CHECK(notes("  for i in range(n):\n    s = i\n  y = s\n", "6: s is first assigned inside the if or loop of line 4"));
  CHECK(notes("  if n > 1:\n    s = 1\n  else:\n    t = 1\n  y = s\n",
              "8: s is first assigned inside the if or loop of line 4"));
  CHECK(notes_of("  if n > 1:\n    s = 1\n  else:\n    s = 2\n  y = s\n") == "");
  CHECK(notes_of("  if n > 1:\n    s = 1\n    y = s\n  for i in range(n):\n    s = i\n    y = s\n  y = i\n") == "");
  CHECK(notes_of("  for i in tl.static_range(C):\n    if i == 0:\n      s = n\n    s += i\n  y = s\n") == "");
}

TEST_CASE("refusals: variables as shapes, globals, f-strings and conditions") {
  CHECK(notes("  b = 8\n  y = tl.arange(0, b)\n", "5: Triton takes constexprs for tl.arange's bounds"));
  CHECK(notes("  b = 8\n  y = tl.zeros((b, 4), tl.float32)\n",
              "5: Triton takes constexprs for tl.zeros's shape and axes"));
  CHECK(notes("  y = B\n", "5: B is a plain global (line 2)", "B = 4\n"));
  CHECK(notes("  print(f'{n}')\n", "4: Triton's f-strings take constexprs alone"));
  CHECK(notes("  y = 1 if n > 2 else 0.5\n", "4: one side is an integer and the other a float"));
  CHECK(notes("  y = abs(C)\n", "4: Triton does not know Python's abs"));
  CHECK(notes_of("  b: tl.constexpr = C // 2\n  y = tl.zeros((b, C // 2), B)\n  y = tl.arange(0, A)\n",
                 "A = tl.constexpr(4)\nB = tl.float32\n") == "");
}

TEST_CASE("refusals: nothing is noted of a launch of C++, or where nobody asks") {
  const Launch launch{
      .kernel = "k", .source = "k.h", .grid = {}, .options = {}, .arguments = {}, .on_cpu = [](cpu::Context&) {}};
  CHECK_FALSE(triton::note_refusals(launch));
  CHECK(triton::refusals_of(launch).empty());
}

TEST_CASE("refusals: comparisons of three values, constexprs assigned twice, returns of a value on some paths") {
  CHECK(notes("  if 0 < n < 9:\n    y = 1\n", "4: Triton compares two values at a time"));
  CHECK(notes("  a: tl.constexpr = 1\n  a: tl.constexpr = 2\n", "5: a has a value already"));
  CHECK(
      notes("  for i in tl.static_range(2):\n    a: tl.constexpr = i\n", "5: a is a constexpr, and an unrolled loop"));
  CHECK(notes("  y = f(n)\n", "3: f returns a value on one path and none on another",
              "@triton.jit\ndef f(n):\n  if n > 3:\n    return 1\n"));
  CHECK(notes_of("  a: tl.constexpr = 1\n  for i in range(n):\n    b: tl.constexpr = 2\n  y = f(n)\n",
                 "@triton.jit\ndef f(n):\n  if n > 3:\n    return 1\n  else:\n    return 2\n") == "");
}

TEST_CASE("refusals: dtypes of functions, other without a mask, shallow dots, negative steps, Python's own names") {
  CHECK(notes("  h = tl.zeros((8,), tl.float16)\n  y = tl.exp(h)\n", "5: Triton's tl.exp takes fp32 and fp64 alone"));
  CHECK(notes("  y = tl.clamp(tl.arange(0, 8), 0, 3)\n", "4: Triton's tl.clamp takes floats alone"));
  CHECK(notes("  y = tl.load(y_ptr, other=0.0)\n", "4: Triton refuses other without a mask"));
  CHECK(
      notes("  a = tl.zeros((16, 8), tl.float16)\n  y = tl.dot(a, tl.trans(a))\n", "5: a GPU's tl.dot wants k of 16"));
  CHECK(notes("  for i in range(n, 0, 0 - n):\n    y = i\n", "4: a step that is no constant and negative"));
  CHECK(notes("  y = bool(C)\n", "4: Triton does not know Python's bool"));
  CHECK(notes("  print(n)\n", "4: Triton's print begins with a text"));
  CHECK(notes_of("  y = tl.exp(x) + tl.sqrt(tl.zeros((8,), tl.float64))\n  for i in range(n, 0, -1):\n    z = i\n") ==
        "");
}
