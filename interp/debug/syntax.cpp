#include "interp/debug/syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "interp/text/lexer.h"

namespace tl::debug {
namespace {

constexpr const char* grammar =
    "names, numbers, x[3], x[1, 2:5], x[:, None], x.T, + - * / % @ << >> < <= > >= == != & | ^ ~ && || !, "
    "x.to(tl.float16), "
    "any "
    "all max min sum abs, max(x, y), sum(x, 1), amax(x, 1), where(c, x, y), cdiv(n, m), exp sqrt and the like";

// How many values a function takes.
struct Arity {
  std::string_view name;
  std::size_t least, most;
};
constexpr Arity functions[] = {{"any", 1, 1},     {"all", 1, 1},     {"max", 1, 2},   {"min", 1, 2},
                               {"maximum", 2, 2}, {"minimum", 2, 2}, {"sum", 1, 2},   {"amax", 1, 2},
                               {"amin", 1, 2},    {"abs", 1, 1},     {"where", 3, 3}, {"cdiv", 2, 2},
                               {"dot", 2, 2},     {"trans", 1, 1},   {"exp", 1, 1},   {"exp2", 1, 1},
                               {"log", 1, 1},     {"log2", 1, 1},    {"sqrt", 1, 1},  {"rsqrt", 1, 1},
                               {"sin", 1, 1},     {"cos", 1, 1},     {"tanh", 1, 1},  {"erf", 1, 1},
                               {"sigmoid", 1, 1}, {"floor", 1, 1},   {"ceil", 1, 1},  {"next_power_of_2", 1, 1}};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), tokens_(text::lex(text)) {}

  Node whole() {
    if (tokens_.size() > 1000)
      fail_at(text_.substr(0, 40), 1, "more than 1000 words", "shorten it");  // the tree is walked by recursion
    Node result = binary(0);
    if (at_ < tokens_.size()) fail("expected an operator or the end here");
    return result;
  }

 private:
  std::size_t position() const {
    return at_ < tokens_.size() ? static_cast<std::size_t>(tokens_[at_].text.data() - text_.data()) + 1
                                : text_.size() + 1;
  }
  [[noreturn]] void fail(const std::string& fact) const { fail_at(text_, position(), fact, grammar); }
  bool is(std::string_view t) const { return at_ < tokens_.size() && tokens_[at_].is(t); }
  bool take(std::string_view t) {
    if (!is(t)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view t) {
    if (!take(t)) fail(fmt::format("expected '{}' here", t));
  }

  static constexpr std::string_view levels[9][6] = {{"||"},       {"&&"},     {"|"},
                                                    {"^"},        {"&"},      {"==", "!=", "<=", ">=", "<", ">"},
                                                    {"<<", ">>"}, {"+", "-"}, {"*", "/", "%", "@"}};

  Node binary(int level) {
    if (level == 9) return unary();
    Node left = binary(level + 1);
    while (true) {
      std::string_view sign;
      for (std::string_view candidate : levels[level])
        if (!candidate.empty() && is(candidate)) sign = candidate;
      if (sign.empty()) return left;
      Node both{.kind = NodeKind::binary, .position = position(), .text = std::string(sign)};
      ++at_;
      both.children.push_back(std::move(left));
      both.children.push_back(binary(level + 1));
      left = std::move(both);
    }
  }

  Node unary() {
    if (++depth_ > 64)
      fail("nested too deeply");  // a dozen frames each: within a thread's stack under sanitizers as well
    const std::size_t here = position();
    Node result;
    if (is("-") || is("!") || is("~")) {
      result = {.kind = is("-")   ? NodeKind::negative
                        : is("!") ? NodeKind::negation
                                  : NodeKind::complement,
                .position = here,
                .text = ""};
      ++at_;
      result.children.push_back(unary());
    } else {
      result = primary();
      while (is("[") || is(".")) result = is("[") ? subscript(std::move(result)) : cast(std::move(result));
    }
    --depth_;
    return result;
  }

  Node primary() {
    if (at_ >= tokens_.size()) fail("expected a name or a number here");
    if (take("(")) {
      Node inner = binary(0);
      expect(")");
      return inner;
    }
    if (is("tl") && at_ + 3 < tokens_.size() && tokens_[at_ + 1].is(".") && tokens_[at_ + 3].is("("))
      at_ += 2;  // tl.exp(x)
    const text::Token& token = tokens_[at_];
    Node result{.kind = NodeKind::name, .position = position(), .text = std::string(token.text)};
    if (token.kind == text::TokenKind::number) {
      read_number(result);
    } else if (token.kind != text::TokenKind::name) {
      fail("expected a name or a number here");
    }
    ++at_;
    if (result.kind != NodeKind::name || !is("(")) return result;
    call(result);
    return result;
  }

  void call(Node& n) {
    const auto* const f = std::ranges::find(functions, n.text, &Arity::name);
    if (f == std::end(functions)) {
      std::string names;
      for (const Arity& known : functions) names += (names.empty() ? "" : ", ") + std::string(known.name);
      fail_at(text_, n.position, fmt::format("no function is called {}", n.text),
              fmt::format("{} are; an element of a block is {}[3]", names, n.text));
    }
    n.kind = NodeKind::call;
    expect("(");
    do n.children.push_back(binary(0));
    while (take(","));
    expect(")");
    if (n.children.size() < f->least || n.children.size() > f->most)
      fail_at(text_, n.position, fmt::format("{} does not take {} values", n.text, n.children.size()),
              f->least == f->most ? fmt::format("it takes {}", f->most)
                                  : "it takes one, or two: max(x, y) is the larger of each pair, sum(x, 1) and amax(x, "
                                    "1) run along axis 1");
  }

  void read_number(Node& n) const {
    std::string digits = n.text;
    std::erase(digits, '\'');
    n.kind = NodeKind::number;
    const int base = digits.starts_with("0x") || digits.starts_with("0X") ? 16 : 10;
    const char *first = digits.data() + (base == 16 ? 2 : 0), *const last = digits.data() + digits.size();
    n.is_whole = base == 16 || digits.find_first_of(".eE") == std::string::npos;
    const auto [end, error] =
        n.is_whole ? std::from_chars(first, last, n.whole, base) : std::from_chars(first, last, n.value);
    if (n.is_whole && error == std::errc::result_out_of_range) fail("no int64 holds this number");
    if (error != std::errc{} || end != last) fail("not a number");
  }

  // x.to(tl.float16), x.to(y.dtype)
  Node cast(Node of) {
    Node result{.kind = NodeKind::cast, .position = position(), .text = ""};
    result.children.push_back(std::move(of));
    expect(".");
    if (take("T")) {
      result.kind = NodeKind::call, result.text = "trans";
      return result;
    }
    if (!take("to")) fail("a value has .to(dtype) and .T, its last two axes exchanged");
    expect("(");
    if (at_ + 2 < tokens_.size() && is("tl") && tokens_[at_ + 1].is(".")) at_ += 2;
    if (at_ >= tokens_.size()) fail("expected a dtype here");
    const std::string name(tokens_[at_].text);
    if (at_ + 2 < tokens_.size() && tokens_[at_ + 1].is(".") && tokens_[at_ + 2].is("dtype")) {
      result.children.push_back({.kind = NodeKind::name, .position = position(), .text = name});
      at_ += 2;
    } else {
      const std::optional<DType> dtype = dtype_called(name);
      if (!dtype) fail(fmt::format("no dtype is called {}", name));
      result.dtype = *dtype;
    }
    ++at_;
    expect(")");
    return result;
  }

  static std::optional<DType> dtype_called(const std::string& name) {
    for (int i = 0; i < dtype_count; ++i)
      if (name == language_name_of(static_cast<DType>(i)) || name == name_of(static_cast<DType>(i)))
        return static_cast<DType>(i);
    return std::nullopt;
  }

  Node subscript(Node of) {
    Node result{.kind = NodeKind::subscript, .position = position(), .text = ""};
    result.children.push_back(std::move(of));
    const auto bound = [&] {
      if (is(":") || is(",") || is("]")) return -1;
      result.children.push_back(binary(0));
      return static_cast<int>(result.children.size()) - 1;
    };
    expect("[");
    do {
      Slice s;
      s.is_new = take("None");
      s.first = s.is_new ? -1 : bound();
      if (s.is_new) {
      } else if (take(":")) s.end = bound();
      else if (s.first < 0) fail("expected a subscript here");
      else s.is_index = true;
      result.slices.push_back(s);
    } while (take(","));
    expect("]");
    return result;
  }

  std::string_view text_;
  std::vector<text::Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Node parse(std::string_view text) { return Parser(text).whole(); }

void fail_at(std::string_view text, std::size_t position, const std::string& fact, const std::string& fix) {
  throw Error(fmt::format("'{}', position {}: {}", text, position, fact), fix);
}

}  // namespace tl::debug
