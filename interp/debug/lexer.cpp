#include "interp/debug/lexer.h"

#include <array>
#include <cctype>

namespace tl::debug {
namespace {

constexpr std::array<std::string_view, 19> two_letter_signs = {
    "::", "->", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "++"};

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> run() {
    while (skip_blank()) take_token();
    match_brackets();
    return std::move(tokens_);
  }

 private:
  char at(std::size_t i) const { return i < source_.size() ? source_[i] : '\0'; }
  bool starts(std::string_view t) const { return source_.substr(at_, t.size()) == t; }

  void advance(std::size_t n) {
    for (; n > 0 && at_ < source_.size(); --n, ++at_) {
      if (source_[at_] == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      }
    }
  }
  void skip_to(std::string_view end) {
    const std::size_t found = source_.find(end, at_);
    advance((found == std::string_view::npos ? source_.size() : found + end.size()) - at_);
  }

  // To the next token; false at the end.
  bool skip_blank() {
    while (at_ < source_.size()) {
      if (std::isspace(static_cast<unsigned char>(source_[at_]))) advance(1);
      else if (starts("//") || (source_[at_] == '#' && is_first_of_line())) skip_to("\n");
      else if (starts("/*")) skip_to("*/");
      else return true;
    }
    return false;
  }
  bool is_first_of_line() const {
    for (std::size_t i = line_start_; i < at_; ++i)
      if (!std::isspace(static_cast<unsigned char>(source_[i]))) return false;
    return true;
  }

  void take_token() {
    const char c = source_[at_];
    std::size_t length = 1;
    TokenKind kind = TokenKind::sign;
    if (is_name_start(c)) {
      kind = TokenKind::name;
      while (is_name_part(at(at_ + length))) ++length;
    } else if (is_digit(c) || (c == '.' && is_digit(at(at_ + 1)))) {
      kind = TokenKind::number;
      while (is_name_part(at(at_ + length)) || at(at_ + length) == '.' || is_exponent_sign(at_ + length)) ++length;
    } else if (c == '"' || c == '\'') {
      kind = TokenKind::text;
      while (at_ + length < source_.size() && source_[at_ + length] != c && source_[at_ + length] != '\n')
        length += source_[at_ + length] == '\\' ? 2 : 1;
      length = std::min(length + 1, source_.size() - at_);
    } else {
      for (std::string_view sign : two_letter_signs)
        if (starts(sign)) length = 2;
    }
    tokens_.push_back({kind, source_.substr(at_, length), line_, static_cast<int>(at_ - line_start_) + 1, -1});
    advance(length);
  }
  bool is_exponent_sign(std::size_t i) const {
    return (at(i) == '+' || at(i) == '-') && (at(i - 1) == 'e' || at(i - 1) == 'E') && at(at_ + 1) != 'x';
  }

  void match_brackets() {
    std::vector<int> open;
    for (int i = 0; i < static_cast<int>(tokens_.size()); ++i) {
      Token& t = tokens_[static_cast<std::size_t>(i)];
      if (t.kind != TokenKind::sign) continue;
      if (t.is("(") || t.is("[") || t.is("{")) open.push_back(i);
      if (!(t.is(")") || t.is("]") || t.is("}")) || open.empty()) continue;
      t.partner = open.back();
      tokens_[static_cast<std::size_t>(open.back())].partner = i;
      open.pop_back();
    }
  }

  std::string_view source_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> lex(std::string_view source) { return Lexer(source).run(); }

}  // namespace tl::debug
