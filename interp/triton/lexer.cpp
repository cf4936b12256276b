#include "interp/triton/lexer.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/triton/characters.h"

namespace tl::triton {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
// How long the name or number is that `text` begins with.
std::size_t word_length(std::string_view text) {
  std::size_t length = 0;
  while (begins_with_letter(text.substr(length))) length += character_length(text.substr(length));
  return length;
}

// The length of the sign that `text` begins with; 0: it begins with none.
std::size_t sign_length(std::string_view text) {
  static constexpr std::string_view signs[] = {
      "**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->", "+=", "-=",
      "*=",  "/=",  "%=",  "&=",  "|=",  "^=", "@=", ":=", "+",  "-",  "*",  "/",  "%",  "@",  "&",  "|",
      "^",   "~",   "<",   ">",   "(",   ")",  "[",  "]",  "{",  "}",  ",",  ":",  ".",  ";",  "="};
  for (const std::string_view sign : signs)
    if (text.starts_with(sign)) return sign.size();
  return 0;
}

class Lexer {
 public:
  Lexer(const Source& source, std::string_view text, Position at)
      : source_(source), text_(text), line_(at.line), line_begin_(-(at.column - 1)) {}

  std::vector<Token> file() {
    indentation();
    while (at_ < text_.size()) next(true);
    if (!tokens_.empty() && tokens_.back().kind != TokenKind::newline && tokens_.back().kind != TokenKind::dedent)
      add(TokenKind::newline, 0);
    for (; indents_.size() > 1; indents_.pop_back()) add(TokenKind::dedent, 0);
    return finish();
  }
  std::vector<Token> expression() {
    while (at_ < text_.size()) next(false);
    return finish();
  }

 private:
  // How wide white space is where a tab goes to a multiple of 8, and where it is one column: lines that compare
  // otherwise by the one and by the other depend on an editor's tabs.
  struct Indent {
    int wide = 0, narrow = 0;
  };

  std::vector<Token> finish() {
    if (!open_.empty())
      fail(tokens_[open_.back()].at, fmt::format("'{}' is never closed", tokens_[open_.back()].text),
           fmt::format("add a '{}'", partner_of(tokens_[open_.back()].text)));
    add(TokenKind::end, 0);
    return std::move(tokens_);
  }
  [[noreturn]] void fail(Position at, const std::string& fact, const std::string& fix) const {
    throw error_at(source_, at, fact, fix);
  }
  static std::string_view partner_of(std::string_view open) { return open == "(" ? ")" : open == "[" ? "]" : "}"; }

  Position here() const { return {line_, static_cast<int>(static_cast<std::ptrdiff_t>(at_) - line_begin_) + 1}; }
  char character(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void add(TokenKind kind, std::size_t length) {
    Token token{kind, text_.substr(at_, length), here(), {}};
    at_ += length;
    token.end = here();
    tokens_.push_back(token);
  }
  bool is_line_end(std::size_t ahead = 0) const { return character(ahead) == '\n' || character(ahead) == '\r'; }
  void pass_line_end() {
    at_ += character(0) == '\r' && character(1) == '\n' ? 2 : 1;
    ++line_;
    line_begin_ = static_cast<std::ptrdiff_t>(at_);
  }

  void indentation();
  void next(bool is_in_file);
  void string(std::size_t prefix);
  void number();
  void sign(std::size_t length);

  const Source& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  int line_;
  std::ptrdiff_t line_begin_;  // where column 1 is
  std::vector<Token> tokens_;
  std::vector<std::size_t> open_;  // brackets
  std::vector<Indent> indents_{{}};
};

// At the beginning of a line: passes what is empty, then compares its indentation with that of the lines before.
void Lexer::indentation() {
  for (;;) {
    Indent now;
    for (;; ++at_) {
      if (character(0) == ' ') {
        ++now.wide;
        ++now.narrow;
      } else if (character(0) == '\t') {
        now.wide = now.wide / 8 * 8 + 8;
        ++now.narrow;
      } else if (character(0) == '\f') now = {};
      else break;
    }
    if (character(0) == '#')
      while (at_ < text_.size() && !is_line_end()) ++at_;
    if (at_ >= text_.size()) return;
    if (is_line_end()) {
      pass_line_end();
      continue;
    }
    const auto mixed = [&](const Indent& other) {
      return (now.wide < other.wide) != (now.narrow < other.narrow) ||
             (now.wide == other.wide) != (now.narrow == other.narrow);
    };
    constexpr const char* spaces = "indent every line by spaces alone";
    if (mixed(indents_.back())) fail(here(), "tabs and spaces are mixed in the indentation", spaces);
    if (now.wide > indents_.back().wide) {
      indents_.push_back(now);
      add(TokenKind::indent, 0);
    }
    while (now.wide < indents_.back().wide) {
      indents_.pop_back();
      add(TokenKind::dedent, 0);
    }
    if (mixed(indents_.back())) fail(here(), "tabs and spaces are mixed in the indentation", spaces);
    if (now.wide != indents_.back().wide)
      fail(here(), "this indentation is none of the lines around it", "indent it as the block that it belongs to");
    return;
  }
}

void Lexer::next(bool is_in_file) {
  const char c = character(0);
  if (is_line_end()) {
    if (is_in_file && open_.empty()) {
      add(TokenKind::newline, 0);
      pass_line_end();
      return indentation();
    }
    return pass_line_end();
  }
  if (c == ' ' || c == '\t' || c == '\f') {
    ++at_;
  } else if (c == '\\' && is_line_end(1)) {
    ++at_;
    pass_line_end();
  } else if (c == '\\' &&
             is_line_end(1 + std::min(text_.find_first_not_of(" \t", at_ + 1), text_.size()) - (at_ + 1))) {
    fail(here(), "a space follows this '\\', which ends its line", "remove the spaces behind it");
  } else if (c == '#') {
    while (at_ < text_.size() && !is_line_end()) ++at_;
  } else if (is_digit(c) || (c == '.' && is_digit(character(1)))) {
    number();
  } else if (const std::size_t length = word_length(text_.substr(at_))) {
    const bool is_prefix =
        length <= 2 && text_.substr(at_, length).find_first_not_of("rRbBfFuU") == std::string_view::npos;
    if (is_prefix && (character(length) == '"' || character(length) == '\'')) string(length);
    else add(TokenKind::name, length);
  } else if (c == '"' || c == '\'') {
    string(0);
  } else if (const std::size_t length = sign_length(text_.substr(at_))) {
    sign(length);
  } else {
    add(TokenKind::unknown, std::max<std::size_t>(character_length(text_.substr(at_)), 1));
  }
}

void Lexer::string(std::size_t prefix) {
  const Position begin = here();
  const std::size_t first = at_;
  at_ += prefix;
  const char quote = character(0);
  const bool is_triple = character(1) == quote && character(2) == quote;
  at_ += is_triple ? 3 : 1;
  const auto ends = [&] {
    return character(0) == quote && (!is_triple || (character(1) == quote && character(2) == quote));
  };
  while (!ends()) {
    if (at_ >= text_.size() || (is_line_end() && !is_triple))
      fail(begin, "this string is never closed", fmt::format("end it with {}", std::string(is_triple ? 3 : 1, quote)));
    if (character(0) == '\\') ++at_;
    if (at_ >= text_.size()) continue;
    if (is_line_end()) pass_line_end();
    else ++at_;
  }
  at_ += is_triple ? 3 : 1;
  tokens_.push_back({TokenKind::string, text_.substr(first, at_ - first), begin, here()});
}

// Takes what looks like a number; its value is read later, which may refuse it.
void Lexer::number() {
  const char base = static_cast<char>(character(1) | 0x20);
  const bool is_decimal = character(0) != '0' || (base != 'x' && base != 'o' && base != 'b');
  std::size_t length = 1;
  for (;;) {
    const char c = character(length), before = character(length - 1);
    const bool is_exponent_sign = (c == '+' || c == '-') && (before == 'e' || before == 'E');
    if (is_decimal && (c == '.' || is_exponent_sign)) ++length;
    else if (const std::size_t word = word_length(text_.substr(at_ + length))) length += word;
    else break;
  }
  add(TokenKind::number, length);
}

void Lexer::sign(std::size_t length) {
  add(TokenKind::sign, length);
  const Token& now = tokens_.back();
  if (now.is("(") || now.is("[") || now.is("{")) open_.push_back(tokens_.size() - 1);
  if (!now.is(")") && !now.is("]") && !now.is("}")) return;
  if (open_.empty()) fail(now.at, fmt::format("'{}' closes nothing", now.text), "remove it");
  const Token& opened = tokens_[open_.back()];
  if (partner_of(opened.text) != now.text)
    fail(now.at,
         fmt::format("'{}' cannot close the '{}' of line {}, column {}", now.text, opened.text, opened.at.line,
                     opened.at.column),
         fmt::format("close that one first by '{}'", partner_of(opened.text)));
  open_.pop_back();
}

// Python takes UTF-8 alone, and no zero byte.
void check_bytes(const Source& source) {
  Position at{1, 1};
  const std::string_view text = source.text;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text.substr(i));
    if (length == 0 || text[i] == '\0')
      throw error_at(source, at, fmt::format("the byte 0x{:02X} is not text", static_cast<unsigned char>(text[i])),
                     text[i] == '\0' ? "remove it, or save the file as UTF-8" : "save the file as UTF-8");
    const bool is_end = text[i] == '\n' || (text[i] == '\r' && !text.substr(i + 1).starts_with('\n'));
    at = is_end ? Position{at.line + 1, 1} : Position{at.line, at.column + static_cast<int>(length)};
    i += length;
  }
}

}  // namespace

std::vector<Token> lex(const Source& source) {
  check_bytes(source);
  return Lexer(source, source.text, {1, 1}).file();
}

std::vector<Token> lex_expression(const Source& source, std::string_view text, Position at) {
  return Lexer(source, text, at).expression();
}

}  // namespace tl::triton
