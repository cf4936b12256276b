// What all rules use: tokens taken, nodes made, errors.
#include "interp/triton/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interp/triton/characters.h"
#include "interp/triton/parser_state.h"

namespace tl::triton {

namespace {
constexpr int most_depth = 200, most_height = 1000;
constexpr const char* simpler = "give parts of it names of their own, in statements of their own";
}  // namespace

std::unique_ptr<Tree> parse(Source source) {
  auto tree = std::make_unique<Tree>();
  tree->source = std::move(source);
  Parser(*tree).file();
  return tree;
}

const Token& Parser::take() {
  const Token& token = now();
  if (token.kind == TokenKind::end) return token;
  if (token.kind != TokenKind::newline && token.kind != TokenKind::indent && token.kind != TokenKind::dedent)
    last_end_ = token.end;
  ++at_;
  return token;
}

bool Parser::accept(std::string_view text) {
  if (!is(text)) return false;
  take();
  return true;
}

void Parser::expect(std::string_view text, const char* fix) {
  if (!accept(text)) unexpected(fmt::format("'{}'", text).c_str(), fix);
}

bool Parser::is_word() const {
  static constexpr std::string_view words[] = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  return is(TokenKind::name) && std::ranges::count(words, now().text);
}

std::string_view Parser::identifier(const char* what) {
  if (!is(TokenKind::name)) unexpected(what, "a name begins with a letter or _");
  if (is_word())
    fail(now().at, fmt::format("'{}' is a word of Python's, and {} is wanted", now().text, what),
         "choose another name");
  return take().text;
}

void Parser::fail(Position at, const std::string& fact, const std::string& fix) const {
  throw error_at(tree_.source, at, fact, fix);
}

// What of another language, or of a web page, stands here, and what Python writes instead; "" where nothing does.
std::string Parser::habit() const {
  struct Habit {
    std::string_view first, second;  // second: the token before, without a space between
    const char* fix;
  };
  static constexpr Habit habits[] = {{"&", "&", "'&&' is `and` in Python"},  {"|", "|", "'||' is `or` in Python"},
                                     {"!", "", "'!' is `not` in Python"},    {"?", "", "a if condition else b"},
                                     {"+", "+", "Python has no ++: n += 1"}, {"-", "-", "Python has no --: n -= 1"},
                                     {"=", "", "'=' assigns; == compares"}};
  for (const std::size_t at : {at_, at_ > 0 ? at_ - 1 : at_}) {
    const Token& token = tokens_[at];
    if (token.kind == TokenKind::unknown)
      if (const std::string_view meant = meant_by(token.text); !meant.empty())
        return fmt::format("it looks like {}, which Python has: type that", meant == " " ? "a space" : meant);
    for (const Habit& h : habits) {
      const bool is_pair = at > 0 && tokens_[at - 1].text == h.second && tokens_[at - 1].end == token.at;
      if (token.text == h.first && (h.second.empty() ? at == at_ : is_pair)) return h.fix;
    }
  }
  return "";
}

void Parser::unexpected(const char* wanted, const char* fix) const {
  const std::string found = is(TokenKind::newline)  ? "the line ends"
                            : is(TokenKind::end)    ? "the text ends"
                            : is(TokenKind::indent) ? "the line is indented"
                            : is(TokenKind::dedent) ? "the indented block ends"
                                                    : fmt::format("'{}' stands", now().text.substr(0, 40));
  const std::string known = habit();
  fail(now().at, fmt::format("{} where {} is wanted", found, wanted), known.empty() ? fix : known);
}

Node* Parser::make(NodeKind kind, Position begin) {
  Node& node = tree_.nodes.emplace_back();
  node.kind = kind;
  node.span.begin = node.op = begin;
  return &node;
}

Node* Parser::make(NodeKind kind, Position begin, Nodes children, std::string_view text) {
  Node* const node = make(kind, begin);
  node->children = std::move(children);
  node->text = text;
  return node;
}

Node* Parser::done(Node* node) {
  node->span.end = last_end_;
  int height = 0;
  const auto look_at = [&](const Nodes& all) {
    for (const Node* child : all)
      if (child) height = std::max<int>(height, child->height);
  };
  look_at(node->children);
  if (node->parts) {
    look_at(node->parts->body);
    look_at(node->parts->otherwise);
    look_at(node->parts->handlers);
    look_at(node->parts->finally);
  }
  if (height >= most_height) fail(node->span.begin, fmt::format("more than {} parts nest here", most_height), simpler);
  node->height = static_cast<std::uint16_t>(height + 1);
  return node;
}

Node* Parser::leaf(NodeKind kind) {
  Node* const node = make(kind, now().at);
  node->text = take().text;
  return done(node);
}

std::string_view Parser::keep(std::string text) { return tree_.texts.emplace_back(std::move(text)); }

Parser::Within::Within(Parser& p, std::vector<Token> tokens)
    : parser(p), outer(std::exchange(p.tokens_, std::move(tokens))), at(std::exchange(p.at_, 0)) {}
Parser::Within::~Within() {
  parser.tokens_ = std::move(outer);
  parser.at_ = at;
}

Parser::Depth::Depth(Parser& p) : depth(p.depth_) {
  if (depth >= most_depth) p.fail(p.now().at, fmt::format("more than {} levels nest here", most_depth), simpler);
  ++depth;
}

}  // namespace tl::triton
