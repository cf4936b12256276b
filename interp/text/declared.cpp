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
  std::size_t end_of(int token) const { return begin_of(token) + m_.token(token).text.size(); }
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
    const int brace = f.body.first - 1;
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
          if (is_variable(i) && is_visible(std::string(m_.token(i).text), captures, brace))
            names.emplace(m_.token(i).text);
      } else if ((name == piece.first || has_value) && is_variable(name) && !m_.is(name, "this")) {
        names.emplace(m_.token(name).text);
      }
    }
    return names;
  }
  bool is_variable(int i) const {
    return m_.token(i).kind == TokenKind::name && !m_.is_member(i) && !m_.is(i - 1, "::") && !m_.is(i + 1, "::");
  }
  // Is a name declared around the lambda that begins at `captures`, before it, and not within?
  bool is_visible(const std::string& name, int captures, int brace) const {
    bool is_around = false;
    const auto is_elsewhere = [&](const std::vector<Parameter>& parameters, const TokenRange& body) {
      const auto has_name = [&](const Parameter& p) { return p.name == name && !p.is_pack; };
      if (std::none_of(parameters.begin(), parameters.end(), has_name)) return true;
      is_around |= body.contains(captures);
      return body.first - 1 != brace;  // its own parameter
    };
    for (const Function& f : m_.functions())
      if (!is_elsewhere(f.parameters, f.body)) return false;
    for (const Lambda& l : m_.lambdas())
      if (!is_elsewhere(l.parameters, l.body)) return false;
    for (const Statement& s : m_.statements()) {
      if (std::find(s.names.begin(), s.names.end(), name) == s.names.end()) continue;
      const int first = s.tokens.first, block = block_[first];
      if (brace < first && first < m_.token(brace).partner) return false;
      const bool is_flow = s.kind != StatementKind::plain;
      is_around |= is_flow ? s.body.contains(captures) || s.otherwise.contains(captures)
                           : s.tokens.last < captures && (block < 0 || captures < m_.token(block).partner);
    }
    return is_around;
  }

  void declare_plain(const Statement& s) {
    const int block = block_[s.tokens.first];
    if (s.names.empty() || !m_.is(s.tokens.last, ";") || bodies_.contains(s.tokens.first) || !m_.is(block, "{") ||
        switches_.contains(block))
      return;
    scopes_.insert(block);
    insert(end_of(s.tokens.last), named(s));
  }

  // What a loop or a condition declares is named in its bodies.
  void declare_flow(const Statement& s) {
    if (s.names.empty() || m_.is(s.tokens.first, "switch") || s.kind == StatementKind::returns) return;
    for (const TokenRange& body : {s.body, s.otherwise}) {
      if (body.is_empty() || body.last >= static_cast<int>(m_.tokens().size())) continue;
      if (m_.is(body.first, "{") && m_.token(body.first).partner == body.last) {
        scopes_.insert(body.first);
        insert(end_of(body.first), named(s));
      } else {
        insert(begin_of(body.first), "{::tl::cpu::Scope tl_scope;" + named(s));
        closed_[end_of(body.last)] += "}";
      }
    }
  }

  // The text with the insertions. After one within a line, a #line directive and spaces put the rest of the line where
  // it was.
  std::string written() const {
    std::map<std::size_t, std::string> all;
    for (const auto& [at, words] : closed_) all[at] += words;  // what ends here ends first
    for (const auto& [at, words] : before_) all[at] += words;
    for (const auto& [at, words] : inserted_) all[at] += words;
    const std::string& text = m_.text();
    std::string result = "#line 1 \"" + m_.file() + "\"\n";
    std::size_t done = 0;
    long line = 1;
    for (const auto& [at, words] : all) {
      if (words.empty()) continue;
      line += std::count(text.begin() + static_cast<std::ptrdiff_t>(done),
                         text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      result.append(text, done, at - done).append(words);
      done = at;
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
  std::set<int> switches_, bodies_;   // a switch's {; the first token of what a loop or condition runs
  std::vector<TokenRange> constant_;  // bodies of constexpr functions
  std::set<int> functions_, scopes_;  // the { of bodies that are marked
  std::map<std::size_t, std::string> closed_, before_, inserted_;
};

}  // namespace

std::string declared(const std::string& file, const std::string& text) { return Declarer(Model(file, text)).run(); }

}  // namespace tl::text
