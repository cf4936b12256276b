#include "interp/debug/syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "interp/debug/calculator.h"
#include "interp/lang/text.h"

namespace tl::debug {
namespace {

constexpr const char* grammar =
    "names, numbers, x[3], x[1, 2:5], x[::2], x[:, None], x.T, + - * / // % ** @ << >> < <= > >= == != & | ^ ~ && || ! "
    "and or not, x if c else y, the functions of tl and NumPy's: sum(x, 1), x.sum(axis=1), amax(x, 0), where(c, x, y), "
    "x.to(tl.float16)";

enum class LexemeKind : unsigned char { name, number, text, sign, end };
struct Lexeme {
  LexemeKind kind = LexemeKind::end;
  std::string_view text;
  std::size_t position = 1;
  bool is(std::string_view t) const { return kind != LexemeKind::text && text == t; }
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::vector<Lexeme> tokens_of(std::string_view text) {
  static constexpr std::string_view signs[] = {"...", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
  std::vector<Lexeme> all;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      at = end;
      continue;
    }
    LexemeKind kind = LexemeKind::sign;
    if (is_letter(c)) {
      kind = LexemeKind::name;
      while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
    } else if (is_digit(c) || (c == '.' && end < text.size() && is_digit(text[end]))) {
      kind = LexemeKind::number;
      const bool is_hex = c == '0' && end < text.size() && (text[end] == 'x' || text[end] == 'X');
      const auto goes_on = [&](char d) {
        const char before = text[end - 1];
        return is_letter(d) || is_digit(d) || d == '.' || d == '\'' ||
               ((d == '-' || d == '+') && !is_hex && (before == 'e' || before == 'E'));
      };
      while (end < text.size() && goes_on(text[end])) ++end;
    } else if (c == '"' || c == '\'') {
      kind = LexemeKind::text;
      end = text.find(c, end);
      if (end == text.npos) fail_at(text, at + 1, "this text does not end", "close it with the same quote");
      ++end;
    } else {
      for (const std::string_view sign : signs)
        if (text.substr(at).starts_with(sign)) {
          end = at + sign.size();
          break;
        }
    }
    all.push_back({kind, text.substr(at, end - at), at + 1});
    at = end;
  }
  all.push_back({LexemeKind::end, {}, text.size() + 1});
  return all;
}

class Parser {
 public:
  Parser(std::string_view text, Precedence precedence)
      : text_(text), tokens_(tokens_of(text)), levels_(precedence == Precedence::cpp ? cpp_levels : python_levels) {}

  Node whole() {
    if (tokens_.size() > 1001)                                                // the end is one
      fail_at(text_.substr(0, 40), 1, "more than 1000 words", "shorten it");  // the tree is walked by recursion
    Node result = expression();
    if (token().kind != LexemeKind::end) fail("expected an operator or the end here");
    return result;
  }

 private:
  const Lexeme& token(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  std::size_t position() const { return token().position; }
  [[noreturn]] void fail(const std::string& fact) const { fail_at(text_, position(), fact, grammar); }
  bool is(std::string_view t) const { return token().is(t); }
  bool take(std::string_view t) {
    if (!is(t)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view t) {
    if (!take(t)) fail(fmt::format("expected '{}' here", t));
  }

  // From the loosest to the closest.
  static constexpr int level_count = 9;
  using Levels = std::string_view[level_count][6];
  static constexpr Levels cpp_levels = {{"||", "or"}, {"&&", "and"}, {"|"},
                                        {"^"},        {"&"},         {"==", "!=", "<=", ">=", "<", ">"},
                                        {"<<", ">>"}, {"+", "-"},    {"*", "//", "/", "%", "@"}};
  static constexpr Levels python_levels = {{"||", "or"}, {"&&", "and"}, {"==", "!=", "<=", ">=", "<", ">"},
                                           {"|"},        {"^"},         {"&"},
                                           {"<<", ">>"}, {"+", "-"},    {"*", "//", "/", "%", "@"}};

  // x if c else y
  Node expression() {
    Node value = binary(0);
    if (!is("if")) return value;
    Node choice{.kind = NodeKind::conditional, .position = position(), .text = "if"};
    ++at_;
    Node condition = binary(0);
    expect("else");
    choice.children = {std::move(condition), std::move(value), expression()};
    return choice;
  }

  Node binary(int level) {
    if (level == level_count) return unary();
    Node left = binary(level + 1);
    bool compares = false;
    while (true) {
      std::string_view sign;
      for (const std::string_view candidate : levels_[level])
        if (!candidate.empty() && is(candidate)) sign = candidate;
      if (sign.empty()) return left;
      const bool is_comparison = levels_[level][0] == "==";
      if (is_comparison && compares && &levels_ == &cpp_levels)
        fail_at(text_, position(), "two comparisons in a row", "join them: (a < b) & (b < c)");
      if (sign == "or") sign = "||";
      if (sign == "and") sign = "&&";
      Node both{.kind = NodeKind::binary, .position = position(), .text = std::string(sign)};
      ++at_;
      Node right = binary(level + 1);
      if (is_comparison && compares) {  // a < b < c of Python: a < b and b < c
        const Node& before = left.text == "&&" ? left.children[1] : left;
        both.children = {before.children[1], std::move(right)};
        left = {.kind = NodeKind::binary, .position = both.position, .text = "&&", .children = {std::move(left), both}};
      } else {
        both.children = {std::move(left), std::move(right)};
        left = std::move(both);
      }
      compares = is_comparison;
    }
  }

  Node unary() {
    if (++depth_ > 64)
      fail("nested too deeply");  // a dozen frames each: within a thread's stack under sanitizers as well
    Node result;
    if (is("-") || is("!") || is("~") || is("not") || is("+")) {
      result = {.kind = NodeKind::unary, .position = position(), .text = std::string(is("not") ? "!" : token().text)};
      ++at_;
      result.children.push_back(unary());
    } else {
      result = power();
    }
    --depth_;
    return result;
  }

  // -x ** 2 is -(x ** 2), and 2 ** -x is right, too.
  Node power() {
    Node base = postfix();
    if (!is("**")) return base;
    Node result{.kind = NodeKind::binary, .position = position(), .text = "**"};
    ++at_;
    result.children.push_back(std::move(base));
    result.children.push_back(unary());
    return result;
  }

  Node postfix() {
    Node result = primary();
    while (true) {
      if (is("[")) result = subscript(std::move(result));
      else if (is("(")) result = cpp_slice(std::move(result));
      else if (is(".") && token(1).kind == LexemeKind::name) result = member(std::move(result));
      else if (is(".")) fail("expected a name behind the point: x.T, x.sum(1)");
      else return result;
    }
  }

  Node primary() {
    const Lexeme& t = token();
    Node result{.kind = NodeKind::name, .position = t.position, .text = std::string(t.text)};
    if (take("(")) return parenthesis(result, ")");
    if (take("[")) return parenthesis(result, "]");  // [0, 1], a tuple
    if (t.kind == LexemeKind::text) {
      result.kind = NodeKind::text;
      result.text = t.text.substr(1, t.text.size() - 2);
      ++at_;
      return result;
    }
    if (t.kind == LexemeKind::number) {
      read_number(result);
      ++at_;
      return result;
    }
    if (t.kind != LexemeKind::name) fail("expected a name or a number here");
    while (is_module(token().text) && token(1).is(".") && token(2).kind == LexemeKind::name) at_ += 2;  // tl.exp
    result.text = token().text;
    ++at_;
    if (is("(") && !is_cpp_slice()) call(result);
    return result;
  }

  static bool is_module(std::string_view name) {
    return name == "tl" || name == "np" || name == "numpy" || name == "math" || name == "libdevice" ||
           name == "torch" || name == "linalg" || name == "nn" || name == "functional" || name == "special";
  }

  Node parenthesis(Node result, std::string_view end) {
    result.kind = NodeKind::tuple;
    bool is_tuple = end == "]";
    while (!is(end)) {
      result.children.push_back(expression());
      if (!take(",")) break;
      is_tuple = true;
    }
    expect(end);
    if (is_tuple || result.children.empty()) return result;
    Node inner = std::move(result.children[0]);
    return inner;
  }

  // x(_, None): nothing but _ and None.
  bool is_cpp_slice() const {
    std::size_t i = 1;
    for (; token(i).is("_") || token(i).is("None"); ++i)
      if (!token(++i).is(",")) return token(i).is(")");
    return false;
  }
  Node cpp_slice(Node of) {
    if (!is_cpp_slice()) fail("only a function is called: an element of a block is x[3]");
    Node result{.kind = NodeKind::subscript, .position = position(), .text = ""};
    result.children.push_back(std::move(of));
    expect("(");
    do {
      Slice s;
      s.is_new = is("None");
      ++at_;
      result.slices.push_back(s);
    } while (take(","));
    expect(")");
    return result;
  }

  void call(Node& n) {
    if (!is_function(n.text)) {
      const std::string near = nearest(n.text, function_names());
      fail_at(text_, n.position, fmt::format("no function is called {}", n.text),
              near.empty() ? fmt::format("an element of a block is {}[3]; functions are tl's and NumPy's", n.text)
                           : fmt::format("did you mean {}?", near));
    }
    n.kind = NodeKind::call;
    arguments(n);
  }

  void arguments(Node& n) {
    expect("(");
    while (!is(")")) {
      if (token().kind == LexemeKind::name && token(1).is("=")) {
        n.keywords.emplace_back(token().text);
        at_ += 2;
      } else if (!n.keywords.empty()) {
        fail("a value without a name stands behind one with a name");
      } else if (is("tl") && token(1).is(".") && token(2).is("keep_dims")) {  // tl.sum(x, 1_c, tl.keep_dims)
        n.keywords.emplace_back("keep_dims");
        n.children.push_back({.kind = NodeKind::name, .position = position(), .text = "True"});
        at_ += 3;
        break;
      }
      n.children.push_back(expression());
      if (!take(",")) break;
    }
    expect(")");
  }

  // x.T, x.shape, x.sum(1)
  Node member(Node of) {
    expect(".");
    Node result{.kind = NodeKind::attribute, .position = position(), .text = std::string(token().text)};
    ++at_;
    result.children.push_back(std::move(of));
    if (!is("(") || is_cpp_slice()) {
      if (!is_attribute(result.text))
        fail_at(text_, result.position, fmt::format("a value has no {}", result.text),
                "it has .T, .shape, .dtype, .ndim, .size, and functions as methods: x.sum(1)");
      return result;
    }
    if (!is_function(result.text) && !is_method(result.text))
      fail_at(text_, result.position, fmt::format("no function is called {}", result.text), grammar);
    result.kind = NodeKind::method;
    arguments(result);
    return result;
  }

  void read_number(Node& n) const {
    std::string digits = n.text;
    std::erase(digits, '\'');
    if (digits.ends_with("_c")) digits.resize(digits.size() - 2);  // a constant of C++
    n.kind = NodeKind::number;
    const int base = digits.starts_with("0x") || digits.starts_with("0X") ? 16 : 10;
    if (base == 10 && (digits.ends_with('f') || digits.ends_with('F'))) digits.pop_back();
    const char *first = digits.data() + (base == 16 ? 2 : 0), *const last = digits.data() + digits.size();
    n.is_whole = base == 16 || digits.find_first_of(".eE") == std::string::npos;
    const auto [end, error] =
        n.is_whole ? std::from_chars(first, last, n.whole, base) : std::from_chars(first, last, n.value);
    if (n.is_whole && error == std::errc::result_out_of_range) fail("no int64 holds this number");
    if (error != std::errc{} || end != last) fail("not a number");
  }

  Node subscript(Node of) {
    Node result{.kind = NodeKind::subscript, .position = position(), .text = ""};
    result.children.push_back(std::move(of));
    const auto bound = [&] {
      if (is(":") || is(",") || is("]")) return -1;
      result.children.push_back(expression());
      return static_cast<int>(result.children.size()) - 1;
    };
    expect("[");
    do {
      if (is("]") && !result.slices.empty()) break;  // x[:,]
      Slice s;
      if (is_module(token().text) && token(1).is(".") && token(2).is("newaxis")) at_ += 2;
      s.is_new = take("None") || take("newaxis");
      s.is_rest = !s.is_new && (take("...") || take("Ellipsis"));
      if (!s.is_new && !s.is_rest) {
        s.first = bound();
        if (take(":")) {
          s.end = bound();
          if (take(":")) s.step = bound();
        } else if (s.first < 0) fail("expected a subscript here");
        else s.is_index = true;
      }
      result.slices.push_back(s);
    } while (take(","));
    expect("]");
    return result;
  }

  std::string_view text_;
  std::vector<Lexeme> tokens_;
  const Levels& levels_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Node parse(std::string_view text, Precedence precedence) { return Parser(text, precedence).whole(); }

void fail_at(std::string_view text, std::size_t position, const std::string& fact, const std::string& fix) {
  throw Error(fmt::format("'{}', position {}: {}", text, position, fact), fix);
}

}  // namespace tl::debug
