#include "interp/text/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace tl::text {
namespace {

constexpr std::array<std::string_view, 26> long_signs = {
    "<=>", "<<=", ">>=", "...", "->*", "::", "->", "==", "!=", "<=", ">=", "&&", "||",
    "+=",  "-=",  "*=",  "/=",  "%=",  "&=", "|=", "^=", "<<", ">>", "++", "--", "##"};

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80); }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> run() {
    while (skip_space()) take_token();
    return std::move(tokens_);
  }

 private:
  char at(std::size_t i) const { return i < source_.size() ? source_[i] : '\0'; }
  bool starts(std::string_view t) const { return source_.substr(at_, t.size()) == t; }

  void advance(std::size_t n) {
    for (; n > 0 && at_ < source_.size(); --n, ++at_)
      if (source_[at_] == '\n') {
        ++line_;
        line_start_ = at_ + 1;
        is_first_ = true;
      }
  }
  // The length of a line break after a backslash, which joins two lines; 0: none.
  std::size_t splice(std::size_t i) const {
    if (at(i) != '\\') return 0;
    return at(i + 1) == '\n' ? 2 : at(i + 1) == '\r' && at(i + 2) == '\n' ? 3 : 0;
  }
  // To the next token; false at the end.
  bool skip_space() {
    while (at_ < source_.size()) {
      if (const std::size_t n = splice(at_)) advance(n);
      else if (std::isspace(static_cast<unsigned char>(source_[at_]))) advance(1);
      else return true;
    }
    return false;
  }

  void take_token() {
    const char c = source_[at_];
    if (starts("//")) return add(TokenKind::comment, to_line_end(at_ + 2));
    if (starts("/*")) return add(TokenKind::comment, after(source_.find("*/", at_ + 2), 2));
    if (c == '#' && is_first_) return add(TokenKind::directive, end_of_directive());
    is_first_ = false;
    if (const std::size_t end = end_of_literal(); end != at_) return add(TokenKind::literal, end);
    if (is_name_start(c)) return add(TokenKind::name, end_of_name(at_));
    if (is_digit(c) || (c == '.' && is_digit(at(at_ + 1)))) return add(TokenKind::number, end_of_number());
    std::size_t length = 1;
    for (const std::string_view sign : long_signs)
      if (length == 1 && starts(sign)) length = sign.size();
    add(TokenKind::sign, at_ + length);
  }
  void add(TokenKind kind, std::size_t end) {
    const bool was_first = is_first_;
    const std::string_view text = source_.substr(at_, end - at_);
    tokens_.push_back({kind, text, line_, static_cast<int>(at_ - line_start_) + 1, -1});
    advance(text.size());
    if (kind == TokenKind::comment && text.find('\n') == text.npos) is_first_ = was_first;
  }

  std::size_t after(std::size_t found, std::size_t length) const {
    return found == std::string_view::npos ? source_.size() : found + length;
  }
  std::size_t to_line_end(std::size_t i) const {
    while (i < source_.size() && source_[i] != '\n') i += std::max<std::size_t>(1, splice(i));
    return std::min(i, source_.size());
  }
  // A comment ends a directive's line, or lets it go on.
  std::size_t end_of_directive() const {
    std::size_t i = at_;
    while (i < source_.size() && source_[i] != '\n') {
      if (source_.substr(i, 2) == "//") break;
      if (source_.substr(i, 2) == "/*") i = after(source_.find("*/", i + 2), 2);
      else i += std::max<std::size_t>(1, splice(i));
    }
    return std::min(i, source_.size());
  }
  std::size_t end_of_name(std::size_t i) const {
    while (is_name_part(at(i))) ++i;
    return i;
  }
  // A preprocessing number: digits, letters, points, separators before either, signs after an exponent.
  std::size_t end_of_number() const {
    std::size_t i = at_ + 1;
    while (is_name_part(at(i)) || at(i) == '.' || (at(i) == '\'' && is_name_part(at(i + 1))) || is_exponent_sign(i))
      ++i;
    return i;
  }
  bool is_exponent_sign(std::size_t i) const {
    if (at(i) != '+' && at(i) != '-') return false;
    const char mark = static_cast<char>(std::tolower(static_cast<unsigned char>(at(i - 1))));
    const bool is_hexadecimal = at(at_) == '0' && (at(at_ + 1) == 'x' || at(at_ + 1) == 'X');
    return mark == (is_hexadecimal ? 'p' : 'e');
  }
  // Where a literal that begins here ends; here itself where none begins.
  std::size_t end_of_literal() const {
    std::size_t i = at_;
    if (starts("u8")) i += 2;
    else if (at(i) == 'u' || at(i) == 'U' || at(i) == 'L') ++i;
    if (at(i) == 'R' && at(i + 1) == '"') return end_of_raw(i + 2);
    const char quote = at(i);
    if (quote != '"' && quote != '\'') return at_;
    for (++i; i < source_.size() && source_[i] != quote && source_[i] != '\n';) {
      const std::size_t spliced = splice(i);
      i += spliced ? spliced : source_[i] == '\\' && at(i + 1) != '\n' ? 2 : 1;
    }
    if (i >= source_.size() || source_[i] == '\n')
      return std::min(i, source_.size());  // unfinished: it ends with its line
    return end_of_name(i + 1);             // "x"_suffix
  }
  std::size_t end_of_raw(std::size_t begin) const {
    const std::size_t open = source_.find_first_of("( )\\\t\v\f\n\"", begin);
    if (open == std::string_view::npos || source_[open] != '(' || open - begin > 16) return to_line_end(begin);
    const std::string close = ")" + std::string(source_.substr(begin, open - begin)) + "\"";
    const std::size_t end = source_.find(close, open + 1);
    return end == std::string_view::npos ? source_.size() : end_of_name(end + close.size());
  }

  std::string_view source_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
  bool is_first_ = true;  // nothing but space and comments on the line so far
  std::vector<Token> tokens_;
};

// A closing bracket of another kind than the last opened ends nothing: half-written text keeps its inner pairs.
void match_brackets(std::vector<Token>& tokens) {
  constexpr std::string_view opening = "([{", closing = ")]}";
  std::vector<int> open;
  std::array<int, 3> waiting{};  // of each kind
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    Token& t = tokens[i];
    if (t.kind != TokenKind::sign || t.text.size() != 1) continue;
    if (const std::size_t kind = opening.find(t.text); kind != opening.npos) {
      open.push_back(i);
      ++waiting[kind];
    }
    const std::size_t kind = closing.find(t.text);
    if (kind == closing.npos) continue;
    if (waiting[kind] == 0) continue;
    while (t.partner < 0) {
      Token& last = tokens[open.back()];
      const std::size_t last_kind = opening.find(last.text);
      if (last_kind == kind) {
        t.partner = open.back();
        last.partner = i;
      }
      --waiting[last_kind];
      open.pop_back();
    }
  }
}

}  // namespace

std::vector<Token> lex_with_comments(std::string_view source) { return Lexer(source).run(); }

std::vector<Token> lex(std::string_view source) {
  std::vector<Token> tokens = lex_with_comments(source);
  std::erase_if(tokens, [](const Token& t) { return t.kind == TokenKind::comment || t.kind == TokenKind::directive; });
  match_brackets(tokens);
  return tokens;
}

std::string_view content_of(const Token& literal) {
  std::string_view t = literal.text;
  const std::size_t open = t.find_first_of("\"'"), close = open == t.npos ? open : t.rfind(t[open]);
  if (open == t.npos) return {};
  const bool is_raw = open > 0 && t[open - 1] == 'R';
  t = t.substr(open + 1, (close > open ? close : t.size()) - open - 1);
  if (!is_raw || t.find('(') == t.npos) return t;
  t.remove_prefix(t.find('(') + 1);
  return t.substr(0, t.rfind(')'));
}

std::string code_of(std::string_view source) {
  std::string code(source);
  for (const Token& t : lex_with_comments(source)) {
    std::string_view hidden = t.kind == TokenKind::comment   ? t.text
                              : t.kind == TokenKind::literal ? content_of(t)
                                                             : std::string_view();
    for (const char& c : hidden)
      if (c != '\n') code[&c - source.data()] = ' ';
  }
  return code;
}

bool is_integer(const Token& number) {
  const std::string_view t = number.text;
  const bool is_hexadecimal = t.starts_with("0x") || t.starts_with("0X");
  const std::string_view digits = t.substr(0, t.find('_'));
  return number.kind == TokenKind::number && digits.find_first_of(is_hexadecimal ? ".pP" : ".eE") == t.npos;
}

unsigned long long integer_of(const Token& number) {
  if (!is_integer(number)) return ~0ull;
  std::string digits(number.text);
  std::erase(digits, '\'');
  int base = 10;
  std::size_t skip = 0;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    skip = 2;
  } else if (digits.starts_with("0b") || digits.starts_with("0B")) {
    base = 2;
    skip = 2;
  } else if (digits.size() > 1 && digits[0] == '0') base = 8;
  unsigned long long value = ~0ull;
  std::from_chars(digits.data() + skip, digits.data() + digits.size(), value, base);
  return value;
}

}  // namespace tl::text
