#include "interp/debug/syntax.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "interp/text/lexer.h"

namespace tl::debug {
namespace {

constexpr const char* grammar =
    "names, numbers, x[3], x[1, 2:5], + - * / % << >> < <= > >= == != & | ^ ~ && || !, x.to(tl.float16), any all max "
    "min sum abs";

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
                                                    {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};

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
    const text::Token& token = tokens_[at_];
    Node result{.kind = NodeKind::name, .position = position(), .text = std::string(token.text)};
    if (token.kind == text::TokenKind::number) {
      read_number(result);
    } else if (token.kind != text::TokenKind::name) {
      fail("expected a name or a number here");
    }
    ++at_;
    if (result.kind != NodeKind::name || !is("(")) return result;
    const std::string& f = result.text;
    if (f != "any" && f != "all" && f != "max" && f != "min" && f != "sum" && f != "abs")
      fail_at(text_, result.position, fmt::format("no function is called {}", f),
              fmt::format("any, all, max, min, sum and abs are; an element of a block is {}[3]", f));
    ++at_;
    result.kind = NodeKind::call;
    result.children.push_back(binary(0));
    expect(")");
    return result;
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
    if (!take("to")) fail("a value has .to(dtype) alone");
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
    static constexpr std::array<std::string_view, dtype_count> long_names = {
        "int1",     "int32",   "int64",   "uint8",      "uint32",  "float16",
        "bfloat16", "float32", "float64", "float8e4nv", "float8e5"};
    for (std::size_t i = 0; i < long_names.size(); ++i)
      if (name == long_names[i] || name == name_of(static_cast<DType>(i))) return static_cast<DType>(i);
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
      s.first = bound();
      if (take(":")) s.end = bound();
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
