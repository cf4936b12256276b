#include "interp/cuda/host/dots_of_text.h"

#include <list>
#include <map>
#include <set>
#include <vector>

#include "interp/text/model.h"

namespace tl::cuda {

namespace {

using text::TokenKind;
using Tokens = std::vector<text::Token>;

struct Piece {
  const Tokens* of;
  text::TokenRange range;
  const text::Token& at(int i) const { return (*of)[i]; }
};

// What a piece of text multiplies. Exact: each call names ieee, and nothing is made narrower than fp32.
rules::Dots dots_in(const Piece& p) {
  rules::Dots found = rules::Dots::none;
  for (int i = p.range.first + 1; i < p.range.last; ++i) {
    const bool is_dot = p.at(i).is("dot"), is_scaled = p.at(i).is("dot_scaled");
    if (!(is_dot || is_scaled) || !(p.at(i - 1).is(".") || p.at(i - 1).is("->") || p.at(i - 1).is("template")) ||
        !(p.at(i + 1).is("(") || p.at(i + 1).is("<")))
      continue;
    bool is_exact = false;
    int depth = 0;
    for (int j = i + 1; j <= p.range.last; ++j) {
      depth += p.at(j).is("(") - p.at(j).is(")");
      is_exact |= depth == 1 && p.at(j).is("ieee");
      if (depth == 0 && p.at(j).is(")")) break;
    }
    if (is_scaled || !is_exact) return rules::Dots::any;
    found = rules::Dots::exact;
  }
  return found;
}
bool makes_narrow(const Piece& p) {
  for (int i = p.range.first; i <= p.range.last; ++i)
    for (const char* dtype : {"float16", "bfloat16", "float8e4nv", "float8e5", "int8"})
      if (p.at(i).is(dtype)) return true;
  return false;
}

// What the sources define: functors, helpers, macros.
class Definitions {
 public:
  void add(const std::string& source) {
    for (const text::Token& t : text::lex_with_comments(source))
      if (t.kind == TokenKind::directive) add_macro(t.text.substr(1));
    const Tokens& tokens = texts_.emplace_back(text::lex(source));
    for (const text::Definition& d : text::definitions_of(tokens)) add(d.name, {&tokens, d.tokens});
  }
  bool any_calls() const { return any_calls_; }
  auto of(const std::string& name) const { return pieces_.equal_range(name); }

 private:
  void add_macro(std::string_view directive) {
    const Tokens& tokens = texts_.emplace_back(text::lex(directive));
    if (tokens.size() > 1 && tokens[0].is("define"))
      add(std::string(tokens[1].text), {&tokens, {0, static_cast<int>(tokens.size()) - 1}});
  }
  void add(const std::string& name, const Piece& piece) {
    any_calls_ |= dots_in(piece) != rules::Dots::none;
    pieces_.emplace(name, piece);
  }

  std::list<Tokens> texts_;
  std::multimap<std::string, Piece> pieces_;
  bool any_calls_ = false;
};

}  // namespace

rules::Dots dots_of_text(const Sources& sources, const std::string& kernel) {
  Definitions definitions;
  for (const auto& [path, text] : sources)
    if (!path.starts_with("interp/")) definitions.add(text);
  if (!definitions.any_calls()) return rules::Dots::none;

  // From the kernel's name on: what its definition names, what theirs name.
  std::vector<std::string> open;
  const auto follow = [&](const text::Token& t) {
    if (t.kind == TokenKind::name) open.emplace_back(t.text);
  };
  const std::string functor = kernel.substr(0, kernel.find('<'));
  for (const text::Token& t : text::lex(kernel)) follow(t);
  std::set<std::string> reached;
  bool is_defined = false, is_narrow = false;
  rules::Dots found = rules::Dots::none;
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    if (!reached.insert(name).second) continue;
    const auto [first, last] = definitions.of(name);
    for (auto it = first; it != last; ++it) {
      const rules::Dots here = dots_in(it->second);
      if (here == rules::Dots::any) return here;
      if (here == rules::Dots::exact) found = here;
      is_narrow |= makes_narrow(it->second);
      is_defined |= functor == name || functor.ends_with("::" + name);
      for (int i = it->second.range.first; i <= it->second.range.last; ++i) follow(it->second.at(i));
    }
  }
  return !is_defined || (found == rules::Dots::exact && is_narrow) ? rules::Dots::any : found;
}

}  // namespace tl::cuda
