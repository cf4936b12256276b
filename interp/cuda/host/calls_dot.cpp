#include "interp/cuda/host/calls_dot.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <ranges>
#include <set>
#include <string_view>
#include <vector>

namespace tl::cuda {

namespace {

using Words = std::vector<std::string>;  // names, and signs of one character each

bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_name(const std::string& word) {
  return is_name_part(word[0]) && !std::isdigit(static_cast<unsigned char>(word[0]));
}

// Where what begins at `i` ends: a comment, a literal; `i` itself for anything else.
std::size_t beyond_what_is_no_code(std::string_view text, std::size_t i) {
  const auto found = [&](std::size_t at, std::size_t length) { return at == text.npos ? text.size() : at + length; };
  if (text.substr(i, 2) == "//") return found(text.find('\n', i), 0);
  if (text.substr(i, 2) == "/*") return found(text.find("*/", i + 2), 2);
  if (text[i] != '"' && text[i] != '\'') return i;
  std::size_t end = i + 1;
  while (end < text.size() && text[end] != text[i] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
  return std::min(text.size(), end + 1);
}

Words words_of(std::string_view text) {
  Words words;
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t end = beyond_what_is_no_code(text, i); end != i) i = end;
    else if (is_name_part(text[i])) {
      std::size_t last = i + 1;  // 1'000 is one number
      while (last < text.size() &&
             (is_name_part(text[last]) || (text[last] == '\'' && std::isdigit(static_cast<unsigned char>(text[i])))))
        ++last;
      words.emplace_back(text.substr(i, last - i));
      i = last;
    } else {
      if (!std::isspace(static_cast<unsigned char>(text[i]))) words.emplace_back(1, text[i]);
      ++i;
    }
  }
  return words;
}

bool opens(const std::string& w) { return w == "{" || w == "(" || w == "["; }
bool closes(const std::string& w) { return w == "}" || w == ")" || w == "]"; }

// What stands in namespaces, each up to its last brace or semicolon.
std::vector<Words> definitions_of(const Words& words) {
  std::vector<Words> all(1);
  int depth = 0;
  for (const std::string& w : words) {
    if (w == "{" && depth == 0 && std::ranges::find(all.back(), "namespace") != all.back().end()) {
      all.back().clear();  // its closing brace comes alone
      continue;
    }
    all.back().push_back(w);
    depth = std::max(0, depth + opens(w) - closes(w));
    if (depth == 0 && (w == "}" || w == ";")) all.emplace_back();
  }
  return all;
}

// The name that a definition gives: the last one before its parameters, value, bases or body; "" where there is none.
std::string name_of(const Words& definition) {
  std::string name;
  int angles = 0, depth = 0;
  for (const std::string& w : definition) {
    if (w == "<") ++angles;
    else if (w == ">") angles = std::max(0, angles - 1);
    else if (angles > 0) continue;
    const bool is_a_group = w == "(" && (name == "requires" || name == "decltype" || name == "alignas");
    if (depth == 0 && !is_a_group && (w == "(" || w == "=" || w == "{" || w == ";") && !name.empty()) return name;
    depth += opens(w) - closes(w);
    if (depth == 0 && is_name(w) && w != "final") name = w;
    if (depth == 0 && w == ":" && !name.empty() && std::ranges::find(definition, "struct") != definition.end())
      return name;
  }
  return "";
}

bool calls(const Words& words) {
  for (std::size_t i = 1; i + 1 < words.size(); ++i)
    if (words[i] == "dot" && (words[i - 1] == "." || words[i - 1] == ">" || words[i - 1] == "template") &&
        (words[i + 1] == "(" || words[i + 1] == "<"))
      return true;
  return false;
}

}  // namespace

bool calls_dot(const Sources& sources, const std::string& kernel) {
  std::multimap<std::string, Words> definitions;
  bool anything_calls = false;
  for (const auto& [path, text] : sources) {
    if (path.starts_with("interp/")) continue;
    const Words words = words_of(text);
    anything_calls |= calls(words);
    for (Words& d : definitions_of(words)) definitions.emplace(name_of(d), std::move(d));
  }
  if (!anything_calls) return false;

  std::set<std::string> reached;
  Words open = words_of(kernel);
  const std::string functor = name_of(words_of(kernel + ";"));
  bool is_defined = false;
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    if (!is_name(name) || !reached.insert(name).second) continue;
    const auto [first, last] = definitions.equal_range(name);
    for (auto it = first; it != last; ++it) {
      if (calls(it->second)) return true;
      is_defined |= name == functor;
      open.insert(open.end(), it->second.begin(), it->second.end());
    }
  }
  return !is_defined;
}

}  // namespace tl::cuda
