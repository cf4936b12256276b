// Numbers, texts, and texts with values in them: f'{x} of {n}'.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "interp/triton/parser_state.h"

namespace tl::triton {

namespace {

// What a string token consists of: r'..' b"..", f"""..""".
struct Quoted {
  bool is_raw = false, is_format = false, is_bytes = false;
  std::size_t content_at = 0;
  std::string_view content;
};
Quoted quoted(std::string_view token) {
  Quoted q;
  std::size_t i = 0;
  for (; token[i] != '"' && token[i] != '\''; ++i) {
    const char c = static_cast<char>(token[i] | 0x20);
    q.is_raw |= c == 'r';
    q.is_format |= c == 'f';
    q.is_bytes |= c == 'b';
  }
  const bool is_triple = token.size() >= i + 6 && token.substr(i, 3) == std::string(3, token[i]);
  const std::size_t quotes = is_triple ? 3 : 1;
  q.content_at = i + quotes;
  q.content = token.substr(q.content_at, token.size() - q.content_at - quotes);
  return q;
}

Position behind(Position at, std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_end = text[i] == '\n' || (text[i] == '\r' && !text.substr(i + 1).starts_with('\n'));
    at = is_end ? Position{at.line + 1, 1} : Position{at.line, at.column + 1};
  }
  return at;
}

void add_utf8(std::string& to, std::uint32_t c) {
  const auto add = [&](std::uint32_t byte) { to += static_cast<char>(byte); };
  if (c < 0x80) return add(c);
  if (c < 0x800) return add(0xC0 | c >> 6), add(0x80 | (c & 0x3F));
  if (c < 0x10000) return add(0xE0 | c >> 12), add(0x80 | (c >> 6 & 0x3F)), add(0x80 | (c & 0x3F));
  add(0xF0 | (c >> 18 & 7));
  add(0x80 | (c >> 12 & 0x3F));
  add(0x80 | (c >> 6 & 0x3F));
  add(0x80 | (c & 0x3F));
}

// Behind a backslash: what it stands for is added to `to`; gives how many characters it takes.
std::size_t escape(std::string_view rest, bool is_bytes, std::string& to) {
  const auto number = [&](std::size_t from, std::size_t most, int base) {
    std::uint32_t value = 0;
    const char* const begin = rest.data() + from;
    const char* const end = begin + std::min(most, rest.size() - from);
    const std::size_t length = static_cast<std::size_t>(std::from_chars(begin, end, value, base).ptr - begin);
    if (is_bytes) to += static_cast<char>(value);
    else add_utf8(to, value);
    return from + length;
  };
  constexpr std::string_view letters = "abfnrtv\\'\"", values = "\a\b\f\n\r\t\v\\'\"";
  if (rest.empty()) return 0;
  if (rest.starts_with("\r\n")) return 2;
  if (rest[0] == '\n' || rest[0] == '\r') return 1;
  if (const std::size_t at = letters.find(rest[0]); at != letters.npos) return to += values[at], 1;
  if (rest[0] >= '0' && rest[0] <= '7') return number(0, 3, 8);
  if (rest[0] == 'x') return number(1, 2, 16);
  if (rest[0] == 'u' && !is_bytes) return number(1, 4, 16);
  if (rest[0] == 'U' && !is_bytes) return number(1, 8, 16);
  to += '\\';
  return 0;
}

// Adds the characters; a line's end is \n however it is written.
void add_content(std::string& to, std::string_view content, const Quoted& q) {
  for (std::size_t i = 0; i < content.size();) {
    if (content[i] == '\\' && !q.is_raw) i += 1 + escape(content.substr(i + 1), q.is_bytes, to);
    else if (content.substr(i).starts_with("\r\n")) {
      to += '\n';
      i += 2;
    } else {
      to += content[i] == '\r' ? '\n' : content[i];
      ++i;
    }
  }
}

}  // namespace

Node* Parser::number() {
  const Token& token = take();
  const auto refuse = [&] { fail(token.at, fmt::format("'{}' is no number", token.text), "write 12, 0x1F, 1e-3"); };
  Node* const node = make(NodeKind::integer, token.at);
  node->text = token.text;
  std::string digits;
  for (std::size_t i = 0; i < token.text.size(); ++i) {
    const char c = static_cast<char>(std::tolower(static_cast<unsigned char>(token.text[i])));
    const bool is_between =
        i > 0 && i + 1 < token.text.size() && std::isxdigit(static_cast<unsigned char>(token.text[i + 1]));
    if (c == '_' && !is_between) refuse();
    if (c != '_') digits += c;
  }
  const char mark = digits.size() > 1 && digits[0] == '0' ? digits[1] : '0';
  const int base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
  const char *begin = digits.data() + (base == 10 ? 0 : 2), *end = digits.data() + digits.size();
  const auto whole = std::from_chars(begin, end, node->integer, base);
  const bool has_zeros =
      base == 10 && digits.size() > 1 && digits[0] == '0' && digits.find_first_not_of('0') != std::string::npos;
  if (begin < end && whole.ptr == end && whole.ec == std::errc()) {
    if (has_zeros) fail(token.at, fmt::format("'{}' begins with 0", token.text), "an octal number begins with 0o");
    return done(node);
  }
  if (base != 10) {  // more than 64 bits
    if (begin == end || whole.ptr != end) refuse();
    double value = 0;
    for (const char* c = begin; c < end; ++c) value = value * base + (*c <= '9' ? *c - '0' : *c - 'a' + 10);
    node->real = value;
    return done(node);
  }
  const bool is_imaginary = digits.ends_with('j');
  if (is_imaginary) --end;
  const auto read = std::from_chars(begin, end, node->real);
  if (read.ptr != end) refuse();
  if (read.ec != std::errc()) node->real = digits.find("e-") != std::string::npos ? 0 : HUGE_VAL;
  node->kind = is_imaginary                                      ? NodeKind::imaginary
               : digits.find_first_of(".e") == std::string::npos ? NodeKind::integer
                                                                 : NodeKind::real;
  return done(node);
}

Node* Parser::strings() {
  const Position begin = now().at;
  std::string text;
  Nodes pieces;
  bool is_format = false, is_bytes = false;
  std::vector<Token> parts;
  while (is(TokenKind::string)) parts.push_back(take());
  const Position end = last_end_;
  for (const Token& token : parts) {
    const Quoted q = quoted(token.text);
    is_format |= q.is_format;
    is_bytes |= q.is_bytes;
    if (!q.is_format) add_content(text, q.content, q);
    else format_pieces(q.content, behind(token.at, token.text.substr(0, q.content_at)), q.is_raw, 0, pieces, text);
  }
  last_end_ = end;
  Node* const node = make(is_format ? NodeKind::format : is_bytes ? NodeKind::bytes : NodeKind::string, begin);
  if (is_format) {
    if (!text.empty()) pieces.push_back(done(make(NodeKind::string, begin, {}, keep(std::move(text)))));
    node->children = std::move(pieces);
  } else {
    node->text = keep(std::move(text));
  }
  return done(node);
}

// Cuts the content of an f-string, or what stands behind a colon in it: `text` is what stands before the next value.
void Parser::format_pieces(std::string_view content, Position at, bool is_raw, int nesting, Nodes& to,
                           std::string& text) {
  const Quoted how{is_raw, true, false, 0, {}};
  const auto fail_at = [&](std::size_t i, const char* fact, const char* fix) {
    fail(behind(at, content.substr(0, i)), fact, fix);
  };
  for (std::size_t i = 0; i < content.size();) {
    const std::string_view rest = content.substr(i);
    if (rest.starts_with("{{") || rest.starts_with("}}")) {
      text += rest[0];
      i += 2;
    } else if (rest[0] == '}') {
      fail_at(i, "this '}' closes nothing in the f-string", "write '}}' for a bracket");
    } else if (rest[0] == '{') {
      // Up to the '}' of the same level; brackets and texts within are passed.
      std::size_t end = 1;
      int open = 0;
      for (char quote = 0; end < rest.size(); ++end) {
        const char c = rest[end];
        if (quote) quote = c == quote ? '\0' : quote;
        else if (c == '"' || c == '\'') quote = c;
        else if (c == '{' || c == '(' || c == '[') ++open;
        else if (open == 0 && c == '}') break;
        else if (c == '}' || c == ')' || c == ']') --open;
      }
      if (end >= rest.size()) fail_at(i, "this '{' is never closed in the f-string", "close it, or write '{{'");
      if (nesting > 1) fail_at(i, "values nest too deep in this f-string", "compute it before");
      const Position begin = behind(at, content.substr(0, i));
      to.push_back(nullptr);  // the text before it, once it is whole
      const std::size_t before = to.size() - 1;
      Node* const value = formatted(rest.substr(1, end - 1), behind(begin, "{"), is_raw, nesting, begin, text);
      if (text.empty()) to.erase(to.begin() + static_cast<std::ptrdiff_t>(before));
      else to[before] = done(make(NodeKind::string, begin, {}, keep(std::move(text))));
      text.clear();
      to.push_back(value);
      i += end + 1;
    } else {
      std::size_t length = rest.find_first_of("{}");
      if (!is_raw)
        if (const std::size_t named = rest.find("\\N{"); named < length) length = rest.find('}', named);
      if (length == rest.npos) length = rest.size();
      else if (rest.substr(0, length).find("\\N{") != rest.npos && !is_raw) ++length;
      add_content(text, rest.substr(0, length), how);
      i += length;
    }
  }
}

// `x`, `x=`, `x!r`, `x:>{width}`: what stands between the brackets.
Node* Parser::formatted(std::string_view inside, Position at, bool is_raw, int nesting, Position begin,
                        std::string& text) {
  std::size_t end = 0;
  int open = 0;
  for (char quote = 0; end < inside.size(); ++end) {
    const char c = inside[end];
    const char next = end + 1 < inside.size() ? inside[end + 1] : '\0', before = end ? inside[end - 1] : '\0';
    if (quote) quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'') quote = c;
    else if (c == '{' || c == '(' || c == '[') ++open;
    else if (c == '}' || c == ')' || c == ']') --open;
    else if (open == 0 && (c == ':' || (c == '!' && next != '='))) break;
    else if (open == 0 && c == '=' && next != '=' && std::string_view("=!<>").find(before) == std::string_view::npos)
      break;
  }
  const Depth depth(*this);
  Node* value = nullptr;
  {
    const Within within(*this, lex_expression(tree_.source, inside.substr(0, end), at));
    if (is(TokenKind::end))
      fail(at, "nothing stands between the brackets of this f-string", "{x}, or '{{' for a bracket");
    value = is("yield") ? yield_expression() : expressions();
    if (!is(TokenKind::end)) unexpected("'}'", "close the value");
  }

  Node* const node = make(NodeKind::formatted, begin, {value});
  const bool is_told = end < inside.size() && inside[end] == '=';
  if (is_told) {
    for (++end; end < inside.size() && inside[end] == ' ';) ++end;
    text += inside.substr(0, end);
  }
  if (end < inside.size() && inside[end] == '!') {
    node->text = inside.substr(end + 1, inside.substr(end + 1).find(':'));
    if (node->text != "r" && node->text != "s" && node->text != "a")
      fail(behind(at, inside.substr(0, end)), "behind '!' stands none of r, s, a", "{x!r}");
    end += 2;
  }
  if (end < inside.size() && inside[end] == ':') {
    Node* const how = make(NodeKind::format, begin);
    std::string rest;
    format_pieces(inside.substr(end + 1), behind(at, inside.substr(0, end + 1)), is_raw, nesting + 1, how->children,
                  rest);
    if (!rest.empty()) how->children.push_back(done(make(NodeKind::string, begin, {}, keep(std::move(rest)))));
    node->children.push_back(done(how));
  } else if (is_told && node->text.empty()) {
    node->text = "r";
  }
  return done(node);
}

}  // namespace tl::triton
