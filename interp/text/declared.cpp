#include "interp/text/declared.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "interp/text/model.h"

namespace tl::text {
namespace {

using Words = std::vector<std::string>;

class Declarer {
 public:
  explicit Declarer(const Model& model) : m_(model) {}

  std::string run() {
    if (!is_whole()) return written();
    find_blocks();
    for (const Function& f : m_.functions()) declare_function(f);
    for (const Lambda& l : m_.lambdas())
      if (is_declared(l.body.first - 1)) enter(l.body.first - 1, l.parameters, l.captures);
    for (const Statement& s : m_.statements())
      if (is_declared(s.tokens.first)) s.kind == StatementKind::plain ? declare_plain(s) : declare_flow(s);
    for (const int brace : scopes_)
      if (!functions_.contains(brace)) before_.emplace(end_of(brace), "::tl::cpu::Scope tl_scope;");
    return written();
  }

 private:
  std::size_t begin_of(int token) const {
    return static_cast<std::size_t>(m_.token(token).text.data() - m_.text().data());
  }
  std::size_t end_of(int token) const { return end_of(m_.token(token)); }
  std::size_t end_of(const Token& t) const {
    return static_cast<std::size_t>(t.text.data() - m_.text().data()) + t.text.size();
  }
  void insert(std::size_t at, const std::string& words) { inserted_[at] += words; }

  // All brackets are matched, so that where each body begins and ends is certain.
  bool is_whole() const {
    return std::none_of(m_.tokens().begin(), m_.tokens().end(), [](const Token& t) {
      return t.partner < 0 && t.text.size() == 1 && std::string_view("()[]{}").find(t.text) != std::string_view::npos;
    });
  }
  // Finds the bracket around each token, and what must stay unchanged: constexpr functions, and the block of a switch,
  // since no case label may jump past an object.
  void find_blocks() {
    std::vector<int> open;
    const int count = static_cast<int>(m_.tokens().size());
    for (int i = 0; i < count; ++i) {
      const int partner = m_.token(i).partner;
      if (partner >= 0 && partner < i) open.pop_back();
      block_.push_back(open.empty() ? -1 : open.back());
      if (partner > i) open.push_back(i);
    }
    for (const Statement& s : m_.statements()) {
      if (s.kind == StatementKind::plain || s.kind == StatementKind::returns) continue;
      if (m_.is(s.tokens.first, "switch")) switches_.insert(s.body.first);
      bodies_.insert(s.body.first);
      if (!s.otherwise.is_empty()) bodies_.insert(s.otherwise.first);
    }
    for (const Function& f : m_.functions())
      if (f.is_constexpr) constant_.push_back(f.body);
  }
  bool is_declared(int token) const {
    return std::none_of(constant_.begin(), constant_.end(), [&](const TokenRange& r) { return r.contains(token); });
  }

  static std::string named(const std::string& name, bool is_initialized = true) {
    return is_initialized ? "::tl::cpu::named(\"" + name + "\"," + name + ");"
                          : "::tl::cpu::unnamed(\"" + name + "\");";
  }
  static std::string named(const Statement& s) {
    std::string words;
    for (std::size_t i = 0; i < s.names.size(); ++i) words += named(s.names[i], s.is_initialized[i]);
    return words;
  }

  void declare_function(const Function& f) {
    const int brace = f.begin;
    if (f.is_constexpr || !is_declared(brace)) return;
    functions_.insert(brace);
    const Token& opens = m_.token(brace);
    const bool takes_call = takes_call_location(f);
    before_.emplace(end_of(brace), "::tl::cpu::Frame tl_frame(" + std::to_string(opens.line) + "," +
                                       std::to_string(opens.column) + (takes_call ? ",tl_call" : "") + ");");
    enter(brace, f.parameters, f.captures);
    if (!takes_call) return;
    const std::string parameter = "::tl::cpu::Location tl_call=TL_LOCATION";
    if (f.opens < 0) return insert(end_of(m_.token(f.captures).partner), "(" + parameter + ")");
    const int close = m_.token(f.opens).partner;
    insert(begin_of(close), (close == f.opens + 1 ? "" : ",") + parameter);
  }
  // Whether the function gets one more parameter, the location of its call: all do but the kernel itself, operators,
  // functions with a parameter pack, and those that are declared elsewhere as well.
  bool takes_call_location(const Function& f) const {
    const auto is_pack = [](const Parameter& p) { return p.is_pack; };
    if (f.is_functor || std::any_of(f.parameters.begin(), f.parameters.end(), is_pack)) return false;
    if (f.captures >= 0) return true;
    if (f.opens < 2 || m_.is(f.opens - 2, "operator") || m_.is(f.opens - 2, "~") || m_.is(f.opens + 1, "void"))
      return false;
    for (int i = 0; i + 1 < static_cast<int>(m_.tokens().size()); ++i) {
      if (!m_.token(i).is(f.name) || !m_.is(i + 1, "(") || i + 1 == f.opens || is_in_function(i)) continue;
      const auto defines = [&](const Function& other) { return other.opens == i + 1; };
      if (std::none_of(m_.functions().begin(), m_.functions().end(), defines)) return false;
    }
    return true;
  }
  bool is_in_function(int token) const {
    return std::any_of(m_.functions().begin(), m_.functions().end(),
                       [&](const Function& f) { return f.body.contains(token); });
  }

  // At the start of a body: declares its parameters and, of a lambda, its captured copies.
  void enter(int brace, const std::vector<Parameter>& parameters, int captures) {
    std::string words;
    for (const Parameter& p : parameters)
      if (!p.name.empty() && !p.is_pack) words += named(p.name);
    if (captures >= 0)
      for (const std::string& name : copies_of(captures, brace)) words += named(name);
    if (!words.empty()) scopes_.insert(brace);
    insert(end_of(brace), words);
  }

  std::set<std::string> copies_of(int captures, int brace) const {
    std::set<std::string> names;
    for (const TokenRange& piece : m_.split(captures)) {
      const int name = m_.is(piece.first, "&") ? piece.first + 1 : piece.first;
      const bool is_default = m_.is(piece.first, "=");
      const bool has_value = m_.is(name + 1, "=") && name < piece.last;
      if (is_default) {
        for (int i = brace + 1; i < m_.token(brace).partner; ++i)
          if (const std::string name(m_.token(i).text);
              is_variable(i) && is_visible(name, captures) && !is_declared_in(name, brace))
            names.insert(name);
      } else if ((name == piece.first || has_value) && is_variable(name) && !m_.is(name, "this")) {
        names.emplace(m_.token(name).text);
      }
    }
    return names;
  }
  bool is_variable(int i) const {
    return m_.token(i).kind == TokenKind::name && !m_.is_member(i) && !m_.is(i - 1, "::") && !m_.is(i + 1, "::");
  }
  // Is a name declared around the token `at`, before it?
  bool is_visible(const std::string& name, int at) const {
    const auto is_parameter = [&](const auto& f) { return f.body.contains(at) && has_parameter(f.parameters, name); };
    return std::ranges::any_of(m_.functions(), is_parameter) || std::ranges::any_of(m_.lambdas(), is_parameter) ||
           std::ranges::any_of(m_.statements(), [&](const Statement& s) {
             if (std::ranges::find(s.names, name) == s.names.end()) return false;
             if (s.kind != StatementKind::plain) return s.body.contains(at) || s.otherwise.contains(at);
             const int block = block_[s.tokens.first];
             return s.tokens.last < at && (block < 0 || at < m_.token(block).partner);
           });
  }
  // Is it declared within the body that begins at `brace`, or one of its parameters?
  bool is_declared_in(const std::string& name, int brace) const {
    const TokenRange body{brace + 1, m_.token(brace).partner - 1};
    const auto is_parameter = [&](const auto& f) {
      return f.body.first == body.first && has_parameter(f.parameters, name);
    };
    return std::ranges::any_of(m_.functions(), is_parameter) || std::ranges::any_of(m_.lambdas(), is_parameter) ||
           std::ranges::any_of(m_.statements(), [&](const Statement& s) {
             return body.contains(s.tokens.first) && std::ranges::find(s.names, name) != s.names.end();
           });
  }
  static bool has_parameter(const std::vector<Parameter>& parameters, const std::string& name) {
    return std::ranges::any_of(parameters, [&](const Parameter& p) { return p.name == name && !p.is_pack; });
  }

  void declare_plain(const Statement& s) {
    const int block = block_[s.tokens.first];
    if (!m_.is(block, "{") || bodies_.contains(s.tokens.first)) return;
    if (s.names.empty()) return declare_again(s);
    if (!m_.is(s.tokens.last, ";")) return;
    declare_in(block, end_of(s.tokens.last), named(s));
  }
  void declare_in(int block, std::size_t at, const std::string& words) {
    if (!switches_.contains(block)) scopes_.insert(block);  // a switch has its scope around it
    insert(at, words);
  }

  // `MACRO(x, value);` or `MACRO(x) { ... }`: a macro may declare what it is given, so that a name that was visible
  // before may mean another variable behind it. A helper, which is given tl, declares nothing.
  void declare_again(const Statement& s) {
    const int name = s.tokens.first, next = s.tokens.last + 1;
    const bool opens_block = m_.is(next, "{");
    if (!is_variable(name) || !m_.is(name + 1, "(") || is_visible(std::string(m_.token(name).text), name) ||
        !(opens_block || m_.is(s.tokens.last, ";")) || m_.is(next, "else"))
      return;
    std::string words;
    for (const TokenRange& piece : m_.split(name + 1)) {
      if (piece.first != piece.last) continue;
      const std::string argument(m_.token(piece.first).text);
      if (argument == "tl") return;
      if (is_variable(piece.first) && is_visible(argument, name)) words += named(argument);
    }
    if (words.empty()) return;
    declare_in(opens_block ? next : block_[name], end_of(opens_block ? next : s.tokens.last), words);
  }

  // What a loop or a condition declares is named in its bodies. Elsewhere in it, and in all of a switch, where a label
  // may be jumped to past a declaration, a name of its own that was visible before is not known.
  void declare_flow(const Statement& s) {
    if (s.kind == StatementKind::returns) return;
    const int first = s.tokens.first;
    const bool is_switch = m_.is(first, "switch");
    std::set<std::string> own(s.names.begin(), s.names.end());
    if (is_switch)
      for (const Statement& d : m_.statements())
        if (block_[d.tokens.first] == s.body.first) own.insert(d.names.begin(), d.names.end());
    std::string hidden;
    for (const std::string& name : own)
      if (is_switch || is_visible(name, first)) hidden += named(name, false);
    const TokenRange& end = s.otherwise.is_empty() ? s.body : s.otherwise;
    if (!hidden.empty() && !m_.is(first, "catch") && is_within_text(end)) {
      insert(begin_of(first), "{::tl::cpu::Scope tl_scope;" + hidden);
      closed_[end_of(end.last)] += "}";
    }
    if (s.names.empty() || is_switch) return;
    for (const TokenRange& body : {s.body, s.otherwise}) {
      if (!is_within_text(body)) continue;
      if (m_.is(body.first, "{") && m_.token(body.first).partner == body.last) {
        scopes_.insert(body.first);
        insert(end_of(body.first), named(s));
      } else {
        insert(begin_of(body.first), "{::tl::cpu::Scope tl_scope;" + named(s));
        closed_[end_of(body.last)] += "}";
      }
    }
  }
  bool is_within_text(const TokenRange& r) const {
    return !r.is_empty() && r.last < static_cast<int>(m_.tokens().size());
  }

  // The text with the insertions. After one within a line, a #line directive and spaces put the rest of the line where
  // it was.
  std::string written() const {
    std::map<std::size_t, std::string> all;
    for (const auto& [at, words] : closed_) all[at] += words;  // what ends here ends first
    for (const auto& [at, words] : before_) all[at] += words;
    for (const auto& [at, words] : inserted_) all[at] += words;
    const std::string& text = m_.text();
    // Compilers do not see the #line directives among what an #if leaves out: another follows each of its ends.
    std::set<std::size_t> branches;
    for (const Token& t : lex_with_comments(text))
      if (t.kind == TokenKind::directive && t.text.find_first_not_of("# \t") == t.text.find('e')) {
        const std::size_t end = std::min(text.find('\n', end_of(t)), text.size());
        branches.insert(end);
        all[end];
      }
    std::string result = "#line 1 \"" + m_.file() + "\"\n";
    std::size_t done = 0;
    long line = 1;
    for (const auto& [at, words] : all) {
      if (words.empty() && !branches.contains(at)) continue;
      line += std::count(text.begin() + static_cast<std::ptrdiff_t>(done),
                         text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      result.append(text, done, at - done).append(words);
      done = at;
      if (branches.contains(at)) result += "\n#line " + std::to_string(line + 1) + " \"" + m_.file() + '"';
      const std::size_t rest = text.find_first_not_of(" \t\r", at);
      if (rest == text.npos || text[rest] == '\n' || text.compare(rest, 2, "//") == 0) continue;
      const std::size_t line_begin = text.rfind('\n', at == 0 ? 0 : at - 1) + 1;
      result += "\n#line " + std::to_string(line) + " \"" + m_.file() + "\"\n";
      for (std::size_t i = at == 0 ? 0 : line_begin; i < at; ++i) result += text[i] == '\t' ? '\t' : ' ';
    }
    return result.append(text, done);
  }

  const Model& m_;
  std::vector<int> block_;            // by token
  std::set<int> switches_, bodies_;   // a switch's {; the first token of a loop's or condition's body
  std::vector<TokenRange> constant_;  // bodies of constexpr functions
  std::set<int> functions_, scopes_;  // the { of bodies that are marked
  std::map<std::size_t, std::string> closed_, before_, inserted_;
};

}  // namespace

std::string declared(const std::string& file, const std::string& text) { return Declarer(Model(file, text)).run(); }

}  // namespace tl::text
