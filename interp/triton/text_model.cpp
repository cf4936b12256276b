#include "interp/triton/text_model.h"

#include <algorithm>

#include "interp/triton/lexer.h"
#include "interp/triton/parser.h"

namespace tl::triton {

namespace {

using text::StatementKind;
using text::TokenRange;

text::TokenKind kind_of(const Token& token) {
  switch (token.kind) {
    case TokenKind::name: return text::TokenKind::name;
    case TokenKind::number: return text::TokenKind::number;
    case TokenKind::string: return text::TokenKind::literal;
    default: return text::TokenKind::sign;
  }
}

// A string over several lines is a token a line, so that whoever draws lines draws all of it.
void add_by_line(text::Token token, std::vector<text::Token>& to) {
  for (std::string_view rest = token.text; !rest.empty(); ++token.line, token.column = 1) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    token.text = rest.substr(0, end > 0 && rest[end - 1] == '\r' ? end - 1 : end);
    if (!token.text.empty()) to.push_back(token);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

// With the places of `source` and the characters of `text`, of which `source` is a copy without its byte order mark.
std::vector<text::Token> tokens_of(const Source& source, std::string_view text) {
  const char* const begin = text.data() + (text.size() - source.text.size());
  std::vector<text::Token> tokens;
  std::vector<int> open;
  for (const Token& t : lex(source)) {
    if (t.text.empty() || t.kind == TokenKind::newline) continue;
    const int number = static_cast<int>(tokens.size());
    const std::string_view here(begin + (t.text.data() - source.text.data()), t.text.size());
    add_by_line({kind_of(t), here, t.at.line, t.at.column, -1}, tokens);
    if (t.kind != TokenKind::sign) continue;
    if (t.is("(") || t.is("[") || t.is("{")) {
      open.push_back(number);
    } else if (t.is(")") || t.is("]") || t.is("}")) {
      tokens[number].partner = open.back();
      tokens[open.back()].partner = number;
      open.pop_back();
    }
  }
  return tokens;
}

class Reader {
 public:
  explicit Reader(text::Contents& to) : to_(to) {}

  void read(const Tree& tree) {
    std::vector<const Node*> all;
    find_functions(tree.body, all);
    const std::vector<const Node*> run = run_by_kernels(all);
    for (const Node* f : all) add(*f, std::ranges::count(run, f) > 0);
  }

 private:
  static void find_functions(const std::vector<const Node*>& body, std::vector<const Node*>& to) {
    for (const Node* s : body) {
      if (s->kind == NodeKind::function) to.push_back(s);
      if (!s->parts) continue;
      for (const auto* part : {&s->parts->body, &s->parts->handlers, &s->parts->otherwise, &s->parts->finally})
        find_functions(*part, to);
    }
  }

  // The token at a place, or the first one behind it.
  int token_from(Position at) const {
    const auto found = std::ranges::lower_bound(to_.tokens, std::pair(at.line, at.column), {},
                                                [](const text::Token& t) { return std::pair(t.line, t.column); });
    return static_cast<int>(found - to_.tokens.begin());
  }
  TokenRange range(const Span& span) const { return {token_from(span.begin), token_from(span.end) - 1}; }
  TokenRange range(const std::vector<const Node*>& body) const {
    return body.empty() ? TokenRange{} : range({body.front()->span.begin, body.back()->span.end});
  }
  // The colon that ends a head, of which `part` is the last expression.
  int colon_behind(const Node& part) const {
    int i = range(part.span).last;
    while (i + 1 < static_cast<int>(to_.tokens.size()) && !to_.tokens[i].is(":")) ++i;
    return i;
  }

  void add(const Node& f, bool is_run) {
    text::Function made;
    made.name = f.text;
    made.is_functor = true;
    for (const ParameterNode& p : f.parts->parameters) made.parameters.push_back({std::string(p.name)});
    made.body = range(f.parts->body);
    made.begin = token_from(f.span.begin);
    made.end = range(f.parts->body.back()->span).first;
    function_ = static_cast<int>(to_.functions.size());
    to_.functions.push_back(std::move(made));
    if (is_run) add(f.parts->body, -1);
  }

  void add(const std::vector<const Node*>& body, int loop) {
    for (const Node* s : body) add_statement(*s, loop);
  }

  void add_statement(const Node& s, int loop) {
    text::Statement made;
    made.tokens = range(s.span);
    made.function = function_;
    made.loop = loop;
    const auto add_target = [&](const Node& target) {
      if (target.kind != NodeKind::name) return;
      made.names.emplace_back(target.text);
      made.is_initialized.push_back(true);
    };
    switch (s.kind) {
      case NodeKind::pass:
      case NodeKind::function:
      case NodeKind::class_: return;
      case NodeKind::expression:
        if (s.child(0).kind == NodeKind::string) return;  // a docstring
        break;
      case NodeKind::assign:
      case NodeKind::annotated:
        if (!s.children.back()) return;  // x: tl.int32
        for (std::size_t i = 0; i + 1 < s.children.size(); ++i) add_target(s.child(i));
        made.value = range(s.children.back()->span);
        break;
      case NodeKind::return_:
        made.kind = StatementKind::returns;
        if (!s.children.empty()) made.value = range(s.child(0).span);
        break;
      case NodeKind::for_loop: add_target(s.child(0)); [[fallthrough]];
      case NodeKind::while_loop:
      case NodeKind::branch:
        made.kind = s.kind == NodeKind::branch ? StatementKind::condition : StatementKind::loop;
        made.tokens.last = colon_behind(*s.children.back());
        made.body = range(s.parts->body);
        made.otherwise = range(s.parts->otherwise);
        break;
      default: break;
    }
    if (made.tokens.is_empty()) return;
    const bool is_loop = made.kind == StatementKind::loop;
    if (!s.parts || is_loop || made.kind == StatementKind::condition) to_.statements.push_back(std::move(made));
    if (!s.parts) return;
    add(s.parts->body, is_loop ? static_cast<int>(to_.statements.size()) - 1 : loop);
    add(s.parts->otherwise, loop);
  }

  text::Contents& to_;
  int function_ = -1;
};

}  // namespace

text::Contents contents_of(std::string_view text) {
  text::Contents made;
  made.names_ops = true;
  try {
    Source source = make_source("", std::string(text));
    made.tokens = tokens_of(source, text);
    Reader(made).read(*parse(std::move(source)));
  } catch (const Error&) {  // whoever runs the file says what is wrong with it
  }
  return made;
}

}  // namespace tl::triton
