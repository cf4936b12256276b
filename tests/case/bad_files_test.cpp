// What may be wrong with a kernel's file and its case: each is told, with its place and what to do.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include "tests/cli/run_program.h"
#include "tests/has.h"

namespace {

constexpr const char* words = "n=6 BLOCK=4 x=i32[n]:iota z=out:i32[n] grid=cdiv(n, BLOCK)";

std::string kernel(const std::string& line, const std::string& name = "twice") {
  return "#pragma once\n#include \"interp/tl.h\"\nstruct " + name +
         "_kernel {\n  void operator()(auto& tl, tl::ptr auto x_ptr, tl::ptr auto z_ptr, tl::int_ auto n, "
         "tl::constexpr_ auto BLOCK) const {\n    auto offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);\n"
         "    auto x = tl.load(x_ptr + offs, {.mask = offs < n});\n    " +
         line + "\n    tl.store(z_ptr + offs, x, {.mask = offs < n});\n  }\n};\n";
}

// What is said of a text with a case at its head, and words on the command line.
Said said(const std::string& text, const std::string& arguments = "", const std::string& head = words) {
  const EmptyFolder here;
  std::ofstream(here.path / "k.h") << (head.empty() ? "" : "// case: " + head + "\n") << text;
  return tilescope("run k.h " + arguments, here);
}
std::string refusal(const std::string& text, const std::string& arguments = "", const std::string& head = words) {
  const Said s = said(text, arguments, head);
  CHECK(s.exit_code != 0);
  return s.err;
}

}  // namespace

TEST_CASE("bad files: no file, no kernel, several, and one of them by name") {
  CHECK(has(tilescope("run nowhere.h").err, "nowhere.h"));
  CHECK(has(refusal("int x;\n"), "k.h holds no kernel"));
  const std::string two = kernel("") + kernel("x = x + x;", "four");
  CHECK(has(refusal(two), "k.h holds 2 kernels: twice_kernel, four_kernel"));
  const EmptyFolder here;
  std::ofstream(here.path / "k.h") << "// case: " << words << "\n" << two;
  CHECK(has(tilescope("run k.h:four_kernel", here).out, "z = [0 2 4 6 8 10]"));
  CHECK(has(tilescope("run k.h:for_kernel", here).err, "did you mean four_kernel?"));
}

TEST_CASE("bad files: a mistake in the text is told at its line, with a caret, in the language's words") {
  const std::string typo = refusal(kernel("auto y = tl.epx(x);"));
  CHECK(has(typo, "k.h:8:"));
  CHECK(has(typo, "tl has no op \"epx\""));
  CHECK(has(typo, "did you mean tl.exp"));
  CHECK(has(typo, "^"));
  CHECK(has(refusal(kernel("auto y = (x;")), "k.h:"));
}

TEST_CASE("bad files: parameters that the case leaves out, has twice, or calls otherwise") {
  const std::string missing = refusal(kernel(""), "", "n=6 x=i32[n] z=out:i32[n]");
  CHECK(has(missing, "the case of twice_kernel leaves out BLOCK, grid"));
  CHECK(has(missing, "z=out:f32[1000]"));
  CHECK(has(refusal(kernel(""), "n=3 n=4"), "n is given twice: n=3 and n=4"));
  CHECK(has(refusal(kernel(""), "", std::string(words) + " n=7"), "k.h:1: n is given twice"));
  CHECK(has(refusal(kernel(""), "BLOK=4"), "did you mean BLOCK?"));
  CHECK(has(refusal(kernel(""), "n=f32[3]"), "n is an int_, no tensor"));
  CHECK(has(refusal(kernel(""), "x=3"), "x_ptr is a ptr, and this is not a tensor"));
  CHECK(has(refusal(kernel(""), "n=None"), "n is an int_, and only a pointer may be None"));
  CHECK(has(said(kernel(""), "x=None").out, "\"x\" is None"));
  CHECK(has(refusal(kernel(""), "z=in:i32[n]"), "has no output"));
  CHECK(has(refusal(kernel(""), "", "n=6 BLOCK=4 x=i32[n] z=i32[n] grid=2"), "the kernel stores to z"));
}

TEST_CASE("bad files: a case that is damaged, and sizes that are none") {
  CHECK(has(refusal(kernel(""), "", "n=6 BLOCK=4 x=i32[n z=out:i32[n] grid=2"), "k.h:1: 'x=i32[n"));
  CHECK(has(refusal(kernel(""), "", "n = 6"), "k.h:1: 'n', position 1: this is not name=value"));
  CHECK(has(refusal(kernel(""), "n=0"), "axis 0 of x has 0 elements"));
  CHECK(has(refusal(kernel(""), "--grid 'n - 6'"), "n - 6 is 0"));
  CHECK(has(refusal(kernel(""), "--grid 'cdiv(n, n - n)'"), "a division by 0"));
  CHECK(has(refusal(kernel(""), "--grid '1, 2, 3, 4'"), "a grid of 4 axes"));
  CHECK(has(refusal(kernel(""), "warps=3"), "warps=3 is out of range"));
  CHECK(has(refusal(kernel(""), "'x=i32[n]:strides[1, 2]'"), "2 strides for 1 axes"));
  CHECK(has(refusal(kernel(""), "x=@x.npy"), "x.npy"));
}

TEST_CASE("bad files: a loop that never ends is told, though something is expected") {
  const Said s = said(kernel("auto k = tl.load(x_ptr); while (true) k = k + 1;"), "--expect 'z = x'");
  CHECK(s.exit_code == 1);
  CHECK(has(s.out, "k.h:8"));
  CHECK(has(s.out, "ops, its limit"));
}

TEST_CASE("bad files: a kernel that crashes or throws is a message") {
  const Said crash = said(kernel("*reinterpret_cast<volatile int*>(8) = 1;"));
  CHECK(crash.exit_code == 1);
  CHECK(has(crash.err, "k.h crashed: it read or wrote through a null pointer"));
  CHECK(has(crash.err, "k.h:7: after this tl.load, in program 0"));
  CHECK(has(refusal(kernel("*reinterpret_cast<volatile int*>(1ll << 44) = 1;")),
            "it reached memory that is not its own"));
  CHECK(has(refusal("#include <stdexcept>\n" + kernel("throw std::runtime_error(\"no\");")), "the kernel threw: no"));
}

TEST_CASE("files: C++ in a branch that the launch does not take does not run") {
  for (const char* dtype : {"i32", "f32"}) {
    const EmptyFolder here;
    std::ofstream(here.path / "k.h") << "// case: n=6 BLOCK=4 x=" << dtype << "[n] z=out:" << dtype
                                     << "[n] grid=cdiv(n, BLOCK)\n#include <cstdlib>\n"
                                     << kernel("if (n == 5) std::abort();");
    const Said s = tilescope("run k.h", here);
    CHECK_MESSAGE(s.exit_code == 0, s.err);
  }
}

TEST_CASE("bad files: a kernel that ends the program is no success, and is told with its place") {
  for (const char* call : {"std::exit(0);", "std::exit(130);", "_exit(0);", "std::quick_exit(0);"}) {
    const Said s = said("#include <unistd.h>\n#include <cstdlib>\n" + kernel(call));
    CHECK_MESSAGE(s.exit_code == 1, call);
    CHECK_MESSAGE(has(s.err, "k.h ended the process it ran in (exit code "), call);
  }
  CHECK(has(refusal("#include <cstdlib>\n" + kernel("std::exit(0);")), "k.h:8: after this tl.load, in program 0"));
  CHECK(has(refusal("#include <cstdlib>\n" + kernel("std::abort();")), "k.h:8: after this tl.load, in program 0"));
}

TEST_CASE("bad files: a function that calls itself without end is told as that") {
  const std::string deep =
      "struct Deep { static int f(int k) { volatile char c[512]; c[0] = char(k); return f(k + 1) + c[0]; } };\n"
      "    if (Deep::f(1) == 7) return;";
  CHECK(has(refusal(kernel(deep)), "its stack is full: a function called itself without end"));
}

TEST_CASE("bad files: a kernel that closes the program's files is told") {
  const std::string text = "#include <unistd.h>\n" + kernel("for (int f = 0; f < 100; ++f) close(f);");
  CHECK(has(refusal(text), "k.h closed the output of the process it ran in"));
}

TEST_CASE("bad files: processes that a kernel starts, and theirs, end with it") {
  const EmptyFolder here;
  REQUIRE(mkfifo((here.path / "pipe").c_str(), 0600) == 0);
  std::ofstream(here.path / "k.h") << "// case: " << words << "\n#include <fcntl.h>\n#include <unistd.h>\n"
                                   << kernel("if (open(\"pipe\", O_WRONLY) >= 0 && fork() == 0) { fork(); pause(); }");
  // The pipe is read to its end once nobody holds it.
  const Said s = tilescope("run k.h 2> said & exec 3< pipe; wait $!; cat <&3; cat said; }", here, "{");
  CHECK(has(s.out, "processes behind, which were killed"));
}

TEST_CASE("bad files: a time limit says that it was one, also of a kernel that takes no notice") {
  const EmptyFolder here;
  std::ofstream(here.path / "k.h")
      << "// case: " << words << "\n#include <csignal>\n"
      << kernel("if (n == 5) std::signal(SIGXCPU, SIG_IGN); for (volatile int i = 0;; i = 0) {}");
  for (const char* arguments : {"run k.h", "run k.h n=5"}) {
    const Said s = tilescope(arguments, here, "ulimit -St 1; ulimit -Ht 2;");
    CHECK(has(s.err, "k.h did not come to an end within 1 seconds of processor time"));
    CHECK_MESSAGE(has(s.err, "k.h:9: after this ==") == (std::string(arguments) == "run k.h"), s.err);
  }
}
