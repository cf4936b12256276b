#include "interp/cuda/host/calls_dot.h"

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

bool calls(const Piece& p) {
  for (int i = p.range.first + 1; i < p.range.last; ++i)
    if ((p.at(i).is("dot") || p.at(i).is("dot_scaled")) &&
        (p.at(i - 1).is(".") || p.at(i - 1).is("->") || p.at(i - 1).is("template")) &&
        (p.at(i + 1).is("(") || p.at(i + 1).is("<")))
      return true;
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
    any_calls_ |= calls(piece);
    pieces_.emplace(name, piece);
  }

  std::list<Tokens> texts_;
  std::multimap<std::string, Piece> pieces_;
  bool any_calls_ = false;
};

}  // namespace

bool calls_dot(const Sources& sources, const std::string& kernel) {
  Definitions definitions;
  for (const auto& [path, text] : sources)
    if (!path.starts_with("interp/")) definitions.add(text);
  if (!definitions.any_calls()) return false;

  // From the kernel's name on: what its definition names, what theirs name.
  std::vector<std::string> open;
  const auto follow = [&](const text::Token& t) {
    if (t.kind == TokenKind::name) open.emplace_back(t.text);
  };
  const std::string functor = kernel.substr(0, kernel.find('<'));
  for (const text::Token& t : text::lex(kernel)) follow(t);
  std::set<std::string> reached;
  bool is_defined = false;
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    if (!reached.insert(name).second) continue;
    const auto [first, last] = definitions.of(name);
    for (auto it = first; it != last; ++it) {
      if (calls(it->second)) return true;
      is_defined |= functor == name || functor.ends_with("::" + name);
      for (int i = it->second.range.first; i <= it->second.range.last; ++i) follow(it->second.at(i));
    }
  }
  return !is_defined;
}

}  // namespace tl::cuda
