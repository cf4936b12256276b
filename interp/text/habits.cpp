#include "interp/text/habits.h"

#include <algorithm>
#include <array>
#include <regex>
#include <utility>

#include "interp/lang/op.h"
#include "interp/lang/text.h"
#include "interp/text/lexer.h"

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
  const std::string code = text::code_of(source);
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

}  // namespace

std::optional<Habit> habit_in(const std::string& message, const std::string& line) {
  if (auto found = character_in(message, line)) return found;
  static const std::vector<std::regex> patterns = [] {
    std::vector<std::regex> all;
    for (const Rule& rule : rules) all.emplace_back(rule.line);
    return all;
  }();
  const std::string code = text::code_of(line);
  static const std::regex keyword(
      R"re(\btl\.(bool|char|const|constexpr|double|float|int|long|short|static_assert|unsigned|void)\b)re");
  if (std::smatch m; std::regex_search(code, m, keyword)) return missing_op(m[1]);
  for (std::size_t i = 0; i < std::size(rules); ++i)
    if (message.find(rules[i].message) != std::string::npos && std::regex_search(code, patterns[i]))
      return Habit{rules[i].headline, rules[i].fix};
  return std::nullopt;
}

std::size_t floor_division_in(const std::string& line) {
  static const std::regex divisor(R"re(//\s*[\w(].*;\s*(//.*)?)re");
  const std::vector<text::Token> tokens = text::lex_with_comments(line);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const text::Token& t = tokens[i];
    if (t.is(";") || t.is("{") || t.is("}")) return std::string::npos;
    if (t.kind != text::TokenKind::comment) continue;
    const bool follows_value =
        i > 0 && (tokens[i - 1].kind == text::TokenKind::name || tokens[i - 1].kind == text::TokenKind::number ||
                  tokens[i - 1].is(")") || tokens[i - 1].is("]"));
    const std::string comment = trimmed(t.text);
    return follows_value && std::regex_match(comment, divisor) ? static_cast<std::size_t>(t.column) - 1
                                                               : std::string::npos;
  }
  return std::string::npos;
}
Habit floor_division() {
  return {"// begins a comment, and what follows it on the line is not read",
          "/ divides whole numbers, as Python's // does"};
}

const std::vector<std::string>& op_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {"cast",    "shape",    "axes",    "tuple",   "static_for", "static_if",
                                    "inf",     "int1",     "int32",   "int64",   "uint8",      "uint32",
                                    "float16", "bfloat16", "float32", "float64", "float8e4nv", "float8e5",
                                    "tf32",    "ieee",     "zero",    "nan"};
    for (const OpInfo& op : op_table)
      if (std::string_view(op.text).starts_with("tl.")) all.emplace_back(op.name);
    return all;
  }();
  return names;
}

Habit missing_op(const std::string& name) {
  if (auto found = op_of_others(name)) return *found;
  const std::string headline = "tl has no op \"" + name + "\"";
  static const std::pair<const char*, const char*> other_names[] = {
      {"pid", "program_id"}, {"transpose", "trans"}, {"matmul", "dot"},    {"ones", "full"},    {"bool", "int1"},
      {"int", "int32"},      {"i32", "int32"},       {"i64", "int64"},     {"half", "float16"}, {"fp16", "float16"},
      {"f16", "float16"},    {"bf16", "bfloat16"},   {"float", "float32"}, {"fp32", "float32"}, {"f32", "float32"},
      {"fp64", "float64"},   {"f64", "float64"}};
  for (const auto& [other, op] : other_names)
    if (name == other) return {headline, std::string("did you mean tl.") + op + "?"};
  const std::string near = nearest(name, op_names(), name.size() < 4 ? 1 : 2);
  return {headline, near.empty() ? "interp/LANGUAGE.md lists the ops there are" : "did you mean tl." + near + "?"};
}

std::optional<Habit> op_without_tl(const std::string& name, const std::string& line) {
  const std::string headline = "there is no \"" + name + "\" here";
  if (name == "min" || name == "max")
    return Habit{headline, "tl." + name + "imum(a, b) of two values, tl." + name + "(x, 0) of a block"};
  if (std::ranges::find(op_names(), name) != op_names().end()) return Habit{headline, "it is an op of tl: tl." + name};
  // A variable or a helper, which takes tl first, may have such a name, too.
  const std::regex call("\\b" + name + R"(\s*\((?!\s*tl\b))");
  return std::regex_search(text::code_of(line), call) ? op_of_others(name) : std::nullopt;
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

std::optional<Habit> foreign_option(const std::string& op, const std::string& line) {
  if (op != "load" && op != "store") return std::nullopt;
  static const std::regex option(R"([{,]\s*\.(\w+)\s*=)");
  const std::string code = text::code_of(line);
  for (std::sregex_iterator it(code.begin(), code.end(), option), end; it != end; ++it)
    if (const std::string name = (*it)[1];
        name != "mask" && (name != "other" || op == "store") && name != "boundary_check" && name != "padding")
      return Habit{"tl." + op + " has no option ." + name,
                   op == "load" ? "its options are .mask and .other" : "its only option is .mask"};
  return std::nullopt;
}

}  // namespace tl
