// The file, and statements that hold others.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interp/triton/parser_state.h"

namespace tl::triton {

namespace {

// Is it a kernel or a helper of one: decorated by jit, triton.jit, triton.jit(do_not_specialize=..)?
bool is_jit(const Node& decorator) {
  if (decorator.kind == NodeKind::call) return is_jit(decorator.child(0));
  return (decorator.kind == NodeKind::name || decorator.kind == NodeKind::attribute) && decorator.text == "jit";
}

}  // namespace

void Parser::file() {
  while (!is(TokenKind::end)) {
    const std::size_t from = at_;
    around_ = {};
    try {
      Nodes made;
      statement(made);
      tree_.body.insert(tree_.body.end(), made.begin(), made.end());
    } catch (const CompileError& e) {
      bool is_kernel = false;  // its decorators stand before it
      for (std::size_t i = from; i < at_ && !tokens_[i].is("def"); ++i) is_kernel |= tokens_[i].is("jit");
      const bool is_python_2 = tokens_[from].is("print");
      if (is_kernel || is_python_2) throw;
      tree_.skipped.push_back(e);
      skip_statement(from);
    }
  }
}

// To the next line at the left margin.
void Parser::skip_statement(std::size_t from) {
  at_ = from;
  do take();
  while (!is(TokenKind::end) &&
         !(now().at.column == 1 && tokens_[at_ - 1].kind >= TokenKind::newline && now().kind < TokenKind::newline));
}

void Parser::statement(Nodes& to) {
  const Depth depth(*this);
  if (is(TokenKind::indent))
    fail(now().at, "this line is indented, and no block begins before it", "indent it as the line before");
  if (!compound_statement(to)) simple_statements(to);
}

bool Parser::compound_statement(Nodes& to) {
  const Position begin = now().at;
  Node* made = nullptr;
  if (is("@")) made = decorated();
  else if (is("def")) made = function({});
  else if (is("class")) made = class_statement({});
  else if (accept("if")) made = branch(begin);
  else if (is("for")) made = loop(NodeKind::for_loop);
  else if (is("while")) made = loop(NodeKind::while_loop);
  else if (is("with")) made = with();
  else if (is("try")) made = try_statement();
  else if (is("match") && after(1).kind == TokenKind::name && !after(1).is("in") && !after(1).is("is"))
    fail(begin, "Triton has no match", "if, elif and else choose");
  else if (is("async") || is("await")) fail(begin, fmt::format("Triton has no {}", now().text), "leave it out");
  else if (is("elif") || is("else") || is("except") || is("finally"))
    fail(begin, fmt::format("this '{}' belongs to nothing above it", now().text),
         is("elif") || is("else") ? "indent it as its if" : "indent it as its try");
  else return false;
  to.push_back(made);
  return true;
}

void Parser::simple_statements(Nodes& to) {
  do to.push_back(simple_statement());
  while (accept(";") && !is(TokenKind::newline));
  if (is(TokenKind::newline)) take();
  else if (!is(TokenKind::end)) unexpected("the end of the statement", "write one statement a line");
}

Node* Parser::branch(Position begin) {
  // elif is an if in the otherwise of the one before: made from the last to the first.
  struct Arm {
    Position begin;
    const Node* test;
    Nodes body;
  };
  std::vector<Arm> arms;
  do {
    Arm& arm = arms.emplace_back(Arm{arms.empty() ? begin : tokens_[at_ - 1].at, nullptr, {}});
    arm.test = named();
    arm.body = block("if");
  } while (accept("elif"));
  Nodes otherwise;
  if (accept("else")) otherwise = block("else");
  Node* made = nullptr;
  for (; !arms.empty(); arms.pop_back()) {
    Node* const node = make(NodeKind::branch, arms.back().begin, {arms.back().test});
    node->parts = std::make_unique<Parts>();
    node->parts->body = std::move(arms.back().body);
    node->parts->otherwise = std::move(otherwise);
    made = done(node);
    otherwise = {made};
  }
  return made;
}

Node* Parser::loop(NodeKind kind) {
  Node* const node = make(kind, take().at);
  if (kind == NodeKind::while_loop) {
    node->children = {named()};
  } else {
    Node* const target = targets();
    expect("in", "for i in range(n):");
    node->children = {target, expressions()};
  }
  node->parts = std::make_unique<Parts>();
  ++around_.loops;
  node->parts->body = block(kind == NodeKind::while_loop ? "while" : "for");
  --around_.loops;
  if (accept("else")) node->parts->otherwise = block("else");
  return done(node);
}

Node* Parser::with() {
  Node* const node = make(NodeKind::with, take().at);
  do {
    Node* const item = make(NodeKind::with_item, now().at, {expression()});
    item->children.push_back(accept("as") ? target() : nullptr);
    node->children.push_back(done(item));
  } while (accept(","));
  node->parts = std::make_unique<Parts>();
  node->parts->body = block("with");
  return done(node);
}

Node* Parser::try_statement() {
  Node* const node = make(NodeKind::try_, take().at);
  node->parts = std::make_unique<Parts>();
  node->parts->body = block("try");
  while (is("except")) {
    Node* const handler = make(NodeKind::handler, take().at);
    accept("*");
    handler->children = {is(":") ? nullptr : expression()};
    if (accept("as")) handler->text = identifier("a name");
    handler->parts = std::make_unique<Parts>();
    handler->parts->body = block("except");
    node->parts->handlers.push_back(done(handler));
  }
  if (accept("else")) node->parts->otherwise = block("else");
  if (accept("finally")) node->parts->finally = block("finally");
  if (node->parts->handlers.empty() && node->parts->finally.empty()) unexpected("'except'", "a try needs one");
  return done(node);
}

Node* Parser::decorated() {
  Nodes decorators;
  while (accept("@")) {
    decorators.push_back(named());
    if (!is(TokenKind::newline)) unexpected("the end of the line", "a decorator stands on a line of its own");
    take();
  }
  if (is("class")) return class_statement(std::move(decorators));
  if (is("def")) return function(std::move(decorators));
  unexpected("'def'", "a decorator stands right above its function");
}

Node* Parser::function(Nodes decorators) {
  Node* const node = make(NodeKind::function, take().at);
  node->text = identifier("a function's name");
  node->parts = std::make_unique<Parts>();
  node->parts->decorators = std::move(decorators);
  expect("(", "def softmax_kernel(x_ptr, n, BLOCK: tl.constexpr):");
  node->parts->parameters = parameters(")");
  expect(")", "close the parameters");
  node->children = {accept("->") ? expressions() : nullptr};
  const Around outside = std::exchange(around_, {around_.functions + 1, 0});
  node->parts->body = block("def");
  around_ = outside;
  return done(node);
}

Node* Parser::class_statement(Nodes decorators) {
  Node* const node = make(NodeKind::class_, take().at);
  node->text = identifier("a class's name");
  if (accept("(")) {
    while (!is(")")) {
      node->children.push_back(argument());
      if (!accept(",")) break;
    }
    expect(")", "close the bases");
  }
  node->parts = std::make_unique<Parts>();
  node->parts->decorators = std::move(decorators);
  const Around outside = std::exchange(around_, {});
  node->parts->body = block("class");
  around_ = outside;
  return done(node);
}

Parser::Nodes Parser::block(const char* of) {
  Nodes body;
  expect(":", fmt::format("end the line of the {} with ':'", of).c_str());
  if (!is(TokenKind::newline)) {
    simple_statements(body);
    return body;
  }
  take();
  if (!is(TokenKind::indent))
    fail(now().at, fmt::format("the {} above has no body", of), "indent what belongs to it, or write `pass` there");
  take();
  while (!is(TokenKind::dedent) && !is(TokenKind::end)) statement(body);
  if (is(TokenKind::dedent)) take();
  return body;
}

std::vector<ParameterNode> Parser::parameters(std::string_view end) {
  std::vector<ParameterNode> all;
  const bool may_be_annotated = end == ")";
  ParameterKind kind = ParameterKind::usual;
  bool needs_fallback = false;
  while (!is(end)) {
    const Position begin = now().at;
    if (!all.empty() && all.back().kind == ParameterKind::keywords)
      fail(begin, fmt::format("a parameter stands behind **{}", all.back().name), "** stands last");
    if (accept("**")) {
      all.push_back(parameter(ParameterKind::keywords, may_be_annotated));
    } else if (accept("*")) {
      kind = ParameterKind::keyword;
      if (!is(",")) all.push_back(parameter(ParameterKind::rest, may_be_annotated));
    } else if (accept("/")) {
      for (ParameterNode& p : all) p.kind = ParameterKind::positional;
    } else {
      ParameterNode p = parameter(kind, may_be_annotated);
      if (accept("=")) {
        p.fallback = expression();
        needs_fallback = true;
      } else if (needs_fallback && kind == ParameterKind::usual) {
        fail(begin, fmt::format("{} has no default, and a parameter before it has one", p.name),
             "parameters with defaults stand last");
      }
      all.push_back(p);
    }
    if (!accept(",")) break;
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i && all.size() < 1000; ++j)
      if (all[i].name == all[j].name)
        fail(all[i].span.begin, fmt::format("two parameters are called {}", all[i].name), "rename one");
  return all;
}

ParameterNode Parser::parameter(ParameterKind kind, bool may_be_annotated) {
  ParameterNode p;
  p.kind = kind;
  p.span.begin = now().at;
  p.name = identifier("a parameter's name");
  if (may_be_annotated && accept(":")) p.annotation = kind == ParameterKind::rest ? star_or_named() : expression();
  p.span.end = last_end_;
  return p;
}

}  // namespace tl::triton
