// Expressions, from those that bind least to those that bind most.
#include <fmt/format.h>

#include <algorithm>

#include "interp/triton/parser_state.h"

namespace tl::triton {

namespace {

struct BinarySign {
  std::string_view text;
  int precedence;
};
constexpr BinarySign binary_signs[] = {{"|", 0}, {"^", 1}, {"&", 2}, {"<<", 3}, {">>", 3}, {"+", 4},
                                       {"-", 4}, {"*", 5}, {"/", 5}, {"//", 5}, {"%", 5},  {"@", 5}};

}  // namespace

bool Parser::ends_expressions() const {
  if (is(TokenKind::newline) || is(TokenKind::end)) return true;
  if (!is(TokenKind::sign)) return is("in");
  return is(")") || is("]") || is("}") || is(":") || is(";") || now().text.ends_with('=');
}

Node* Parser::tuple_of(Position begin, Node* first, Node* (Parser::*next)()) {
  if (!is(",")) return first;
  Node* const tuple = make(NodeKind::tuple, begin, {first});
  while (accept(",") && !ends_expressions()) tuple->children.push_back((this->*next)());
  return done(tuple);
}

Node* Parser::expressions() {
  const Position begin = now().at;
  Node* const all = tuple_of(begin, star_or_expression(), &Parser::star_or_expression);
  if (all->kind == NodeKind::starred)
    fail(begin, "* stands here by itself", "*values spreads a tuple into a tuple or a call");
  return all;
}

Node* Parser::star_or_expression() {
  const Position begin = now().at;
  if (!accept("*")) return expression();
  return done(make(NodeKind::starred, begin, {binary(0)}));
}

Node* Parser::star_or_named() { return is("*") ? star_or_expression() : named(); }

Node* Parser::named() {
  const Position begin = now().at;
  Node* const first = expression();
  if (!is(":=") || first->kind != NodeKind::name) return first;
  take();
  return done(make(NodeKind::assignment_expression, begin, {first, expression()}));
}

Node* Parser::expression() {
  const Depth depth(*this);
  if (is("lambda")) return lambda();
  const Position begin = now().at;
  Node* const value = either();
  if (!accept("if")) return value;
  Node* const test = either();
  expect("else", "a if condition else b");
  return done(make(NodeKind::conditional, begin, {test, value, expression()}));
}

Node* Parser::lambda() {
  Node* const node = make(NodeKind::lambda, take().at);
  node->parts = std::make_unique<Parts>();
  node->parts->parameters = parameters(":");
  expect(":", "lambda x: x + 1");
  node->children = {expression()};
  return done(node);
}

Node* Parser::logical(std::string_view word, Node* (Parser::*next)()) {
  const Position begin = now().at;
  Node* const first = (this->*next)();
  if (!is(word)) return first;
  Node* const node = make(NodeKind::logical, begin, {first}, word);
  node->op = now().at;
  while (accept(word)) node->children.push_back((this->*next)());
  return done(node);
}
Node* Parser::either() { return logical("or", &Parser::both); }
Node* Parser::both() { return logical("and", &Parser::inverse); }

Node* Parser::inverse() {
  const Position begin = now().at;
  if (!accept("not")) return comparison();
  const Depth depth(*this);
  return done(make(NodeKind::unary, begin, {inverse()}, "not"));
}

// The comparison that stands next, taken; "" where none does.
std::string_view Parser::comparator() {
  static constexpr std::string_view signs[] = {"<", "<=", ">", ">=", "==", "!="};
  if (is(TokenKind::sign) && std::ranges::count(signs, now().text)) return take().text;
  if (accept("in")) return "in";
  if (accept("is")) return accept("not") ? "is not" : "is";
  if (!is("not") || !after(1).is("in")) return "";
  take();
  take();
  return "not in";
}

Node* Parser::comparison() {
  Position begin = now().at, at;
  Node* const left = binary(0);
  at = now().at;
  std::string_view sign = comparator();
  if (sign.empty()) return left;
  Node* const node = make(NodeKind::comparison, begin, {left});
  node->op = at;
  while (!sign.empty()) {
    Node* const link = make(NodeKind::link, at, {binary(0)}, sign);
    node->children.push_back(done(link));
    at = now().at;
    sign = comparator();
  }
  return done(node);
}

Node* Parser::binary(int least_precedence) {
  const Position begin = now().at;
  Node* left = unary();
  while (is(TokenKind::sign)) {
    const auto* const sign = std::ranges::find(binary_signs, now().text, &BinarySign::text);
    if (sign == std::end(binary_signs) || sign->precedence < least_precedence) break;
    const Position at = take().at;
    Node* const node = make(NodeKind::binary, begin, {left, binary(sign->precedence + 1)}, sign->text);
    node->op = at;
    left = done(node);
  }
  return left;
}

Node* Parser::unary() {
  const Depth depth(*this);
  const Position begin = now().at;
  for (const char* sign : {"-", "+", "~"})
    if (accept(sign)) return done(make(NodeKind::unary, begin, {unary()}, sign));
  Node* const base = postfix();
  if (!is("**")) return base;
  const Position at = take().at;
  Node* const node = make(NodeKind::binary, begin, {base, unary()}, "**");
  node->op = at;
  return done(node);
}

Node* Parser::postfix() {
  const Position begin = now().at;
  Node* node = atom();
  for (;;) {
    if (accept(".")) {
      Node* const member = make(NodeKind::attribute, begin, {node});
      member->op = now().at;
      member->text = identifier("a name behind the dot");
      node = done(member);
    } else if (is("(")) {
      node = call(node, begin);
    } else if (accept("[")) {
      Node* const index = slices();
      expect("]", "close the index");
      node = done(make(NodeKind::subscript, begin, {node, index}));
    } else {
      return node;
    }
  }
}

Node* Parser::call(const Node* callee, Position begin) {
  const Position open = take().at;
  Node* const node = make(NodeKind::call, begin, {callee});
  if (callee->kind == NodeKind::attribute) node->op = callee->op;
  while (!is(")")) {
    Node* const value = argument();
    check_order(*node, *value);
    node->children.push_back(value);
    if (is("for") && node->children.size() == 2) {  // f(x for x in y): the call's brackets are the generator's, too
      Node* const generator = comprehension(NodeKind::generator, open, {value});
      node->children.back() = generator;
      expect(")", "close the call");
      generator->span.end = last_end_;
      return done(node);
    }
    if (!accept(",")) break;
  }
  expect(")", "separate arguments by commas, and close the call by ')'");
  return done(node);
}

// Python takes arguments by position before those by name, and each name once.
void Parser::check_order(const Node& call, const Node& argument) const {
  const bool is_named = argument.kind == NodeKind::keyword;
  for (std::size_t i = 1; i < call.children.size(); ++i) {
    const Node& before = call.child(i);
    if (before.kind != NodeKind::keyword) continue;
    if (is_named && !argument.text.empty() && argument.text == before.text)
      fail(argument.span.begin, fmt::format("{} is given twice", argument.text), "leave one out");
    const bool is_late = argument.kind == NodeKind::starred ? before.text.empty() : !is_named;
    if (is_late)
      fail(argument.span.begin,
           fmt::format("an argument without a name stands after {}",
                       before.text.empty() ? "**" : fmt::format("{}=", before.text)),
           "those without a name stand first");
  }
}

Node* Parser::argument() {
  const Position begin = now().at;
  if (accept("*")) return done(make(NodeKind::starred, begin, {expression()}));
  if (accept("**")) return done(make(NodeKind::keyword, begin, {expression()}));
  if (!is(TokenKind::name) || !after(1).is("=")) return named();
  Node* const node = make(NodeKind::keyword, begin);
  node->text = identifier("a parameter's name");
  take();
  node->children = {expression()};
  return done(node);
}

Node* Parser::slices() {
  const Position begin = now().at;
  Node* const first = slice();
  if (!is(",")) return first;
  Node* const tuple = make(NodeKind::tuple, begin, {first});
  while (accept(",") && !is("]")) tuple->children.push_back(slice());
  return done(tuple);
}

Node* Parser::slice() {
  const Position begin = now().at;
  Node* const lower = is(":") ? nullptr : star_or_named();
  if (!accept(":")) return lower;
  const auto is_left_out = [&] { return is(":") || is("]") || is(","); };
  Node* const node = make(NodeKind::slice, begin, {lower, is_left_out() ? nullptr : expression()});
  node->children.push_back(accept(":") && !is_left_out() ? expression() : nullptr);
  return done(node);
}

Node* Parser::atom() {
  switch (now().kind) {
    case TokenKind::number: return number();
    case TokenKind::string: return strings();
    case TokenKind::sign:
      if (is("(")) return parenthesized();
      if (is("[")) return list_or_comprehension();
      if (is("{")) return set_or_dictionary();
      if (is("...")) return leaf(NodeKind::ellipsis);
      break;
    case TokenKind::name: {
      if (is("None")) return leaf(NodeKind::none);
      if (is("True") || is("False")) {
        Node* const node = leaf(NodeKind::boolean);
        node->integer = node->text == "True";
        return node;
      }
      if (is_word()) break;
      Node* const node = make(NodeKind::name, now().at);
      node->text = identifier("a value");
      return done(node);
    }
    default: break;
  }
  unexpected("a value", "a name, a number, a text, or something in brackets");
}

Node* Parser::parenthesized() {
  const Position begin = take().at;
  if (accept(")")) return done(make(NodeKind::tuple, begin));
  Node* const first = is("yield") ? yield_expression() : star_or_named();
  if (is("for")) {
    Node* const made = comprehension(NodeKind::generator, begin, {first});
    expect(")", "close the bracket");
    made->span.end = last_end_;
    return made;
  }
  Node* const inside = tuple_of(begin, first, &Parser::star_or_named);
  if (inside->kind == NodeKind::starred) fail(begin, "* stands here by itself", "a comma makes a tuple: (*values,)");
  expect(")", "close the bracket");
  if (inside != first) inside->span.end = last_end_;  // a tuple has its brackets, others have not
  return inside;
}

Node* Parser::list_or_comprehension() {
  Node* const list = make(NodeKind::list, take().at);
  while (!is("]")) {
    list->children.push_back(star_or_named());
    if (is("for") && list->children.size() == 1) {
      Node* const made = comprehension(NodeKind::list_comprehension, list->span.begin, list->children);
      expect("]", "close the list");
      made->span.end = last_end_;
      return made;
    }
    if (!accept(",")) break;
  }
  expect("]", "separate elements by commas, and close the list by ']'");
  return done(list);
}

Node* Parser::set_or_dictionary() {
  const Position begin = take().at;
  Node* const node = make(is("}") ? NodeKind::dictionary : NodeKind::set, begin);
  while (!is("}")) {
    if (accept("**")) {
      node->kind = NodeKind::dictionary;
      node->children.push_back(nullptr);
      node->children.push_back(binary(0));
    } else {
      node->children.push_back(star_or_named());
      if (accept(":")) {
        node->kind = NodeKind::dictionary;
        node->children.push_back(expression());
      }
    }
    const bool is_dictionary = node->kind == NodeKind::dictionary;
    if (is("for") && node->children.size() == (is_dictionary ? 2u : 1u)) {
      Node* const made = comprehension(is_dictionary ? NodeKind::dictionary_comprehension : NodeKind::set_comprehension,
                                       begin, node->children);
      expect("}", "close the bracket");
      made->span.end = last_end_;
      return made;
    }
    if (is_dictionary && node->children.size() % 2) unexpected("':'", "{key: value}");
    if (!accept(",")) break;
  }
  expect("}", "separate elements by commas, and close the bracket by '}'");
  return done(node);
}

Node* Parser::yield_expression() {
  const Position begin = take().at;
  if (accept("from")) return done(make(NodeKind::yield_from, begin, {expression()}));
  return done(make(NodeKind::yield, begin, {ends_expressions() ? nullptr : expressions()}));
}

// [for target in iterable [if condition]]
Node* Parser::comprehension(NodeKind kind, Position begin, Nodes elements) {
  Node* const node = make(kind, begin, std::move(elements));
  while (accept("for")) {
    Node* const clause = make(NodeKind::clause, tokens_[at_ - 1].at, {targets()});
    expect("in", "x for x in y");
    clause->children.push_back(either());
    while (accept("if")) clause->children.push_back(either());
    node->children.push_back(done(clause));
  }
  return done(node);
}

}  // namespace tl::triton
