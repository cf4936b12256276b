// What people type by mistake: each is told where it stands, in plain words, with what to do instead.
#include <filesystem>
#include <fstream>

#include "interp/lang/stop_scope.h"
#include "tests/triton/run_body.h"

using namespace run_body;

namespace {

// A file with helpers beside it, in a folder of its own.
class Files {
 public:
  Files() { std::filesystem::create_directories(folder_); }
  ~Files() { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  // The words of the error that specializing the function `f` of a.py ends in.
  std::string error_of(const std::string& text) const {
    write("a.py", text);
    try {
      const auto program = std::make_shared<triton::Program>("a.py", text, folder_);
      triton::launch_of(program, program->kernel("f"), {}, {}, {});
    } catch (const Error& e) {
      return std::string(e.what()) + " fix: " + e.fix;
    }
    return "none";
  }

 private:
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / "tilescope_bad_input";
};
std::string kernel(const std::string& body) { return "@triton.jit\ndef f():\n  " + body + "\n"; }
std::string error_of(const std::string& text) { return Files().error_of(text); }
bool says(const std::string& error, const std::string& part) {
  INFO(error);
  return error.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("bad input: a name without a value is an error before the run, wherever its assignment stands") {
  CHECK(says(error_of(kernel("x = y + 1")), "a.py:3:7: there is no \"y\" here"));
  CHECK(says(error_of(kernel("x = y + 1\n  y = 2")), "a.py:3:7: y has no value yet"));
  CHECK(says(error_of(kernel("x += 1")), "a.py:3:3: x has no value yet"));
  CHECK(value_of("y", "  for i in range(2):\n    if i > 0:\n      y = last\n    last = 7\n") == 7);
  CHECK(value_of("y", "  if n > 1:\n    y = 1\n  else:\n    y = 2\n") == 1);
}

TEST_CASE("bad input: a global that is no constant is told as what it is") {
  CHECK(says(error_of("SIZES = {1: 2}\n" + kernel("x = SIZES")),
             "a.py:4:7: the global SIZES is no constant: line 1 makes it a dictionary"));
  CHECK(says(error_of("class C:\n  pass\n" + kernel("x = C")), "the global C is no constant: line 1 makes it a class"));
  CHECK(
      says(error_of("import numpy as np\n" + kernel("x = np.exp(1)")), "a kernel cannot use numpy, which is Python's"));
}

TEST_CASE("bad input: what is imported in vain says from where") {
  const Files files;
  files.write("b.py", "from a import f, V\n@triton.jit\ndef helper(x):\n  return x\n");
  files.write("broken.py", "@triton.jit\ndef g(x):\n  return x +\n");
  const auto imports = [&](const std::string& line, const std::string& used) {
    return files.error_of(line + "\n" + kernel("x = " + used));
  };
  CHECK(says(imports("from nowhere import g", "g(1)"),
             "g is imported from nowhere, and there is no such file beside a.py"));
  CHECK(says(imports("from b import helpr", "helpr(1)"), "b.py has no helpr"));
  CHECK(says(imports("from b import helpr", "helpr(1)"), "fix: did you mean helper?"));
  CHECK(says(imports("from b import V", "V"), "V is imported in a circle"));
  CHECK(says(imports("from broken import g", "g(1)"), "broken.py:3:13: the line ends where a value is wanted"));
  CHECK(imports("from b import helper", "helper(1)") == "none");
}

TEST_CASE("bad input: helpers that call each other without end are told with their way") {
  const std::string two = "@triton.jit\ndef g(x):\n  return h(x)\n@triton.jit\ndef h(x):\n  return g(x)\n";
  CHECK(says(error_of(two + kernel("x = g(1)")), "a.py:2:1: g calls itself, by way of h"));
  CHECK(says(error_of("@triton.jit\ndef g(x: tl.constexpr):\n  return g(x + 1)\n" + kernel("x = g(1)")),
             "a.py:2:1: g calls itself"));
}

TEST_CASE("bad input: a loop that never ends is told, before the run where its condition is a constant") {
  CHECK(says(error_of(kernel("while True:\n    x = 1")), "a.py:3:3: this loop never ends: its condition is True"));
  CHECK(error_of(kernel("while False:\n    x = 1")) == "none");
  CHECK(says(error_of(kernel("i = 0\n  while i < 1:\n    j = 1")), "a.py:4:3: this loop never ends"));
  CHECK(refuses("  for i in tl.static_range(60000):\n    for j in tl.static_range(60000):\n      pass\n",
                "gone round 16,777,216 times"));
}

TEST_CASE("bad input: tl.static_range of a million is refused before the run") {
  CHECK(says(error_of(kernel("for i in tl.static_range(1000000):\n    pass")),
             "a.py:3:15: tl.static_range unrolls 1000000 turns"));
}

TEST_CASE("bad input: a call with too few, too many or doubled arguments is an error before the run") {
  CHECK(says(error_of(kernel("x = tl.arange(0)")), "a.py:3:10: tl.arange is called without end"));
  CHECK(says(error_of(kernel("x = tl.arange(0, end=8, start=0)")), "tl.arange: start is given twice"));
  CHECK(says(error_of(kernel("x = tl.arange(0, end=8, end=8)")), "a.py:3:27: end is given twice"));
  CHECK(
      says(error_of(kernel("x = tl.arange(start=0, 8)")), "a.py:3:26: an argument without a name stands after start="));
}

TEST_CASE("bad input: values where they cannot be used") {
  CHECK(refuses("  m = y_ptr < 3\n", "a.py:5:13: a pointer of f32 < 3: pointers only move, by + and -"));
  CHECK(refuses("  m = y_ptr * 2\n", "a pointer of f32 * 2: pointers only move"));
  CHECK(refuses("  m = None\n  m = tl.arange(0, 8) + m\n", "a block of i32(8,) + None: one side is None"));
  CHECK(refuses("  m = tl.arange(0, 8)[n]\n", "a block of i32(8,) cannot be indexed by"));
  CHECK(refuses("  m = 'a' @ 2\n", "no operator @ takes \"a\" and 2"));
}

TEST_CASE("bad input: signs of other languages and of web pages are named") {
  const auto fix = [](const std::string& line) { return error_of(kernel(line)); };
  CHECK(says(fix("x = 1 && 2"), "fix: '&&' is `and` in Python"));
  CHECK(says(fix("x = 1 || 2"), "fix: '||' is `or` in Python"));
  CHECK(says(fix("x = !1"), "fix: '!' is `not` in Python"));
  CHECK(says(fix("x++"), "fix: Python has no ++: n += 1"));
  CHECK(says(fix("if x = 1:\n    pass"), "fix: '=' assigns; == compares"));
  CHECK(says(fix("x = 2 \xE2\x88\x92 1"), "fix: it looks like -, which Python has: type that"));
  CHECK(says(fix("x = \xE2\x80\x9C"
                 "a\xE2\x80\x9D"),
             "fix: it looks like \", which Python has"));
  CHECK(says(fix("x =\xC2\xA0"
                 "1"),
             "fix: it looks like a space, which Python has"));
}

TEST_CASE("bad input: statements where they cannot stand") {
  CHECK(says(error_of(kernel("break")), "a.py:3:3: 'break' stands in no loop"));
  CHECK(says(error_of(kernel("else:\n    pass")), "a.py:3:3: this 'else' belongs to nothing above it"));
  CHECK(says(error_of(kernel("match x:\n    case 1:\n      pass")), "a.py:3:3: Triton has no match"));
  CHECK(says(error_of(kernel("await x")), "a.py:3:3: Triton has no await"));
}

TEST_CASE("bad input: bytes that are no UTF-8, zero bytes and an empty file") {
  CHECK(says(error_of(kernel("x = 1  # caf\xE9")), "a.py:3:15: the byte 0xE9 is not text"));
  CHECK(says(error_of(kernel(std::string("x = \0", 5))), "a.py:3:7: the byte 0x00 is not text"));
  CHECK(error_of(kernel("caf\xC3\xA9 = 1  # \xF0\x9F\x98\x80")) == "none");
  CHECK(says(error_of(""), "a.py is empty"));
  CHECK(says(error_of("x = 1\n"), "a.py holds no kernel"));
}

TEST_CASE("bad input: the caret stands under its character, whatever stands before it") {
  CHECK(says(error_of(kernel("\xC3\xA9 = y")), "\n     3 |   \xC3\xA9 = y\n       |       ^"));
}

TEST_CASE("bad input: of several functions those are kernels that no other calls") {
  triton::Program two("a.py", "@triton.jit\ndef g():\n  pass\n@triton.jit\ndef f():\n  g()\n");
  REQUIRE(two.kernels().size() == 1);
  CHECK(two.kernels()[0]->name() == "f");
}

TEST_CASE("bad input: whoever stops the work is heard while a kernel is specialized") {
  const std::atomic<bool> stop = true;
  const StopScope scope(&stop);
  CHECK(says(error_of(kernel("x = 1")), "stopped before the end"));
}

TEST_CASE("bad input: an integer beyond 64 bits is refused; one beyond int64 is a uint64") {
  CHECK(
      says(error_of(kernel("x = 99999999999999999999 + 1")), "a.py:3:7: 99999999999999999999 needs more than 64 bits"));
  CHECK(value_of("y", "  m = 0xFFFF_FFFF_FFFF_FFFF // 2**62\n  y = m.to(tl.int32)\n") == 3);
  CHECK(value_of("y", "  y = ((1 << 63) >> 62).to(tl.int32)\n") == 2);
}

TEST_CASE("bad input: what is called or indexed and cannot be is told as what it is") {
  CHECK(says(error_of(kernel("n = 3\n  x = n(2)")), "a.py:4:7: 3 is no function"));
  CHECK(says(error_of("@triton.jit\ndef g(x):\n  pass\n" + kernel("g[(1,)](2)")), "a kernel launches none"));
  CHECK(says(error_of(kernel("x = true")), "fix: did you mean True?"));
  CHECK(says(error_of(kernel("x = null")), "fix: Python has None"));
  CHECK(says(error_of(kernel("x = 1 + \\ \n    2")), "a.py:3:11: a space follows this '\\'"));
  CHECK(refuses("  m = tl.arange(0, 8) ** 2\n", "no operator ** takes a block of i32(8,) and 2"));
  CHECK(refuses("  m = tl.arange(8, 0)\n", "its end, 0, is not above its start, 8"));
  CHECK(refuses("  tl.static_assert(1 > 2, 'no')\n", "tl.static_assert does not hold"));
}

TEST_CASE("bad input: a kernel in a branch is one; that within a function is told to be Python's") {
  triton::Program branch(
      "a.py", "if True:\n  @triton.jit\n  def f():\n    pass\nelse:\n  @triton.jit\n  def f():\n    x = 1\n");
  REQUIRE(branch.kernels().size() == 1);
  CHECK(branch.kernels()[0]->node->span.begin.line == 7);
  triton::Program hidden("a.py", "def make():\n  @triton.jit\n  def f():\n    pass\n  return f\n");
  CHECK(hidden.kernels().empty());
  std::string error;
  try {
    hidden.refuse_empty();
  } catch (const Error& e) {
    error = e.what();
  }
  CHECK(says(error, "a.py:3:3: f is made when Python runs make"));
}

TEST_CASE("bad input: functions that others pass on are helpers, and the last one of a name counts") {
  triton::Program passed("a.py",
                         "@triton.jit\ndef g(a, b):\n  return a\n@triton.jit\ndef f(x):\n  tl.reduce(x, 0, g)\n");
  REQUIRE(passed.kernels().size() == 1);
  CHECK(passed.kernels()[0]->name() == "f");
  triton::Program again("a.py", "@triton.jit\ndef f():\n  pass\n@triton.jit\ndef f():\n  pass\n");
  CHECK(again.kernels().size() == 1);
}

TEST_CASE("bad input: everything of a file or of Triton may be imported at once") {
  const Files files;
  files.write("b.py", "from a import *\nN = 3\n@triton.jit\ndef helper(x):\n  return exp(x)\n");
  const std::string all = "from triton.language import *\nfrom b import *\n";
  CHECK(files.error_of(all + kernel("x = arange(0, 8) + N")) == "none");
  CHECK(says(files.error_of(all + kernel("x = nosuch")), "a.py:5:7: there is no \"nosuch\" here"));
}
