#include "interp/cuda/host/words.h"

#include <array>
#include <regex>
#include <utility>
#include <vector>

#include "interp/lang/text.h"

namespace tl::cuda {

namespace {

std::string dtype_in_words(const std::string& type) {
  static const std::array<std::pair<std::string_view, const char*>, 17> names{{{"float", "f32"},
                                                                               {"double", "f64"},
                                                                               {"int", "i32"},
                                                                               {"long long", "i64"},
                                                                               {"unsigned int", "u32"},
                                                                               {"unsigned", "u32"},
                                                                               {"unsigned char", "u8"},
                                                                               {"bool", "i1"},
                                                                               {"tl::Float16", "f16"},
                                                                               {"__half", "f16"},
                                                                               {"tl::BFloat16", "bf16"},
                                                                               {"__nv_bfloat16", "bf16"},
                                                                               {"tl::Float8E4NV", "f8e4nv"},
                                                                               {"__nv_fp8_e4m3", "f8e4nv"},
                                                                               {"tl::Float8E5", "f8e5"},
                                                                               {"__nv_fp8_e5m2", "f8e5"},
                                                                               {"tl::Float", "f32"}}};
  for (const auto& [name, words] : names)
    if (type == name) return words;
  return type;
}

// Where the `<` at `open` is closed; npos when it is not.
std::size_t closing(const std::string& s, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < s.size(); ++i) {
    depth += s[i] == '<' ? 1 : s[i] == '>' ? -1 : 0;
    if (depth == 0) return i;
  }
  return std::string::npos;
}

std::vector<std::string> arguments_of(const std::string& inside) {
  std::vector<std::string> arguments(1);
  int depth = 0;
  for (const char c : inside) {
    depth += c == '<' || c == '(' || c == '[' ? 1 : c == '>' || c == ')' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0) arguments.emplace_back();
    else arguments.back() += c;
  }
  for (auto& argument : arguments) argument = trimmed(argument);
  return arguments;
}

// One of the executor's types, its arguments in words already: a Shape among them reads [64, 32].
std::string type_in_words(const std::string& name, const std::string& inside) {
  const auto arguments = arguments_of(inside);
  std::string shape;
  for (const auto& argument : arguments)
    if (argument.starts_with('[')) shape = argument;
  const auto dtype = [&](std::size_t i) { return i < arguments.size() ? dtype_in_words(arguments[i]) : std::string(); };
  if (name == "tl::Shape") return '[' + inside + ']';
  if (name == "tl::constant") return "the constant " + inside;
  if (name == "tl::cuda::Context" || name == "tl::cuda::Producer" || name == "tl::cuda::Consumer") return "tl";
  if (name == "tl::Ptr") return "pointer to " + dtype(0);
  if (name == "tl::Scalar" || name == "tl::Int") return dtype(0);
  if (name == "tl::Block") return dtype(0) + shape;
  if (name == "tl::PtrBlock") return "pointers to " + dtype(1) + shape;
  if (name == "tl::GatherBlock") return "pointers to " + dtype(0) + shape;
  if (name == "tl::BlockPtr") return "block pointer to " + dtype(1) + shape;
  if (name == "tl::Descriptor") return "descriptor of " + dtype(0) + shape;
  if (name == "tl::Index") return dtype(1) + shape;
  for (const char* mask :
       {"tl::Box", "tl::Condition", "tl::Combined", "tl::Compared", "tl::Negated", "tl::Stretched", "tl::SlicedCondition"})
    if (name == mask) return "mask" + shape;
  return name + '<' + inside + '>';
}

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':'; }

std::string types_in_words(const std::string& s) {
  std::string out;
  for (std::size_t i = 0; i < s.size();) {
    const auto end = s.compare(i, 4, "tl::") == 0 && (i == 0 || !is_name(s[i - 1])) ? i : std::string::npos;
    std::size_t open = i;
    while (end != std::string::npos && open < s.size() && is_name(s[open])) ++open;
    const auto close = end != std::string::npos && open < s.size() && s[open] == '<' ? closing(s, open) : std::string::npos;
    if (close == std::string::npos) {
      out += s[i++];
      continue;
    }
    out += type_in_words(s.substr(i, open - i), types_in_words(s.substr(open + 1, close - open - 1)));
    i = close + 1;
  }
  return out;
}

}  // namespace

std::string plain_words(const std::string& message) {
  static const std::regex with(R"( \[with [^\]]*\])"), object(R"re((; )?object type is: .*$)re"), also(R"( \(aka "[^"]*"\))");
  static const std::regex member(R"re("tl::cuda::\w+<Cfg>::(\w+)")re"), executor(R"re((class|struct) "tl")re");
  static const std::regex no_match(R"(no instance of (?:overloaded )?function(?: template)? (tl\.\w+) matches the argument list)");
  std::string text = std::regex_replace(message, with, "");
  text = std::regex_replace(text, also, "");
  text = std::regex_replace(text, member, "tl.$1");
  text = types_in_words(text);
  text = std::regex_replace(text, object, "");
  text = std::regex_replace(text, executor, "tl");
  return std::regex_replace(text, no_match, "no $1 takes these arguments");
}

}  // namespace tl::cuda
