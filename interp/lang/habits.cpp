#include "interp/lang/habits.h"

#include <algorithm>
#include <array>
#include <regex>
#include <utility>

namespace tl {

namespace {

// A pattern of the line, and a word of the message ("": any).
struct Rule {
  const char* line;
  const char* message;
  const char* headline;
  const char* fix;
};
constexpr Rule rules[] = {
    {R"re(\w\(\s*:\s*,|,\s*:\s*\))re", "",
     "an axis that stays is _, not :", "x(_, None) is Triton's x[:, None], and x(None, _) its x[None, :]"},
    {R"re(\w\[\s*[:_]|\[\s*None\s*,)re", "", "slices take parentheses here, not brackets",
     "x(_, None) is Triton's x[:, None], and x(None, _) its x[None, :]"},
    {R"re(^\s*for\s*\(?\s*(?:auto\s+)?\w+\s+in\b)re", "", "a loop as Python writes it",
     "for (auto i : tl.range(first, end, step)) { ... }"},
    {R"re(^\s*for\s*\(\s*\w+\s*:)re", "", "a loop declares its variable",
     "for (auto i : tl.range(first, end, step)) { ... }"},
    {R"re(\btl\.arange\(\s*\w+\s*\))re", "", "tl.arange takes where it begins and where it ends", "tl.arange(0, bs)"},
    {R"re(\btl\.(?:zeros|full)\(\s*\()re", "", "a shape is made by tl.shape", "tl.zeros(tl.shape(bm, bn), tl.float32)"},
    {R"re(\btl\.(?:broadcast_to|reshape)\(\s*\w+\s*,\s*\()re", "", "a shape is made by tl.shape",
     "tl.broadcast_to(x, tl.shape(bm, bn))"},
    {R"re(\btl\.(?:max|min)\()re", "size or axis",
     "tl.max and tl.min reduce a block along an axis, which is a constant",
     "tl.max(x, 0); of two values tl.maximum(a, b) and tl.minimum(a, b)"},
    {R"re(^\s*(?:auto\s*)?\(\s*\w+\s*,\s*\w+\s*\)\s*=[^=]|^\s*\[\s*\w+\s*,\s*\w+\s*\]\s*=|^\s*(?:auto\s+)?\w+\s*,\s*\w+\s*=[^=])re",
     "", "a pair gets its two names in brackets, declared with auto",
     "auto [a, b] = tl.swizzle2d(...); then i = a; and j = b;"},
    {R"re(\.(?:mask|other)\s*:)re", "", "an option is given with =", "{.mask = mask, .other = 0}"},
    {R"re([,(]\s*(?:mask|other)\s*=[^=])re", "", "options stand in braces, each with a point",
     "{.mask = mask, .other = 0}"},
    {R"re(\baxis\s*=)re", "axis", "there are no keyword arguments here",
     "the axis is written alone: tl.max(x, 0), tl.program_id(0)"},
    {R"re(\b(?:True|False)\b)re", "", "C++ writes true and false small", "{.mask = true}, or leave the option out"},
    {R"re(\b(?:print|printf|device_print|cout)\b)re", "print", "a kernel prints nothing here",
     "`tilescope learn debug` steps through yours and shows every value"},
    {R"re(\bcout\b)re", "cout", "a kernel prints nothing here",
     "`tilescope learn debug` steps through yours and shows every value"},
    {R"re(#)re", "stray '#'", "# begins no comment in C++", "// does"},
    {R"re(;\s*#\s)re", "expected", "# begins no comment in C++", "// does"},  // clang, and NVRTC
    {R"re(\w\s*@\s*\w)re", "", "@ multiplies no blocks here", "tl.dot(a, b)"},
    {R"re(\w\s*\*\*\s*\w)re", "", "** is no power in C++", "x * x, or tl.exp2(y * tl.log2(x))"},
    {R"re(\b(?:int|long|float)\s+\w+\s*=)re", "conver", "a value of the language is no plain int or float",
     "declare it with auto; a loop is for (auto i : tl.range(first, end, step))"},
};

// A character that only looks like one of the language's, as other keyboards give it; in comments and texts it is
// welcome.
std::optional<Habit> character_in(const std::string& message, const std::string& source) {
  static const std::pair<const char*, const char*> alike[] = {
      {"；", ";"}, {"，", ","}, {"（", "("}, {"）", ")"}, {"｛", "{"},          {"｝", "}"}, {"＝", "="},
      {"＜", "<"}, {"＋", "+"}, {"＊", "*"}, {"≤", "<="}, {"≥", ">="},          {"≠", "!="}, {"×", "*"},
      {"−", "-"},  {"–", "-"},  {"“", "\""}, {"”", "\""}, {"\u00a0", "a space"}};
  const std::string code = source.substr(0, source.find("//"));
  const auto at = std::ranges::find_if(code, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  if (at == code.end()) return std::nullopt;
  std::size_t begin = static_cast<std::size_t>(at - code.begin()), end = begin + 1;
  while (end < code.size() && (static_cast<unsigned char>(code[end]) & 0xC0) == 0x80) ++end;
  const std::string character = code.substr(begin, end - begin);
  for (const auto& [looks, is] : alike)
    if (character == looks)
      return Habit{"\"" + character + "\" is not a character of C++",
                   std::string("it looks like ") + is + " and is another: type it again with an English keyboard"};
  const bool is_meant = std::ranges::any_of(message, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }) ||
                        message.find("\\U0") != std::string::npos || message.find("character") != std::string::npos ||
                        message.find("stray") != std::string::npos ||
                        message.find("unrecognized token") != std::string::npos;
  if (!is_meant) return std::nullopt;
  return Habit{
      "\"" + character + "\" is not on an English keyboard, and the compiler stumbles here",
      "names and operators are plain letters, digits and signs; some letters of other alphabets only look like them"};
}

// Insertions, deletions, exchanges and swaps of neighbours from one word to the other.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

}  // namespace

std::optional<Habit> habit_in(const std::string& message, const std::string& line) {
  if (auto found = character_in(message, line)) return found;
  static const std::vector<std::regex> patterns = [] {
    std::vector<std::regex> all;
    for (const Rule& rule : rules) all.emplace_back(rule.line);
    return all;
  }();
  for (std::size_t i = 0; i < std::size(rules); ++i)
    if (message.find(rules[i].message) != std::string::npos && std::regex_search(line, patterns[i]))
      return Habit{rules[i].headline, rules[i].fix};
  return std::nullopt;
}

std::size_t floor_division_in(const std::string& line) {
  static const std::regex divides(R"re(^[^;{}]*[\w)\]]\s*//\s*[\w(].*;\s*(//.*)?$)re");
  return std::regex_match(line, divides) ? line.find("//") : std::string::npos;
}
Habit floor_division() {
  return {"// begins a comment, and what follows it on the line is not read",
          "/ divides whole numbers, as Python's // does"};
}

const std::vector<std::string>& op_names() {
  static const std::vector<std::string> names = {"program_id",
                                                 "num_programs",
                                                 "arange",
                                                 "zeros",
                                                 "full",
                                                 "cast",
                                                 "shape",
                                                 "axes",
                                                 "tuple",
                                                 "broadcast_to",
                                                 "expand_dims",
                                                 "reshape",
                                                 "permute",
                                                 "trans",
                                                 "split",
                                                 "join",
                                                 "convert_layout",
                                                 "where",
                                                 "minimum",
                                                 "maximum",
                                                 "clamp",
                                                 "exp",
                                                 "exp2",
                                                 "log",
                                                 "log2",
                                                 "sqrt",
                                                 "rsqrt",
                                                 "sin",
                                                 "cos",
                                                 "sigmoid",
                                                 "erf",
                                                 "floor",
                                                 "ceil",
                                                 "abs",
                                                 "fma",
                                                 "cdiv",
                                                 "umulhi",
                                                 "sum",
                                                 "max",
                                                 "min",
                                                 "argmax",
                                                 "argmin",
                                                 "reduce",
                                                 "cumsum",
                                                 "dot",
                                                 "load",
                                                 "store",
                                                 "atomic_add",
                                                 "make_block_ptr",
                                                 "advance",
                                                 "range",
                                                 "static_for",
                                                 "pipelined",
                                                 "stage",
                                                 "tile",
                                                 "static_if",
                                                 "swizzle2d",
                                                 "rand",
                                                 "randint",
                                                 "randn",
                                                 "multiple_of",
                                                 "assume",
                                                 "print_if",
                                                 "breakpoint_if",
                                                 "device_assert",
                                                 "inf",
                                                 "int1",
                                                 "int32",
                                                 "int64",
                                                 "uint8",
                                                 "uint32",
                                                 "float16",
                                                 "bfloat16",
                                                 "float32",
                                                 "float64",
                                                 "float8e4nv",
                                                 "float8e5",
                                                 "tf32",
                                                 "ieee",
                                                 "zero",
                                                 "nan"};
  return names;
}

std::string op_meant_by(const std::string& name) {
  static const std::pair<const char*, const char*> other_names[] = {{"pid", "program_id"},
                                                                    {"device_print", "print_if"},
                                                                    {"static_range", "static_for"},
                                                                    {"transpose", "trans"},
                                                                    {"view", "reshape"},
                                                                    {"matmul", "dot"},
                                                                    {"ones", "full"},
                                                                    {"bool", "int1"},
                                                                    {"int", "int32"},
                                                                    {"i32", "int32"},
                                                                    {"i64", "int64"},
                                                                    {"half", "float16"},
                                                                    {"fp16", "float16"},
                                                                    {"f16", "float16"},
                                                                    {"bf16", "bfloat16"},
                                                                    {"float", "float32"},
                                                                    {"fp32", "float32"},
                                                                    {"f32", "float32"},
                                                                    {"fp64", "float64"},
                                                                    {"f64", "float64"}};
  for (const auto& [other, op] : other_names)
    if (name == other) return op;
  std::string nearest;
  std::size_t least = name.size() < 4 ? 2 : 3;  // at most this much less one
  for (const std::string& op : op_names())
    if (const std::size_t d = distance(name, op); d < least) least = d, nearest = op;
  return nearest;
}

std::string op_without_tl(const std::string& name) {
  if (name == "min" || name == "max")
    return "tl." + name + "imum(a, b) of two values, tl." + name + "(x, 0) of a block";
  return std::ranges::find(op_names(), name) != op_names().end() ? "it is an op of tl: tl." + name : "";
}

std::string usage_of(const std::string& op) {
  static const std::pair<const char*, const char*> usages[] = {
      {"load", "it takes pointers and options by name: tl.load(x_ptr + offs, {.mask = mask, .other = 0})"},
      {"store", "it takes pointers, values and options by name: tl.store(z_ptr + offs, z, {.mask = mask})"},
      {"atomic_add", "it takes pointers, values and options by name: tl.atomic_add(z_ptr + offs, z, {.mask = mask})"},
      {"arange", "it takes where it begins and where it ends, both constants: tl.arange(0, BLOCK)"},
      {"zeros", "it takes a shape of constants and a dtype: tl.zeros(tl.shape(BM, BN), tl.float32)"},
      {"full", "it takes a shape of constants, a value and a dtype: tl.full(tl.shape(BM, BN), 1.0, tl.float32)"},
      {"shape", "it takes constants: a constexpr_ parameter such as BLOCK, or a literal such as 16_c"},
      {"axes", "it takes constants: tl.axes(1_c, 0_c)"},
      {"broadcast_to", "it takes a block and a shape: tl.broadcast_to(x, tl.shape(BM, BN))"},
      {"reshape", "it takes a block and a shape: tl.reshape(x, tl.shape(BM, BN))"},
      {"permute", "it takes a block and its axes in their new order: tl.permute(x, tl.axes(1_c, 0_c))"},
      {"expand_dims", "it takes a block and the axis that is new: tl.expand_dims(x, 1_c)"},
      {"where", "it takes a mask and the two values: tl.where(mask, a, b)"},
      {"clamp", "it takes a value and both bounds: tl.clamp(x, lo, hi)"},
      {"max", "it takes a block and the axis that it reduces: tl.max(x, 0); of two values tl.maximum(a, b)"},
      {"min", "it takes a block and the axis that it reduces: tl.min(x, 0); of two values tl.minimum(a, b)"},
      {"reduce",
       "it takes a block, the axis and what combines two scalars: tl.reduce(x, 0, [](auto a, auto b) { return a + b; "
       "})"},
      {"dot", "it takes two blocks and what they are added to: acc = tl.dot(a, b, acc)"},
      {"program_id", "it takes the grid's axis: tl.program_id(0)"},
      {"num_programs", "it takes the grid's axis: tl.num_programs(0)"},
      {"make_block_ptr",
       "tl.make_block_ptr(x_ptr, tl.tuple(m, n), tl.tuple(n, 1), tl.tuple(0, 0), tl.shape(BM, BN), tl.axes(1_c, 0_c))"},
      {"advance", "it takes a block pointer and a tuple of steps: bp = tl.advance(bp, tl.tuple(0, BLOCK_K))"},
      {"range", "it takes bounds that are one value each, and a step: tl.range(first, end, step)"},
      {"static_for", "it takes a constant and a lambda: tl.static_for(4_c, [&](auto i) { ... })"},
      {"static_if", "its condition is a constant: compare constants, as in BLOCK > 2_c"},
      {"pipelined",
       "tl.pipelined(tl.range(0, k), [&](auto i) { return tl.stage(tl.tile(ptrs + i)); }, [&](auto a) { ... })"},
      {"swizzle2d", "tl.swizzle2d(i, j, size_i, size_j, group_size)"},
      {"rand", "it takes a seed and offsets: tl.rand(seed, offs)"},
      {"randint", "it takes a seed and offsets: tl.randint(seed, offs)"},
      {"randn", "it takes a seed and offsets: tl.randn(seed, offs)"},
      {"multiple_of", "it takes a value and a constant: x = tl.multiple_of(x, 16_c)"},
      {"print_if", "it takes a text, a condition on program ids and values: tl.print_if(\"x = {}\", \"=0\", x)"},
      {"breakpoint_if", "it takes a condition on program ids: tl.breakpoint_if(\"=0\")"},
      {"device_assert", "it takes a mask and a text: tl.device_assert(x > 0, \"x is positive\")"},
  };
  for (const auto& [name, usage] : usages)
    if (op == name) return usage;
  for (const char* reduction : {"sum", "argmax", "argmin", "cumsum"})
    if (op == reduction) return "it takes a block and the axis that it reduces: tl." + op + "(x, 0)";
  return "";
}

}  // namespace tl
