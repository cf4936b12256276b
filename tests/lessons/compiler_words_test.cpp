// Mistakes of the first days, and what the learner reads: the line, the fact in the language's words, what to do.
#include <doctest/doctest.h>

#include "tests/lessons/workshop.h"

using namespace tl::lessons;

namespace {

struct Mistake {
  const char *from, *to;  // in lesson 1's solution
  int line;
  const char *says, *fix;
};

#ifdef __clang__  // a kernel's compiler is of the program's kind
constexpr bool is_clang = true;
#else
constexpr bool is_clang = false;
#endif

}  // namespace

TEST_CASE("words: each mistake is told at its line, in the language's words") {
  const Mistake mistakes[] = {
      {"tl.load(", "tl.laod(", 12, "tl has no op \"laod\"", "did you mean tl.load?"},
      {"    tl.store", "    auto y = tl.saturatef(x);\n    tl.store", 13, "tl.saturatef is not in this language (yet)",
       "tl.clamp(x, 0.0, 1.0)"},
      {"    tl.store", "    auto y = tl.math.exp(x);\n    tl.store", 13, "tl.math is not in this language (yet)",
       "tl.exp(x)"},
      {"    tl.store", "    auto y = x.to(tl.float8e4b8);\n    tl.store", 13,
       "tl.float8e4b8 is not in this language (yet)", "tl.float8e4nv"},
      {"    tl.store", "    auto y = concat(x, x);\n    tl.store", 13, "tl.concat is not in this language (yet)",
       "tl.cat(a, b)"},
      {"    tl.store", "    auto y = tl.load(x_ptr + offs, {.eviction_policy = \"soon\"});\n    tl.store", 13,
       "an eviction policy is", "evict_last"},
      {"tl.arange(0, bs);  ", "tl.arange(0, bs)   ", is_clang ? 10 : 11, "a ; is missing", ";"},
      {"mask = offs < n;", "mask = ofs < n;", 11, "there is no \"ofs\" here", "offs"},
      {"x_ptr + offs", "x_ptr + z_ptr", 12, "\"+\" does not join a pointer and a pointer", "offsets"},
      {"{.mask = mask});\n    tl", "mask);\n    tl", 12, "tl.load does not take", "{.mask = mask"},
      {"{.mask = mask});\n    tl", "{.msk = mask});\n    tl", 12, "tl.load has no option .msk", ".mask"},
      {"offs < n;", "offs < n\uff1b", 11, "is not a character of C++", "it looks like ; and is another"},
      {"{.mask = mask});\n    tl", "{.mask = mask\u00d7 1});\n    tl", 12, "is not a character of C++",
       "it looks like *"},
      {"  // the positions", "  # the positions", 10, "# begins no comment", "//"},
      {"  void operator()", "  auto two = 2;\n  void operator()", 8, "this stands outside of operator()",
       "between its {"},
      {"auto pid", "int pid", 9, "a value of the language is not a plain int", "auto"},
      {"offs < n;", "offs[:, None] < n;", 11, "slices take parentheses", "x(_, None)"},
      {"offs < n;", "offs[_, None] < n;", 11, "slices take parentheses", "x(_, None)"},
      {"offs < n;", "offs(:, None) < n;", 11, "an axis that stays is _", "x(_, None)"},
      {"    tl.store", "    bs = 4;\n    tl.store", 13,
       is_clang ? "cannot take that value" : "does not join a constant and an int", "a name of its own"},
      {"    tl.store", "    auto y = x * tl.float32;\n    tl.store", 13, "does not join a block and a dtype",
       "x.to(tl.float32)"},
      {"    tl.store", "    auto y = x[0];\n    tl.store", 13,
       is_clang ? "a block is not read with [ ]" : "does not join a block and an int", "tl.where"},
      {"    tl.store", "    auto s = tl.sum(x, 0); s = s == inf ? -inf : s;\n    tl.store", 13,
       "?: does not choose between a double and a block", "tl.where"},
      {"    tl.store", "    auto y = tl.rand(7, 3);\n    tl.store", 13, "a number, int, stands where a block or scalar",
       "tl.scalar"},
      {"    tl.store", "    auto y = x(0);\n    tl.store", 13, "a block takes _ and None in parentheses", "tl.gather"},
      {"offs < n;", "std::exp(2.0) < n;", 11, "there is no \"exp\" here", "a plain loop says exp, without std::"},
      {"    tl.store", "    auto y = x ** 2;\n    tl.store", 13, "** is not a power", "x * x"},
      {"    tl.store", "    auto y = tl.static_if(bs > 2, [&] { return x; }, [&] { return x; });\n    tl.store", 13,
       "tl.static_if does not take these arguments", "2_c"},
      {"    tl.store", "    tl.print_if(\"x = {}\", x);\n    tl.store", 13, "tl.print_if does not take", "\"=0\""},
      {"tl.arange(0, bs)", "tl.arange(bs)", 10, "where it begins and where it ends", "tl.arange(0, bs)"},
      {"    tl.store", "    auto most = tl.max(x, n);\n    tl.store", 13, "reduce a block along an axis",
       "tl.maximum(a, b)"},
      {"    tl.store", "    auto sum = tl.zeros((bs, bs), tl.float32);\n    tl.store", 13,
       "a shape is made by tl.shape", "tl.shape(bm, bn)"},
      {"    tl.store", "    for (i : tl.range(0, n)) {}\n    tl.store", 13, "a loop declares its variable", "auto i"},
      {"    tl.store", "    for (auto i in tl.range(0, n)) {}\n    tl.store", 13, "a loop as Python writes it",
       "auto i : tl.range"},
      {"auto mask = offs < n", "auto mask = get_1d_mask(tl, offs, n)", 11, "there is no \"get_1d_mask\" here",
       "kernels/offsets.h"},
      {"offs < n;", "exp(offs) < n;", 11, "there is no \"exp\" here", "tl.exp"},
      {"pid * bs +", "pid // bs +", 10, "// begins a comment", "/ divides whole numbers"},
      {"    tl.store", "    print(x);\n    tl.store", 13, "a kernel prints nothing", "learn debug"},
      {"auto mask", "auto offs", 11, "\"offs\" is declared twice", "without auto"},
      {"tl.arange(0, bs)", "tl.arange(0, n)", 10, "must be a constant", "constexpr_"},
      {"tl.arange(0, bs)", "tl.arange(0, n > 3 ? bs : 4_c)", 10, "must be a constant", "tl.static_if"},
      {"constexpr_ auto bs", "constexpr_ auto bs, int_ auto more", 0,
       "the kernel's parameters are no longer those it is launched with", "starter"},
      {"struct copy_kernel", "struct my_kernel", 0, "kernel.h has no kernel named copy_kernel", "struct copy_kernel"},
      {"    tl.store", "    # the result\n    tl.store", 13, "# begins no comment", "//"},
      {"{.mask = mask});\n    tl", ".mask = mask);\n    tl", 12, "an option stands in braces", "{.mask = mask}"},
      {"tl.load(", "tl::load(", 12, "with a point, not with ::", "tl.load"},
      {"    tl.store", "    auto low = -float(\"inf\");\n    tl.store", 13, "infinity has a name of its own", "-inf"},
      {"    tl.store", "    auto low = tl.maximum(x, -INFINITY);\n    tl.store", 13, "infinity has a name of its own",
       "-inf"},
      {"    tl.store", "    for (auto i : tl.range(0, n));\n    x = x + i;\n    tl.store", 13,
       "this loop repeats nothing", "{ }"},
      {"    tl.store", "    if mask:\n    tl.store", 13, "an if as Python writes it", "tl.where"},
      {"  }\n};", "  }\n", 0, "", ""},
  };
  const Workshop here;
  const Lesson& copy = find("copy");
  for (const Mistake& m : mistakes) {
    const std::string text = replaced(copy.text("solution.h"), m.from, m.to);
    REQUIRE(text != copy.text("solution.h"));
    const Report r = here.check(copy, text);
    REQUIRE_MESSAGE(r.compiler_errors > 0, std::string(m.to));
    const std::string met =
        std::to_string(r.finding->line) + ": " + r.finding->headline + "\n" + r.finding->detail + "\n" + r.finding->fix;
    CHECK_MESSAGE(r.finding->headline.find(m.says) != std::string::npos, std::string(m.to) << "\n" << met);
    CHECK_MESSAGE(r.finding->fix.find(m.fix) != std::string::npos, std::string(m.to) << "\n" << met);
    if (m.line > 0) CHECK_MESSAGE(r.finding->line == m.line, std::string(m.to) << "\n" << met);
    CHECK_MESSAGE(met.find("cpu::") == std::string::npos, met);
  }
}

TEST_CASE("compiler: mistakes with block pointers, descriptors and lambdas are told without its types") {
  struct Mistake {
    const char *lesson, *from, *to, *says, *fix;
  };
  const Mistake mistakes[] = {
      {"block_pointers", "tl.advance(b_block, tl.tuple(bk, 0))", "tl.advance(b_block, {bk, 0})",
       "{ } stands where a tuple is taken", "tl.tuple(bk, 0)"},
      {"block_pointers", "b_block = tl.advance(b_block, tl.tuple(bk, 0))", "b_block.advance(bk, 0)",
       "a block pointer has no \"advance\"", "b = tl.advance(b, "},
      {"block_pointers", "tl.axes(0_c, 1_c), .padding = tl.zero", "tl.axes(0_c, 1_c), .padding = 0",
       "tl.load of a block pointer does not take these options", ".padding = tl.zero"},
      {"block_pointers", ".boundary_check = tl.axes(0_c, 1_c), .padding = tl.zero",
       ".padding = tl.zero, .boundary_check = tl.axes(0_c, 1_c)", "the options stand in another order",
       ".boundary_check first"},
      {"descriptors", "a_desc.load({row, l})", "a_desc.load(row, l)",
       "a block stands where a tile's coordinates are taken", "a_desc.load({row, col})"},
      {"descriptors", "a_desc.load({row, l})", "a_desc.load([row, l])", "a list in [ ] is Python's", "{ }"},
      {"descriptors", "a_desc.load({row, l})", "tl.load(a_desc, {row, l})", "tl.load does not take a descriptor",
       "a_desc.load({row, col})"},
      {"flash", "step(start, 0_c)", "step(start, 0)", "\"step\" does not take these arguments", "0_c"}};
  const Workshop here;
  for (const Mistake& m : mistakes) {
    const Lesson& lesson = find(m.lesson);
    const std::string text = replaced(lesson.text("solution.h"), m.from, m.to);
    REQUIRE(text != lesson.text("solution.h"));
    const Report r = here.check(lesson, text);
    REQUIRE_MESSAGE(r.compiler_errors > 0, std::string(m.to));
    CHECK_MESSAGE(r.finding->headline == m.says, std::string(m.to));
    CHECK_MESSAGE(r.finding->fix.find(m.fix) != std::string::npos, std::string(m.to) << "\n" << r.finding->fix);
  }
}

TEST_CASE("a variable that hides another one is told where a kernel is wrong") {
  const Workshop here;
  const Lesson& lesson = find("pipelining");
  const Report r = here.check(lesson, replaced(lesson.text("solution.h"), " a = next_a;", " auto a = next_a;"));
  REQUIRE(r.finding);
  CHECK(r.finding->detail.find("this is a new a") != std::string::npos);
  CHECK(r.finding->source.find("auto a = next_a;") != std::string::npos);
}
