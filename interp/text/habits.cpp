#include "interp/text/habits.h"

#include <algorithm>
#include <array>
#include <regex>
#include <sstream>
#include <utility>

#include "interp/lang/op.h"
#include "interp/lang/parameters.h"
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
    {"", "an_eviction_policy_is", "an eviction policy is \"evict_first\" or \"evict_last\"",
     "{.mask = mask, .eviction_policy = \"evict_last\"}"},
    {"", "tl::EvictionPolicy", "an eviction policy is \"evict_first\" or \"evict_last\"",
     "{.mask = mask, .eviction_policy = \"evict_last\"}"},
    {"", "a_cache_modifier_is", "a cache modifier is \".ca\", \".cg\", \".cs\", \".cv\", \".wb\" or \".wt\"",
     "{.mask = mask, .cache_modifier = \".cg\"}"},
    {"", "tl::CacheModifier", "a cache modifier is \".ca\", \".cg\", \".cs\", \".cv\", \".wb\" or \".wt\"",
     "{.mask = mask, .cache_modifier = \".cg\"}"},
    {"", "a_sem_is", "a sem is \"relaxed\", \"acquire\", \"release\" or \"acq_rel\"",
     "{.mask = mask, .sem = \"acq_rel\"}"},
    {"", "tl::AtomicSem", "a sem is \"relaxed\", \"acquire\", \"release\" or \"acq_rel\"",
     "{.mask = mask, .sem = \"acq_rel\"}"},
    {"", "a_scope_is", "a scope is \"gpu\", \"cta\" or \"sys\"", "{.mask = mask, .scope = \"cta\"}"},
    {"", "tl::AtomicScope", "a scope is \"gpu\", \"cta\" or \"sys\"", "{.mask = mask, .scope = \"cta\"}"},
    {R"re(\.volatile\b)re", "", "volatile is a word of C++", "{.mask = mask, .is_volatile = true}"},
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
     "tl.max(x, 0), tl.max(x, 1_c); of two values tl.maximum(a, b) and tl.minimum(a, b)"},
    {R"re(^\s*(?:auto\s*)?\(\s*\w+\s*,\s*\w+\s*\)\s*=[^=]|^\s*\[\s*\w+\s*,\s*\w+\s*\]\s*=|^\s*(?:auto\s+)?\w+\s*,\s*\w+\s*=[^=])re",
     "", "a pair gets its two names in brackets, declared with auto",
     "auto [a, b] = tl.swizzle2d(...); then i = a; and j = b;"},
    {R"re(\.(?:mask|other)\s*:)re", "", "an option is given with =", "{.mask = mask, .other = 0}"},
    {R"re([,(]\s*(?:mask|other)\s*=[^=])re", "", "options stand in braces, each with a point",
     "{.mask = mask, .other = 0}"},
    {R"re(\baxis\s*=)re", "axis", "there are no keyword arguments here",
     "the axis is written alone: tl.max(x, 0), tl.program_id(0)"},
    {R"re(\b(?:True|False)\b)re", "", "C++ writes true and false small", "{.mask = true}, or leave the option out"},
    {R"re(\b(?:print|printf|cout)\b)re", "print", "a kernel prints nothing here",
     "`tilescope learn debug` steps through yours and shows every value"},
    {R"re(\bcout\b)re", "cout", "a kernel prints nothing here",
     "`tilescope learn debug` steps through yours and shows every value"},
    {R"re(^[^{]*,\s*\.(?:mask|other)\s*=)re", "", "an option stands in braces",
     "tl.load(x_ptr + offs, {.mask = mask})"},
    {R"re(\{\s*(?:mask|other)\s*=)re", "", "an option begins with a point", "{.mask = mask, .other = 0}"},
    {R"re(\btl::\w+\s*\()re", "",
     "ops are called on tl with a point, not with ::", "tl.load(x_ptr + offs): tl is the kernel's first parameter"},
    {R"re(\bfloat\s*\(\s*")re", "", "infinity has a name of its own here", "inf, and -inf below every number"},
    {R"re(\bINFINITY\b|\bHUGE_VALF?\b|\bnp\.inf\b|\bmath\.inf\b)re", "", "infinity has a name of its own here",
     "inf, and -inf below every number"},
    {R"re(^\s*if\s+[^(].*:\s*$)re", "", "an if as Python writes it",
     "if (n > 3) { ... } for one value; lanes of a block are chosen by a mask or by tl.where(mask, a, b)"},
    {R"re(\btl\.(?:zeros|full|broadcast_to|reshape)\(\s*(?:\w+\s*,\s*)?[{\[])re", "", "a shape is made by tl.shape",
     "tl.zeros(tl.shape(bm, bn), tl.float32)"},
    {R"re(^\s*#)re", "directive", "# begins no comment in C++", "// does"},
    {R"re(#)re", "stray '#'", "# begins no comment in C++", "// does"},
    {R"re(;\s*#\s)re", "expected", "# begins no comment in C++", "// does"},  // clang, and NVRTC
    {R"re(\w\s*@\s*\w)re", "", "@ multiplies no blocks here", "tl.dot(a, b)"},
    {R"re(\w\s*\*\*\s*\w)re", "", "** is not a power in C++", "x * x, tl.pow(x, y), or 1_c << n of constants"},
    {R"re(\.to\([^()]*,[\s"]*\))re", "", "a cast rounds to nearest even, and has no other way",
     "x.to(tl.bfloat16), which is Triton's fp_downcast_rounding=\"rtne\""},
    {R"re(\btl\.static_check\(.*[=<>]\s*-?\d+\s*[,)&|])re", "onstant",
     "tl.static_check takes a constant, and this comparison with a plain number is not constant",
     "write the number as one: K % BLOCK == 0_c"},
    {R"re(\b(?:int|long|float)\s+\w+\s*=)re", "conver", "a value of the language is not a plain int or float",
     "declare it with auto; a loop is for (auto i : tl.range(first, end, step))"},
};

// The words that options of accesses and atomics take.
struct Words {
  const char *option, *words;  // separated by spaces
  const char* message;         // of the rule above
};
constexpr Words option_words[] = {{"eviction_policy", "evict_first evict_last evict_normal", "an_eviction_policy_is"},
                                  {"cache_modifier", ".ca .cg .cs .cv .wb .wt", "a_cache_modifier_is"},
                                  {"sem", "relaxed acquire release acq_rel", "a_sem_is"},
                                  {"scope", "gpu cta sys", "a_scope_is"}};

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

bool is_option_of_words(const std::string& option) {
  return std::ranges::any_of(option_words, [&](const Words& w) { return option == w.option; });
}

std::optional<Habit> wrong_word(const std::string& option, const std::string& word) {
  for (const Words& w : option_words)
    if (option == w.option && !word.empty()) {
      std::istringstream words(w.words);
      for (std::string known; words >> known;)
        if (known == word) return std::nullopt;
      return habit_in(w.message, "");
    }
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
    std::vector<std::string> all = {
        "cast",      "shape",   "axes",        "tuple",   "static_for", "static_if",  "static_check", "zeros_like",
        "full_like", "ravel",   "broadcast",   "fdiv",    "div_rn",     "sqrt_rn",    "libdevice",    "inf",
        "int1",      "int8",    "int16",       "int32",   "int64",      "uint8",      "uint16",       "uint32",
        "uint64",    "float16", "bfloat16",    "float32", "float64",    "float8e4nv", "float8e5",     "tf32",
        "tf32x3",    "bf16x3",  "bf16x6",      "ieee",    "zero",       "nan",        "bitcast",      "rtz",
        "keep_dims", "is_none", "pointer_type"};
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
  // Words of C++ alone, which Triton has not.
  static constexpr std::pair<const char*, const char*> own[] = {
      {"shape", "it takes constants: a constexpr_ parameter such as BLOCK, or a literal such as 16_c"},
      {"axes", "it takes constants: tl.axes(1_c, 0_c)"},
      {"static_for",
       "it takes constants and a lambda: tl.static_for(4_c, [&](auto i) { ... }), or first, end and step"},
      {"static_check", "it takes a constant and a text: tl.static_check(BLOCK > 2_c, \"the block is large\")"},
      {"static_if", "its condition is a constant: compare constants, as in BLOCK > 2_c"},
      {"pointer_type", "it takes a dtype: tl.load(table + i).to(tl.pointer_type(tl.float16))"},
      {"max", "it reduces a block along an axis: tl.max(x, 0); the larger of two values is tl.maximum(a, b)"},
      {"min", "it reduces a block along an axis: tl.min(x, 0); the smaller of two values is tl.minimum(a, b)"}};
  for (const auto& [name, usage] : own)
    if (op == name) return usage;
  const std::string call = call_in_cpp(op);
  return call.empty() ? "" : "it is called as in " + call;
}

namespace {
// .mask, .sem and .scope
std::string words_of(const std::vector<std::string>& options) {
  std::string text;
  for (std::size_t i = 0; i < options.size(); ++i)
    text += (i == 0 ? "." : i + 1 < options.size() ? ", ." : " and .") + options[i];
  return text;
}
}  // namespace

std::optional<Habit> foreign_option(const std::string& op, const std::string& line) {
  if (op != "load" && op != "store" && !op.starts_with("atomic_")) return std::nullopt;
  const std::vector<std::string> known = options_in_cpp(op);
  static const std::regex option(R"([{,]\s*\.(\w+)\s*=)");
  const std::string code = text::code_of(line);
  for (std::sregex_iterator it(code.begin(), code.end(), option), end; it != end; ++it)
    if (const std::string name = (*it)[1]; std::ranges::find(known, name) == known.end())
      return Habit{"tl." + op + " has no option ." + name, name == "volatile"
                                                               ? "volatile is a word of C++: .is_volatile = true"
                                                               : "its options are " + words_of(known)};
  return std::nullopt;
}

}  // namespace tl
