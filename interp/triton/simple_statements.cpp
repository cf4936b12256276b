// Statements of one line: assignments, imports, return.
#include <fmt/format.h>

#include <algorithm>

#include "interp/triton/parser_state.h"

namespace tl::triton {

Node* Parser::simple_statement() {
  const Position begin = now().at;
  for (const auto& [word, kind] : {std::pair{"pass", NodeKind::pass}, std::pair{"break", NodeKind::break_},
                                   std::pair{"continue", NodeKind::continue_}}) {
    if (!is(word)) continue;
    if (kind != NodeKind::pass && around_.loops == 0)
      fail(begin, fmt::format("'{}' stands in no loop", word), "for i in range(n): begins one");
    take();
    return done(make(kind, begin));
  }
  if (is("return") && around_.functions == 0)
    fail(begin, "'return' stands in no function", "indent it as its function");
  if (accept("return")) {
    Node* const node = make(NodeKind::return_, begin);
    if (!is(TokenKind::newline) && !is(";") && !is(TokenKind::end)) node->children = {expressions()};
    return done(node);
  }
  if (accept("assert")) {
    Node* const node = make(NodeKind::assert_, begin, {expression()});
    if (accept(",")) node->children.push_back(expression());
    return done(node);
  }
  if (accept("raise")) {
    Node* const node = make(NodeKind::raise, begin);
    if (!is(TokenKind::newline) && !is(";") && !is(TokenKind::end)) node->children.push_back(expression());
    if (accept("from")) node->children.push_back(expression());
    return done(node);
  }
  if (accept("del")) {
    Node* const node = make(NodeKind::delete_, begin);
    do node->children.push_back(target());
    while (accept(",") && !is(TokenKind::newline));
    return done(node);
  }
  if (is("global") || is("nonlocal")) {
    Node* const node = make(take().is("global") ? NodeKind::global : NodeKind::nonlocal, begin);
    do {
      Node* const name = make(NodeKind::name, now().at);
      name->text = identifier("a name");
      node->children.push_back(done(name));
    } while (accept(","));
    return done(node);
  }
  if (is("import")) return import();
  if (is("from")) return import_from();
  if (is("print") && (after(1).kind == TokenKind::string || after(1).kind == TokenKind::number ||
                      (after(1).kind == TokenKind::name && !after(1).is("in") && !after(1).is("is") &&
                       !after(1).is("and") && !after(1).is("or") && !after(1).is("if") && !after(1).is("not"))))
    fail(begin, "print without parentheses is Python 2", "print(...) is a function");
  return assignment();
}

Node* Parser::assignment() {
  static constexpr std::string_view augmented[] = {
      "+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "^=", "<<=", ">>=", "@="};
  const Position begin = now().at;
  Node* const first = is("yield") ? yield_expression() : expressions();
  const auto value = [&] { return is("yield") ? yield_expression() : expressions(); };
  if (accept(":")) {
    check_target(*first);
    Node* const node = make(NodeKind::annotated, begin, {first, expression()});
    node->children.push_back(accept("=") ? value() : nullptr);
    return done(node);
  }
  if (is(TokenKind::sign) && std::ranges::count(augmented, now().text)) {
    if (first->kind == NodeKind::tuple || first->kind == NodeKind::list)
      fail(begin, fmt::format("'{}' assigns to several", now().text), "assign to one variable");
    check_target(*first);
    const Token& sign = take();
    Node* const node = make(NodeKind::augmented, begin, {first, value()}, sign.text.substr(0, sign.text.size() - 1));
    node->op = sign.at;
    return done(node);
  }
  if (!is("=")) return done(make(NodeKind::expression, begin, {first}));
  Node* const node = make(NodeKind::assign, begin, {first});
  while (accept("=")) {
    check_target(*node->children.back());
    node->children.push_back(value());
  }
  return done(node);
}

Node* Parser::target() {
  Node* const node = postfix();
  check_target(*node);
  return node;
}

// The targets of a for: a, (b, c)
Node* Parser::targets() {
  const Position begin = now().at;
  const auto one = &Parser::star_target;
  Node* const all = tuple_of(begin, (this->*one)(), one);
  check_target(*all);
  return all;
}

Node* Parser::star_target() {
  const Position begin = now().at;
  if (!accept("*")) return binary(0);
  return done(make(NodeKind::starred, begin, {binary(0)}));
}

void Parser::check_target(const Node& node) const {
  switch (node.kind) {
    case NodeKind::name:
    case NodeKind::attribute:
    case NodeKind::subscript: return;
    case NodeKind::starred: return check_target(node.child(0));
    case NodeKind::tuple:
    case NodeKind::list:
      for (const Node* element : node.children) check_target(*element);
      return;
    default: fail(node.span.begin, "nothing can be assigned to this", "assign to a variable; == compares");
  }
}

std::string_view Parser::dotted_name() {
  std::string name(identifier("a module's name"));
  while (accept(".")) (name += '.') += identifier("a module's name");
  return keep(std::move(name));
}

Node* Parser::alias(bool is_dotted) {
  Node* const node = make(NodeKind::alias, now().at);
  node->text = is_dotted ? dotted_name() : identifier("a name");
  node->children = {nullptr};
  if (accept("as")) {
    Node* const name = make(NodeKind::name, now().at);
    name->text = identifier("a name");
    node->children = {done(name)};
  }
  return done(node);
}

Node* Parser::import() {
  Node* const node = make(NodeKind::import, take().at);
  do node->children.push_back(alias(true));
  while (accept(","));
  return done(node);
}

Node* Parser::import_from() {
  Node* const node = make(NodeKind::import_from, take().at);
  for (; is(".") || is("..."); take()) node->integer += now().text.size();
  if (!is("import")) node->text = dotted_name();
  expect("import", "from module import name");
  if (is("*")) {
    node->children = {leaf(NodeKind::alias)};
    return done(node);
  }
  const bool is_in_brackets = accept("(");
  do {
    if (is_in_brackets && is(")")) break;
    node->children.push_back(alias(false));
  } while (accept(","));
  if (is_in_brackets) expect(")", "close the names");
  return done(node);
}

}  // namespace tl::triton
