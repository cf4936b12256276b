#include "interp/cuda/host/words.h"

#include <array>
#include <map>
#include <regex>
#include <utility>
#include <vector>

#include "interp/lang/text.h"

namespace tl::cuda {

namespace {

std::string dtype_in_words(const std::string& type) {
  static const std::array<std::pair<std::string_view, const char*>, 22> names{{{"float", "f32"},
                                                                               {"double", "f64"},
                                                                               {"int", "i32"},
                                                                               {"long long", "i64"},
                                                                               {"unsigned int", "u32"},
                                                                               {"unsigned", "u32"},
                                                                               {"unsigned long long", "u64"},
                                                                               {"unsigned char", "u8"},
                                                                               {"signed char", "i8"},
                                                                               {"short", "i16"},
                                                                               {"unsigned short", "u16"},
                                                                               {"bool", "i1"},
                                                                               {"__nv_bool", "i1"},
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
  if (name == "tl::Dtype" && inside.starts_with("tl::DType::")) return "tl." + inside.substr(11);
  if (name == "tl::Descriptor") return "descriptor of " + dtype(0) + shape;
  if (name == "tl::Index") return dtype(1) + shape;
  for (const char* mask : {"tl::Box", "tl::Condition", "tl::Combined", "tl::Compared", "tl::Negated", "tl::Stretched",
                           "tl::SlicedCondition"})
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
    const auto close =
        end != std::string::npos && open < s.size() && s[open] == '<' ? closing(s, open) : std::string::npos;
    if (close == std::string::npos) {
      out += s[i++];
      continue;
    }
    out += type_in_words(s.substr(i, open - i), types_in_words(s.substr(open + 1, close - open - 1)));
    i = close + 1;
  }
  return out;
}

// [with A=tl::Block<float, ...>, N=<4, 4>]: what the parameters of a template are.
std::map<std::string, std::string> bindings_of(const std::string& with) {
  std::map<std::string, std::string> bindings;
  for (const std::string& binding : arguments_of(with))
    if (const auto equals = binding.find('='); equals != std::string::npos)
      bindings[binding.substr(0, equals)] = binding.substr(equals + 1);
  return bindings;
}

// A type as declared, `const A &` or `tl::Shape<N...>`, as it is bound, in words; "" where they would not be plain.
std::string bound_in_words(std::string type, const std::map<std::string, std::string>& bindings) {
  type = std::regex_replace(type, std::regex(R"(\bconst\b|&)"), "");
  std::string bound;
  for (std::size_t i = 0; i < type.size();) {
    std::size_t end = i;
    while (end < type.size() && is_name(type[end])) ++end;
    const auto it = bindings.find(type.substr(i, end - i));
    if (it == bindings.end()) {
      bound += type.substr(i, std::max<std::size_t>(end - i, 1));
      i = std::max(end, i + 1);
      continue;
    }
    const bool is_pack = it->second.starts_with('<');
    bound += is_pack ? it->second.substr(1, it->second.size() - 2) : it->second;
    i = is_pack && type.compare(end, 3, "...") == 0 ? end + 3 : end;
  }
  std::string words = trimmed(types_in_words(trimmed(bound)));
  if (words.starts_with("the constant ")) words = words.substr(13) + "_c";
  if (words == "__nv_bool") return "bool";
  if (words == "tl::Zero" || words.find("nullptr") != std::string::npos) return "0";
  for (const char* not_plain : {"::", "<", "..."})
    if (words.find(not_plain) != std::string::npos) return "";
  return words == "auto" ? "" : words;
}

}  // namespace

std::string call_in_words(const std::string& frame) {
  const auto first = frame.find('"'), last = frame.rfind('"');
  if (first == last) return "";
  std::string call = frame.substr(first + 1, last - first - 1);
  std::map<std::string, std::string> bindings;
  if (const auto with = call.find(" [with "); with != std::string::npos) {
    bindings = bindings_of(call.substr(with + 7, call.size() - with - 8));
    call.resize(with);
  }
  const auto close = call.rfind(')');
  if (close == std::string::npos) return "";
  std::size_t open = close;
  for (int depth = 1; depth > 0 && open > 0;) depth += call[--open] == ')' ? 1 : call[open] == '(' ? -1 : 0;
  std::vector<std::string> given;
  for (const std::string& parameter : arguments_of(call.substr(open + 1, close - open - 1)))
    if (!parameter.empty()) given.push_back(bound_in_words(parameter, bindings));
  const std::string before = call.substr(0, open);
  if (const auto at = before.find("operator"); at != std::string::npos) {
    const std::string symbol = before.substr(at + 8);
    if (symbol.find_first_not_of("+-*/%<>=!&|^~") != std::string::npos) return "";
    if (given.size() == 1 && at >= 2 &&
        before.compare(at - 2, 2, "::") == 0) {  // a member: what stands before it is the left side
      std::size_t begin = at - 2;
      for (int depth = 0; begin > 0 && (depth > 0 || before[begin - 1] == '>' || is_name(before[begin - 1]) ||
                                        before[begin - 1] == '<');)
        depth += before[--begin] == '>' ? 1 : before[begin] == '<' ? -1 : 0;
      given.insert(given.begin(), bound_in_words(before.substr(begin, at - 2 - begin), bindings));
    }
    return given.size() == 2 && !given[0].empty() && !given[1].empty() ? given[0] + " " + symbol + " " + given[1] : "";
  }
  std::size_t end = before.size(), begin;
  if (end > 0 && before[end - 1] == '>')
    for (int depth = 0; end > 0;)
      if ((depth += before[--end] == '>' ? 1 : before[end] == '<' ? -1 : 0) == 0) break;
  for (begin = end;
       begin > 0 && (std::isalnum(static_cast<unsigned char>(before[begin - 1])) || before[begin - 1] == '_');)
    --begin;
  std::string text = "tl." + before.substr(begin, end - begin) + "(";
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].empty()) return "";
    text += (i ? ", " : "") + given[i];
  }
  return given.empty() ? "" : text + ")";
}

namespace {

// ` [with T=float, N=4]`: what the parameters of a template are.
std::string without_bindings(std::string text) {
  for (auto from = text.find(" [with "); from != std::string::npos; from = text.find(" [with ", from)) {
    const auto end = text.find(']', from);
    if (end == std::string::npos) break;
    text.erase(from, end - from + 1);
  }
  return text;
}

// `"Mask" (aka "tl::Box<...>")`: the type behind the alias is what is described.
std::string without_aliases(std::string text) {
  constexpr std::string_view aka = "\" (aka ";
  for (auto at = text.find(aka); at != std::string::npos; at = text.find(aka, at + 1)) {
    const auto begin = at == 0 ? std::string::npos : text.rfind('"', at - 1), end = text.find("\")", at + aka.size());
    if (begin == std::string::npos || end == std::string::npos) break;
    const std::string meant = text.substr(at + aka.size(), end + 1 - at - aka.size());
    text.replace(begin, end + 2 - begin, meant);
    at = begin;
  }
  return text;
}

std::string without_object(std::string text) {
  auto from = text.find("object type is: ");
  if (from == std::string::npos) return text;
  if (from >= 2 && text.compare(from - 2, 2, "; ") == 0) from -= 2;
  return text.substr(0, from);
}

constexpr std::size_t longest_message = 2000;

}  // namespace

std::string plain_words(const std::string& message) {
  static const std::regex boolean(R"(\b__nv_bool\b)"), value(R"(\bconst (tl\.|[iubf]\w*\d\b))"),
      member(R"re("tl::cuda::\w+<Cfg>::(\w+)")re"), executor(R"re((class|struct) "tl")re");
  static const std::regex no_match(
      R"(no instance of (?:overloaded )?function(?: template)? (tl\.\w+) matches the argument list)");
  std::string text = without_aliases(without_bindings(message));
  text = std::regex_replace(text, boolean, "bool");
  text = std::regex_replace(text, member, "tl.$1");
  text = without_object(std::regex_replace(types_in_words(text), value, "$1"));
  text = std::regex_replace(text, executor, "tl");
  text = std::regex_replace(text, no_match, "no $1 takes these arguments");
  return text.size() <= longest_message ? text : text.substr(0, longest_message) + " ...";
}

}  // namespace tl::cuda
