// Every op of the table behind and inside a loop that multiplies: warps still copy that loop's tiles ahead.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "interp/cuda/host/compile.h"
#include "interp/lang/op.h"
#include "interp/lang/parameters.h"
#include "tests/cuda/environment.h"
#include "tests/cuda/gpu.h"

using namespace tl;

namespace {

// What an op is called with, by its parameters' names; ops that take other values than floats by their own.
const std::map<std::string, std::string, std::less<>> by_parameter = {
    {"x", "acc"},
    {"y", "acc"},
    {"z", "acc"},
    {"a", "acc"},
    {"b", "acc"},
    {"input", "acc"},
    {"src", "acc"},
    {"other", "acc"},
    {"value", "acc"},
    {"val", "acc"},
    {"cmp", "acc"},
    {"min", "acc"},
    {"max", "acc"},
    {"condition", "acc > 0"},
    {"cond", "acc > 0"},
    {"axis", "1_c"},
    {"start", "0_c"},
    {"end", "64_c"},
    {"shape", "tl.shape(64_c, 64_c)"},
    {"*shape", "tl.shape(64_c, 64_c)"},
    {"*dims", "tl.axes(1_c, 0_c)"},
    {"dtype", "tl.float32"},
    {"combine_fn", "[](auto a, auto b) { return a + b; }"},
    {"pointer", "out_ptrs"},
    {"seed", "7"},
    {"offset", "numbers"},
    {"values", "16_c"},
    {"text", "\"{}\""},
    {"prefix", "\"acc\""},
    {"*values", "acc"},
    {"*args", "acc"},
    {"index", "numbers"},
    {"k", "8_c"},
    {"num_bins", "16_c"},
    {"c0", "numbers"},
    {"c1", "numbers"},
    {"c2", "numbers"},
    {"c3", "numbers"},
};
const std::map<std::string, std::string, std::less<>> by_op = {
    {"program_id", "tl.program_id(0)"},
    {"num_programs", "tl.num_programs(0)"},
    {"full", "tl.full(tl.shape(64_c, 64_c), 1, tl.float32)"},
    {"cumsum", "tl.cumsum(acc, 1_c, {.reverse = true})"},
    {"cumprod", "tl.cumprod(acc, 1_c)"},
    {"sort", "tl.sort(acc, {.descending = true})"},
    {"scalar", "tl.scalar(tl.sum(row, 0), tl.float32)"},
    {"trans", "tl.trans(acc)"},
    {"split", "tl.split(tl.reshape(acc, tl.shape(64_c, 32_c, 2_c)))"},
    {"cat", "tl.cat(row, row)"},
    {"interleave", "tl.interleave(row, row)"},
    {"histogram", "tl.histogram(row.to(tl.int32), 16_c)"},
    {"umulhi", "tl.umulhi(numbers, numbers)"},
    {"cdiv", "tl.cdiv(numbers, 3)"},
    {"xor_sum", "tl.xor_sum(numbers, 1_c)"},
    {"atomic_and", "tl.atomic_and(int_ptrs, numbers)"},
    {"atomic_or", "tl.atomic_or(int_ptrs, numbers)"},
    {"atomic_xor", "tl.atomic_xor(int_ptrs, numbers)"},
    {"multiple_of", "tl.multiple_of(numbers, 16_c)"},
    {"max_contiguous", "tl.max_contiguous(numbers, 16_c)"},
    {"max_constancy", "tl.max_constancy(numbers, 16_c)"},
    {"swizzle2d", "tl.swizzle2d(tl.program_id(0), tl.program_id(1), n, n, 4)"},
    {"print_if", "tl.print_if(\"{}\", \"=0\", acc)"},
    {"breakpoint_if", "tl.breakpoint_if(\"=0\")"},
    {"static_print", "tl.static_print(\"{}\", 1_c)"},
    {"dot_scaled", "tl.dot_scaled(acc.to(tl.bfloat16), None, \"bf16\"_c, acc.to(tl.bfloat16), None, \"bf16\"_c)"},
    {"dot", "tl.dot(acc.to(tl.float16), acc.to(tl.float16))"},
};

// "tl.sum(acc, 1_c)".
std::string use_of(const OpInfo& op) {
  if (const auto own = by_op.find(op.name); own != by_op.end()) return own->second;
  std::string call = "tl." + std::string(op.name) + "(";
  for (const Parameter& p : parse_parameters(op.parameters)) {
    if (!p.is_required && !p.is_rest) continue;
    std::string name = p.is_rest ? "*" : "";
    name += p.name;
    const auto value = by_parameter.find(name);
    REQUIRE_MESSAGE(value != by_parameter.end(), "say in this file what " << op.name << " takes as " << name);
    call += (call.back() == '(' ? "" : ", ") + value->second;
  }
  return call + ")";
}

bool is_tried(const OpInfo& op) {
  return std::string_view(op.text).starts_with("tl.") && op.family != OpFamily::loop &&
         op.family != OpFamily::pointer && op.name != "load";
}

std::string kernel_text(const std::string& name, const std::string& inside, const std::string& behind) {
  return "struct " + name + R"( {
  void operator()(auto& tl, ptr auto a, ptr auto b, ptr auto out, ptr auto ints, int_ auto n) const {
    auto i = tl.arange(0, 64_c);
    auto k = tl.arange(0, 32_c);
    auto a_ptrs = a + i(_, None) * 32 + k(None, _);
    auto b_ptrs = b + k(_, None) * 64 + i(None, _);
    auto out_ptrs = out + i(_, None) * 64 + i(None, _);
    auto int_ptrs = ints + i(_, None) * 64 + i(None, _);
    auto acc = tl.zeros(tl.shape(64_c, 64_c), tl.float32);
    for (auto turn : tl.range(0, n)) {
      acc = tl.dot(tl.load(a_ptrs), tl.load(b_ptrs), acc);
      a_ptrs += 2048_c;
      b_ptrs += 2048_c;
)" + inside +
         R"(    }
    auto row = tl.sum(acc, 1_c);
    auto numbers = acc.to(tl.int32);
)" + behind +
         R"(    tl.store(out_ptrs, acc + tl.sum(row, 0) + numbers);
  }
};
)";
}

std::shared_ptr<const cuda::Compiled> compiled(const std::string& name, const std::string& text, int num_warps = 4) {
  test::Folder folder;
  std::filesystem::create_directory(folder.path + "/kernels");
  std::ofstream(folder.path + "/kernels/roles.h") << "#pragma once\n#include \"interp/tl.h\"\nusing namespace tl;\n"
                                                  << text;
  test::Variable cache("XDG_CACHE_HOME", folder.path);
  test::SourcesFrom sources(folder.path);
  const auto tensor = [](const char* called, DType dtype) {
    return TensorArgument{{.name = called, .dtype = dtype, .shape = {65536}, .strides = {1}}};
  };
  return cuda::compile({.kernel = name,
                        .source = "kernels/roles.h",
                        .grid = {},
                        .options = {.num_warps = num_warps},
                        .arguments = {tensor("a", DType::float16), tensor("b", DType::float16),
                                      tensor("out", DType::float32), tensor("ints", DType::int32), IntArgument{16}},
                        .on_cpu = {}},
                       test::with_dots);
}

// With roles or not, and the notes that say why not.
void check_roles(const std::string& name, const std::string& text) {
  const auto made = compiled(name, text);
  std::string notes;
  for (const std::string& note : made->notes) notes += note + "\n";
  CHECK_MESSAGE(made->resources.has_roles, notes);
}

std::string product_text(int columns) {
  std::string text = R"(struct product_kernel {
  void operator()(auto& tl, ptr auto a, ptr auto b, ptr auto out, ptr auto ints, int_ auto n) const {
    auto i = tl.arange(0, 128_c);
    auto j = tl.arange(0, WIDTH_c);
    auto k = tl.arange(0, 32_c);
    auto a_ptrs = a + i(_, None) * 32 + k(None, _);
    auto b_ptrs = b + k(_, None) * WIDTH + j(None, _);
    auto acc = tl.zeros(tl.shape(128_c, WIDTH_c), tl.float32);
    for (auto turn : tl.range(0, n)) {
      acc = tl.dot(tl.load(a_ptrs), tl.load(b_ptrs), acc);
      a_ptrs += 4096_c;
      b_ptrs += 8192_c;
    }
    tl.store(out + i(_, None) * WIDTH + j(None, _), acc);
  }
};
)";
  const std::string width = "WIDTH";
  for (auto at = text.find(width); at != std::string::npos; at = text.find(width))
    text.replace(at, width.size(), std::to_string(columns));
  return text;
}

}  // namespace

TEST_CASE("roles: a loop keeps them whatever op stands behind it or in it") {
  if (test::no_toolkit()) return;
  // A family a kernel, so that each is compiled once.
  std::map<OpFamily, std::string> lines;
  for (const OpInfo& op : op_table)
    if (is_tried(op))
      lines[op.family] += "    { " + std::string(op.results ? "auto made = " : "") + use_of(op) + "; }\n";
  for (const auto& [family, behind] : lines) {
    CAPTURE(behind);
    check_roles("behind_kernel", kernel_text("behind_kernel", "", behind));
    check_roles("inside_kernel",
                kernel_text("inside_kernel",
                            "    {\n    auto row = tl.sum(acc, 1_c);\n    auto numbers = acc.to(tl.int32);\n" + behind +
                                "    }\n",
                            ""));
  }
}

TEST_CASE("roles: two programs share an SM's 65,536 registers where its shared memory holds the tiles of both") {
  if (test::no_toolkit()) return;
  const auto registers = [](int columns, int num_warps) {
    const cuda::Resources r = compiled("product_kernel", product_text(columns), num_warps)->resources;
    CHECK(r.spill_store_bytes == 0);
    CHECK(r.threads == 32 * (num_warps + 4));
    return r.registers;
  };
  CHECK(registers(128, 4) == 65536 / (2 * 256));
  CHECK(registers(64, 8) == 80);    // 65536 / (2 * 384) is 85, of which eights are handed out
  CHECK(registers(256, 8) == 168);  // 128 of a thread's are accumulators: one program
}
