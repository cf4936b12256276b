// The parser, of which the files of expressions, statements and literals are parts: recursive descent, a function a
// rule of Python's grammar.
#pragma once

#include "interp/triton/lexer.h"
#include "interp/triton/tree.h"

namespace tl::triton {

class Parser {
 public:
  explicit Parser(Tree& tree) : tree_(tree), tokens_(lex(tree.source)) {}
  void file();

 private:
  using Nodes = std::vector<const Node*>;

  // Tokens
  const Token& now() const { return tokens_[at_]; }
  const Token& after(std::size_t n) const { return tokens_[std::min(at_ + n, tokens_.size() - 1)]; }
  bool is(std::string_view text) const { return now().is(text); }
  bool is(TokenKind kind) const { return now().kind == kind; }
  const Token& take();
  bool accept(std::string_view text);
  void expect(std::string_view text, const char* fix);
  std::string_view identifier(const char* what);
  bool is_word() const;  // of Python's own: if, None
  std::string habit() const;
  [[noreturn]] void fail(Position at, const std::string& fact, const std::string& fix) const;
  [[noreturn]] void unexpected(const char* wanted, const char* fix) const;

  // Nodes
  Node* make(NodeKind kind, Position begin);
  Node* make(NodeKind kind, Position begin, Nodes children, std::string_view text = {});
  Node* done(Node* node);  // it ends with the token before
  Node* leaf(NodeKind kind);
  std::string_view keep(std::string text);
  // Tokens of another text, for as long as this lives.
  struct Within {
    Within(Parser& p, std::vector<Token> tokens);
    ~Within();
    Parser& parser;
    std::vector<Token> outer;
    std::size_t at;
  };
  // Python's own parser gives up at 200 brackets, too.
  struct Depth {
    explicit Depth(Parser& p);
    ~Depth() { --depth; }
    int& depth;
  };

  // Statements
  void statement(Nodes& to);
  bool compound_statement(Nodes& to);
  void simple_statements(Nodes& to);
  Node* simple_statement();
  Node* assignment();
  Node* branch(Position begin);
  Node* loop(NodeKind kind);
  Node* with();
  Node* try_statement();
  Node* decorated();
  Node* function(Nodes decorators);
  Node* class_statement(Nodes decorators);
  Node* import();
  Node* import_from();
  Node* alias(bool is_dotted);
  std::string_view dotted_name();
  Nodes block(const char* of);
  std::vector<ParameterNode> parameters(std::string_view end);
  ParameterNode parameter(ParameterKind kind, bool may_be_annotated);
  Node* target();
  Node* targets();
  Node* star_target();
  void check_target(const Node& target) const;
  void skip_statement(std::size_t from);

  // Expressions
  Node* expressions();  // a tuple where commas follow
  Node* tuple_of(Position begin, Node* first, Node* (Parser::*next)());
  Node* star_or_expression();
  Node* star_or_named();
  Node* named();
  Node* expression();
  Node* lambda();
  Node* logical(std::string_view word, Node* (Parser::*next)());
  Node* either();
  Node* both();
  Node* inverse();
  Node* comparison();
  std::string_view comparator();
  Node* binary(int least_precedence);
  Node* unary();
  Node* postfix();
  Node* call(const Node* callee, Position begin);
  void check_order(const Node& call, const Node& argument) const;
  Node* argument();
  Node* slices();
  Node* slice();
  Node* atom();
  Node* parenthesized();
  Node* list_or_comprehension();
  Node* set_or_dictionary();
  Node* yield_expression();
  Node* comprehension(NodeKind kind, Position begin, Nodes elements);
  bool ends_expressions() const;

  // Literals
  Node* number();
  Node* strings();
  void format_pieces(std::string_view content, Position at, bool is_raw, int nesting, Nodes& to, std::string& text);
  Node* formatted(std::string_view inside, Position at, bool is_raw, int nesting, Position begin, std::string& text);

  Tree& tree_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  Position last_end_;  // of the token that was taken last
  int depth_ = 0;
  // Around the statement that is read: return, break.
  struct Around {
    int functions = 0, loops = 0;
  } around_;
};

}  // namespace tl::triton
