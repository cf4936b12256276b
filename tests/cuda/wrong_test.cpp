// Wrong kernels, and what CUDA's compiler is made to say: the fact in the language's words, at the learner's line, and
// how to mend it.
#include <doctest/doctest.h>

#include <fstream>

#include "interp/cuda/host/compile.h"
#include "interp/cuda/host/log.h"
#include "interp/lang/error.h"
#include "tests/cuda/environment.h"
#include "tests/cuda/gpu.h"

using namespace tl;

namespace {

struct Mistake {
  const char *statement, *says, *fix;
};

constexpr Mistake mistakes[] = {
    // Python's habits
    {"auto y = x[:, None];", "slices take parentheses here", "x(_, None)"},
    {"auto y = x(:, None);", "an axis that stays is _", "x(_, None)"},
    {"auto k = offs // 2;\n    tl.store(o + k, 1.0);", "// begins a comment", "/ divides whole numbers"},
    {"auto m = (offs < n) and (offs > 2);", "an if, && or || takes one value", "join masks with & and |"},
    {"auto y = x;  # a copy", "# begins no comment", "//"},
    {"for (auto i in tl.range(0, n)) tl.store(o + i, 1.0);", "a loop as Python writes it", "for (auto i : tl.range("},
    {"auto y = tl.load(in + offs, {.mask = True});", "true and false", "true"},
    {"auto y = tl.sum(x, axis=0);", "there are no keyword arguments", "tl.max(x, 0)"},
    {"auto y = x ** 2;", "** is not a power", "x * x"},
    {"auto y = x @ x;", "@ multiplies no blocks", "tl.dot(a, b)"},
    {"auto y = tl.zeros((B, B), tl.float32);", "a shape is made by tl.shape", "tl.shape(bm, bn)"},
    {"auto y = x.sum(0);", "a block has no \"sum\"", "tl.sum(x, 0)"},
    {"auto y = x.to(tl.fp16);", "tl has no op \"fp16\"", "did you mean tl.float16?"},
    // what Triton has, and this language has not
    {"auto y = tl.erfinv(x);", "tl.erfinv is not in this language (yet)", "LANGUAGE.md"},
    {"auto y = tl.inline_asm_elementwise(x);", "tl.inline_asm_elementwise is not in this language (yet)", "PTX"},
    {"auto y = tl.math.exp(x);", "tl.math is not in this language (yet)", "tl.exp(x)"},
    {"auto y = x.to(tl.float8e4b8);", "tl.float8e4b8 is not in this language (yet)", "tl.float8e4nv"},
    {"auto y = tl.dot_scaled(x, x);", "tl.dot_scaled does not take (f32[8], f32[8])", "\"e4m3\"_c"},
    {"auto y = tl.stack(x, x);", "tl.stack is not in this language (yet)", "tl.join(a, b)"},
    {"auto y = concat(x, x);", "tl.concat is not in this language (yet)", "tl.cat(a, b)"},
    {"tl.static_assert(n > 2);", "tl.static_assert is not in this language (yet)", "tl.static_check"},
    // the words of accesses and atomics
    {"auto y = tl.load(in + offs, {.eviction_policy = \"evict_soon\"});", "an eviction policy is", "evict_last"},
    {"auto y = tl.load(in + offs, {.mask = mask, .cache_modifier = \"ca\"});", "a cache modifier is", ".cg"},
    {"auto y = tl.load(in + offs, {.volatile = true});", "volatile is a word of C++", ".is_volatile"},
    {"tl.atomic_add(o + offs, x, {.sem = \"seq_cst\"});", "a sem is", "acq_rel"},
    {"tl.atomic_add(o + offs, x, {.scope = \"block\"});", "a scope is", "cta"},
    {"tl.atomic_add(u8 + offs, 1);", "a GPU adds atomically to no other dtype", "16 bits or more"},
    {"tl.atomic_and(o + offs, 1);", "no atomics on bits of this dtype", "int32"},
    // hints and random numbers are of integers
    {"auto y = tl.max_contiguous(x, 4_c);", "a hint is for integers, in tl.max_contiguous(f32[8], 4_c)",
     "a positive constant"},
    {"auto y = tl.rand(1.5, offs);", "the seed is one integer", "a literal"},
    {"auto [a, b, c, d] = tl.philox(7, offs, x, 0, 0);", "the counter's words are integers", ".to(tl.uint32)"},
    // names and grammar
    {"auto y = tl.load(in + ofs);", "there is no \"ofs\" here", "declare it first"},
    {"auto y = exp(x);", "there is no \"exp\" here", "tl.exp"},
    {"auto y = tl.laod(in + offs);", "tl has no op \"laod\"", "did you mean tl.load?"},
    {"auto y = x.to(tl::float32);", "the name of a namespace", "tl.float32"},
    {"auto y = tl.load(in + offs)", "a ; is missing", "end the statement"},
    // what ops take
    {"auto k = tl.arange(0, n);", "this size or axis must be a constant, in tl.arange(int, i32)", "64_c"},
    {"auto k = tl.arange(0, 8.0);", "this size or axis must be a constant", "64_c"},
    {"auto k = tl.arange(0, n > 3 ? 8_c : 4_c);", "this size or axis must be a constant", "tl.static_if"},
    {"auto k = tl.arange(0, 24_c);", "not a power of two, in tl.arange(0, 24_c)", "round the block size up"},
    {"auto y = tl.zeros(tl.shape(262144_c), tl.float32);",
     "too large for its program's threads: 2048 elements each, and 512 are the most", "more num_warps"},
    {"auto y = tl.zeros(tl.shape(8), tl.float32);", "this size or axis must be a constant", "64_c"},
    {"auto y = tl.load(offs);", "tl.load takes pointers", "tl.load(x_ptr + offs)"},
    {"auto y = tl.load(in + offs, mask);", "tl.load does not take (pointers to f32[8], mask[8])", "{.mask = mask"},
    {"auto y = tl.load(in + offs, {.msk = mask});", "tl.load has no option .msk", ".mask, .other"},
    {"auto y = tl.load(in + offs, {.other = 0, .mask = mask});", "another order", ".mask first"},
    {"auto y = tl.load(in + offs, {.mask = n});", "a mask holds bools", "compare to make one"},
    {"auto y = tl.load(tl.make_block_ptr(u8, tl.tuple(n), tl.tuple(1_c), tl.tuple(0), tl.shape(B), tl.axes(0_c)), "
     "{.boundary_check = tl.axes(0_c), .padding = tl.nan});",
     "integers have no NaN to pad with", ".padding = tl.zero"},
    {"tl.store(n, x);", "a store takes pointers first", "tl.store(z_ptr + offs"},
    {"tl.store(o, x);", "the pointer is one cell", "x_ptr + offs"},
    {"tl.store(o + offs, tl.zeros(tl.shape(16_c), tl.float32));", "shapes do not broadcast",
     "each axis must be equal or 1"},
    {"if (mask) tl.store(o, 1.0);", "an if, && or || takes one value", "tl.where(mask, a, b)"},
    {"auto y = x + tl.arange(0, 16_c);", "shapes do not broadcast, in f32[8] + i32[16]", "x(_, None)"},
    {"auto y = x(_, None, _);", "keeps each axis of the block", "one _ for each of its axes"},
    {"auto y = x.shape[n];", "brackets take a constant", "x.shape[0]"},
    {"auto y = tl.sum(x, 1_c);", "the block has no such axis, in tl.sum(f32[8], 1_c)", "axes count from 0"},
    {"auto y = tl.sum(tl.sum(x, 0));", "a scalar has no axis, in tl.sum(f32)", "reduced already"},
    {"auto y = tl.max(x, x);", "tl.max does not take (f32[8], f32[8])", "tl.maximum(a, b)"},
    {"auto y = tl.dot(x, x);", "two axes, in tl.dot(f32[8], f32[8])", "x(_, None)"},
    {"auto a = x(_, None); auto y = tl.dot(a, a);",
     "a has as many columns as b has rows, in tl.dot(f32[8, 1], f32[8, 1])", "tl.trans"},
    {"auto y = tl.reshape(x, tl.shape(4_c, 4_c));", "keeps the number of elements, in tl.reshape(f32[8], [4, 4])",
     "same product"},
    {"auto [a, b] = tl.split(x);", "a last axis of 2, in tl.split(f32[8])", "tl.reshape"},
    {"auto y = x & 1;", "take integers and masks, in f32[8] & int", "cast with .to"},
    {"auto p = in + o;", "\"+\" does not join pointer to f32 and pointer to f32", "offsets are added to one pointer"},
    {"auto y = tl.static_if(B > 2, [&] { return x; }, [&] { return x; });", "tl.static_if does not take (bool",
     "BLOCK > 2_c"},
    {"auto y = x.to(B > 4_c ? tl.float32 : tl.float16);", "a ternary cannot choose between tl.float32 and tl.float16",
     "tl.static_if"},
    {"auto s = tl.sum(x, 0); s = s == inf ? -inf : s;", "?: chooses between two values of one type", "tl.where"},
    // assignments and literals
    {"auto y = x; y = tl.zeros(tl.shape(16_c), tl.float32);", "may not change a block's shape, in f32[8] = f32[16]",
     "a name of its own"},
    {"auto y = x; y = offs;", "may not change a block's dtype, in f32[8] = i32[8]", "cast with .to"},
    {"auto total = 0.0; total += tl.sum(x, 0);", "a plain double cannot take up f32", "tl.zeros"},
    {"auto y = tl.load(u8 + offs) + 300; tl.store(u8 + offs, y);", "the literal 300 does not fit u8",
     "cast the block to a wider dtype first"},
    {"auto y = tl.load(u8 + offs) + 0b1'0000'0000; tl.store(u8 + offs, y);", "the literal 256 does not fit u8", "cast"},
    {"auto y = tl.load(u8 + offs) + -1; tl.store(u8 + offs, y);", "the literal -1 does not fit u8",
     "cast the block to a wider dtype first"},
    {"auto y = tl.where(mask, tl.load(u8 + offs), -1); tl.store(u8 + offs, y);", "the literal -1 does not fit u8",
     "wider dtype"},
    {"auto y = tl.where(mask, 300, tl.load(u8 + offs)); tl.store(u8 + offs, y);", "the literal 300 does not fit u8",
     "wider dtype"},
    {"auto y = offs * 3000000000; tl.store(o + offs, y);", "the literal 3000000000 does not fit i32",
     "cast the block to a wider dtype first"},
    {"auto y = offs * 3000000000_c;", "3000000000 beside i32", "cast the block to a wider dtype first"},
    // texts that nothing prints on a GPU
    {"tl.print_if(\"x = {}\", x);", "tl.print_if does not take", "tl.print_if(\"x = {}\", \"=0\", x)"},
    {"tl.print_if(\"x = {}\", \"~3\", x);", "tl.print_if: condition '~3', position 1", "one term an axis"},
    {"tl.print_if(\"{} {}\", \"=0\", x);", "more {} than values", "pass one value"},
    {"tl.print_if(\"x\", \"=0\", x);", "more values than {}", "write one {}"},
    {"tl.breakpoint_if(\"pid = 0\");", "tl.breakpoint_if: condition 'pid = 0'", "one term an axis"},
};

Launch launch_in(const test::Folder& folder, const std::string& statement, int number) {
  const std::string source = "kernels/wrong_" + std::to_string(number) + ".h";
  std::filesystem::create_directories(folder.path + "/kernels");
  std::ofstream(folder.path + "/" + source)
      << "#include \"interp/tl.h\"\nnamespace tl::kernels {\nstruct wrong_kernel {\n"
         "  void operator()(auto& tl, ptr auto o, ptr auto in, ptr auto u8, int_ auto n, constexpr_ auto B) const {\n"
         "    auto offs = tl.arange(0, B);\n    auto mask = offs < n;\n    auto x = tl.load(in + offs, {.mask = "
         "mask});\n    "
      << statement << "\n    tl.store(o + offs, x, {.mask = mask});\n  }\n};\n}\n";
  sources::use_sources_from(folder.path);
  const auto tensor = [](const char* name, DType dtype) { return TensorArgument{make_tensor(name, dtype, {16})}; };
  return {.kernel = "tl::kernels::wrong_kernel",
          .source = source,
          .grid = {},
          .options = {},
          .arguments = {tensor("o", DType::float32), tensor("in", DType::float32), tensor("u8", DType::uint8),
                        IntArgument{11}, ConstantArgument{8}},
          .on_cpu = {}};
}

// Compiles kernels with a statement in them.
class WrongKernels {
 public:
  ~WrongKernels() { sources::use_built_in_sources(); }
  CompileError refusal(const std::string& statement) {
    try {
      notes = cuda::compile(launch_in(folder_, statement, number_++), test::no_dots)->notes;
    } catch (const CompileError& e) {
      return e;
    }
    return CompileError("", "");
  }
  std::vector<std::string> notes;  // of what compiled last

 private:
  const test::Folder folder_;
  const test::Variable cache_{"XDG_CACHE_HOME", folder_.path};
  int number_ = 0;
};

}  // namespace

TEST_CASE("wrong kernels: each is refused at its line, in the language's words, with what mends it") {
  if (test::no_toolkit()) return;
  WrongKernels kernels;
  for (const Mistake& m : mistakes) {
    CAPTURE(m.statement);
    const CompileError e = kernels.refusal(m.statement);
    const std::string words = e.what();
    CHECK_MESSAGE(words.find(m.says) != std::string::npos, words);
    CHECK_MESSAGE(e.fix.find(m.fix) != std::string::npos, words << "\n  fix: " << e.fix);
    CHECK_MESSAGE(
        (words.find(".h:8: ") != std::string::npos || words.find(".h:9: a ; is missing") != std::string::npos), words);
    for (const char* internal : {"tl::Block", "tl::detail", "__nv_bool", "tl::choice"})
      CHECK_MESSAGE(words.find(internal) == std::string::npos, words);
  }
}

TEST_CASE(
    "wrong kernels: what is refused in the body of a lambda is told at its own line, or at the lines that it may be") {
  if (test::no_toolkit()) return;
  WrongKernels kernels;
  const std::string one =
      kernels.refusal("auto k = offs + 0;\n    tl.static_for(3_c, [&](auto i) {\n      k += i;\n      k = x;\n    });")
          .what();
  CHECK_MESSAGE(one.find(".h:11: assignment may not change a block's dtype") != std::string::npos, one);
  const std::string two =
      kernels
          .refusal("auto k = offs + 0;\n    tl.static_for(3_c, [&](auto i) {\n      k = k + i;\n      k = x;\n    });")
          .what();
  CHECK_MESSAGE(two.find("(in line 10 or 11)") != std::string::npos, two);
}

TEST_CASE("wrong kernels: what is wrong in further lines is told behind the first, a line each") {
  if (test::no_toolkit()) return;
  WrongKernels kernels;
  const std::string words =
      kernels.refusal("auto y = x & 1;\n    auto z = x + 1;\n    auto m = tl.exp2(n) << 2; auto k = x % mask;").what();
  CHECK_MESSAGE(words.find(".h:8: & | ^ << >> take integers and masks, in f32[8] & int") != std::string::npos, words);
  CHECK_MESSAGE(words.find("\n  and in line 10: & | ^ << >> take integers and masks") != std::string::npos, words);
  CHECK_MESSAGE(words.find("line 9") == std::string::npos, words);
}

TEST_CASE("wrong kernels: a number that is known at run time is no literal, whatever else stands in its line") {
  if (test::no_toolkit()) return;
  WrongKernels kernels;
  const std::string words = kernels
                                .refusal(
                                    "auto y = tl.load(u8 + offs);\n    for (int c = 0; c < 1000; ++c) y = tl.load(u8 + "
                                    "offs + 300 * c) + y + c;\n    tl.store(u8 + offs, y);")
                                .what();
  CHECK_MESSAGE(words.empty(), words);
  REQUIRE_FALSE(kernels.notes.empty());
  CHECK_MESSAGE(kernels.notes[0].ends_with(".h:9: that a C++ number fits u8 is checked as the kernel runs"),
                kernels.notes[0]);
}

TEST_CASE("wrong kernels: names of a hundred thousand characters are read like others") {
  std::string type = "tl::Layout<0";
  for (int i = 0; i < 40000; ++i) type += ", 1";
  type += ">";
  for (int i = 0; i < 100; ++i) type = "tl::Combined<tl::cuda::Config<4>, " + type + ">";
  const std::string log = "interp/cuda/device/memory/memory.h(9): error: no suitable conversion function from \"" +
                          type +
                          "\" to \"float\" exists\n          detected during:\n            instantiation of \"auto "
                          "tl::cuda::Context<Cfg>::load(P) [with P=" +
                          type + "]\" at line 2 of kernels/k.h\n";
  const auto error =
      cuda::compile_error(log, "kernels/k.h", {{"kernels/k.h", "struct k {\n  float x = tl.load(p);\n"}});
  CHECK_MESSAGE(std::string(error.what()).starts_with("kernels/k.h:2: "), std::string(error.what()).substr(0, 300));
  CHECK(std::string(error.what()).size() < 5000);
}
