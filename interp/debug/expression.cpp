#include "interp/debug/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "interp/debug/lexer.h"

namespace tl::debug {
namespace {

constexpr std::int64_t most_elements = 1 << 22;

struct Slice {
  std::optional<std::int64_t> first, end;
  bool is_index = false;
};

// Coordinates along one axis.
struct Span {
  std::int64_t first = 0, count = 0;
};

class Evaluator {
 public:
  Evaluator(std::string_view text, const Resolve& resolve) : text_(text), tokens_(lex(text)), resolve_(resolve) {}

  Array whole() {
    Array result = to_array(binary(0));
    if (at_ < tokens_.size()) fail("expected an operator or the end here");
    return result;
  }

  Cells cells() {
    Operand operand = name_operand();
    TensorView* const tensor = std::get_if<TensorView>(&operand);
    if (!tensor) fail("a tensor's name is needed here: only memory has cells");
    Cells result{tensor->name, {}};
    std::vector<Span> spans;
    if (is("[")) spans = resolve_slices(slices(), tensor->shape);
    else for (std::int64_t n : tensor->shape) spans.push_back({0, n});
    if (at_ < tokens_.size()) fail("expected the end here");
    for_each(spans, [&](const std::vector<std::int64_t>& index) {
      std::int64_t element = 0;
      for (std::size_t d = 0; d < index.size(); ++d) element += index[d] * tensor->strides[d];
      result.elements.push_back(element);
    });
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& fact) const {
    const std::size_t position = at_ < tokens_.size() ? static_cast<std::size_t>(tokens_[at_].text.data() - text_.data()) + 1 : text_.size() + 1;
    throw Error(fmt::format("'{}', position {}: {}", text_, position, fact), "names, numbers, x[3], x[1, 2:5], + - * / % < <= > >= == != & | && || !, any all max min sum abs");
  }
  bool is(std::string_view t) const { return at_ < tokens_.size() && tokens_[at_].is(t); }
  bool take(std::string_view t) {
    if (!is(t)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view t) {
    if (!take(t)) fail(fmt::format("expected '{}' here", t));
  }

  Array to_array(Operand operand) {
    if (Array* const array = std::get_if<Array>(&operand)) return std::move(*array);
    const TensorView& t = std::get<TensorView>(operand);
    std::vector<Span> all;
    for (std::int64_t n : t.shape) all.push_back({0, n});
    return read(t, all, t.shape);
  }

  template <class Visit>
  void for_each(const std::vector<Span>& spans, Visit visit) {
    double count = 1;
    for (const Span& s : spans) count *= static_cast<double>(s.count);
    if (count > static_cast<double>(most_elements)) fail("more than four million elements; take a slice, as in x[0:8]");
    if (count == 0) return;
    std::vector<std::int64_t> index;
    for (const Span& s : spans) index.push_back(s.first);
    while (true) {
      visit(index);
      std::size_t d = spans.size();
      while (d > 0 && ++index[d - 1] == spans[d - 1].first + spans[d - 1].count) --d, index[d] = spans[d].first;
      if (d == 0) return;
    }
  }

  Array read(const TensorView& t, const std::vector<Span>& spans, std::vector<std::int64_t> shape) {
    Array result{t.kind, std::move(shape), {}};
    for_each(spans, [&](const std::vector<std::int64_t>& index) {
      std::int64_t element = 0;
      for (std::size_t d = 0; d < index.size(); ++d) element += index[d] * t.strides[d];
      result.data.push_back(t.read(element));
    });
    return result;
  }

  // ---- grammar ----

  static constexpr std::string_view levels[8][6] = {{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!=", "<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}};

  Operand binary(int level) {
    if (level == 8) return unary();
    Operand left = binary(level + 1);
    while (true) {
      std::string_view sign;
      for (std::string_view candidate : levels[level])
        if (!candidate.empty() && is(candidate)) sign = candidate;
      if (sign.empty()) return left;
      ++at_;
      Array b = to_array(binary(level + 1));
      left = combine(sign, to_array(std::move(left)), b);
    }
  }

  Operand unary() {
    if (++depth_ > 64) fail("nested too deeply");  // a dozen frames each: within a thread's stack under sanitizers as well
    Operand result = unary_inner();
    --depth_;
    return result;
  }
  Operand unary_inner() {
    if (take("-")) {
      Array a = to_array(unary());
      for (double& v : a.data) v = -v;
      if (a.kind == Kind::boolean) a.kind = Kind::integer;
      return a;
    }
    if (take("!")) {
      Array a = to_array(unary());
      for (double& v : a.data) v = v == 0;
      a.kind = Kind::boolean;
      return a;
    }
    Operand result = primary();
    while (is("[")) result = subscript(std::move(result));
    return result;
  }

  Operand primary() {
    if (at_ >= tokens_.size()) fail("expected a name or a number here");
    if (take("(")) {
      Operand inner = binary(0);
      expect(")");
      return inner;
    }
    if (tokens_[at_].kind == TokenKind::number) return number();
    if (tokens_[at_].kind != TokenKind::name) fail("expected a name or a number here");
    if (at_ + 1 < tokens_.size() && tokens_[at_ + 1].is("(")) return call();
    return name_operand();
  }

  Array number() {
    const std::string digits(tokens_[at_].text);
    std::size_t used = 0;
    double value = 0;
    try {
      value = std::stod(digits, &used);
    } catch (const std::exception&) {
    }
    if (used != digits.size()) fail("not a number");
    ++at_;
    const bool is_whole = digits.find_first_of(".eE") == std::string::npos || digits.starts_with("0x");
    return scalar(value, is_whole ? Kind::integer : Kind::floating);
  }

  Operand name_operand() {
    if (at_ >= tokens_.size() || tokens_[at_].kind != TokenKind::name) fail("expected a name here");
    const std::string name(tokens_[at_].text);
    if (name == "inf") return ++at_, scalar(std::numeric_limits<double>::infinity(), Kind::floating);
    if (name == "nan") return ++at_, scalar(std::numeric_limits<double>::quiet_NaN(), Kind::floating);
    if (name == "True" || name == "true") return ++at_, scalar(1, Kind::boolean);
    if (name == "False" || name == "false") return ++at_, scalar(0, Kind::boolean);
    std::optional<Operand> found = resolve_(name);
    if (!found) fail(fmt::format("no variable or tensor is called {} here", name));
    ++at_;
    return *found;
  }

  Array call() {
    const std::string name(tokens_[at_].text);
    if (name != "any" && name != "all" && name != "max" && name != "min" && name != "sum" && name != "abs") fail("no such function");
    at_ += 2;
    Array a = to_array(binary(0));
    expect(")");
    if (name == "abs") {
      for (double& v : a.data) v = std::abs(v);
      return a;
    }
    if (a.data.empty()) fail("of nothing");
    if (name == "any") return scalar(std::any_of(a.data.begin(), a.data.end(), [](double v) { return v != 0; }), Kind::boolean);
    if (name == "all") return scalar(is_true(a), Kind::boolean);
    double result = name == "sum" ? 0 : a.data[0];
    for (double v : a.data) result = name == "sum" ? result + v : name == "max" ? std::fmax(result, v) : std::fmin(result, v);
    return scalar(result, a.kind == Kind::boolean ? Kind::integer : a.kind);
  }

  std::optional<std::int64_t> bound() {
    if (is(":") || is(",") || is("]")) return std::nullopt;
    const Array a = to_array(binary(0));
    if (!a.is_scalar()) fail("a subscript is one number");
    if (!(std::abs(a.data[0]) < 9e15)) fail("this subscript is no whole number");
    return static_cast<std::int64_t>(a.data[0]);
  }

  std::vector<Slice> slices() {
    std::vector<Slice> result;
    expect("[");
    do {
      Slice s;
      s.first = bound();
      if (take(":")) s.end = bound();
      else if (!s.first) fail("expected a subscript here");
      else s.is_index = true;
      result.push_back(s);
    } while (take(","));
    expect("]");
    return result;
  }

  std::vector<Span> resolve_slices(const std::vector<Slice>& slices, const std::vector<std::int64_t>& shape) {
    if (slices.size() > shape.size()) fail(fmt::format("{} subscripts for {} axes", slices.size(), shape.size()));
    std::vector<Span> result;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const Slice s = d < slices.size() ? slices[d] : Slice{};
      const auto clamp = [&](std::int64_t v) { return std::clamp<std::int64_t>(v < 0 ? v + shape[d] : v, 0, shape[d]); };
      if (s.is_index) {
        const std::int64_t i = *s.first < 0 ? *s.first + shape[d] : *s.first;
        if (i < 0 || i >= shape[d]) fail(fmt::format("{} is outside 0 .. {} of axis {}", *s.first, shape[d] - 1, d));
        result.push_back({i, 1});
      } else {
        const std::int64_t first = clamp(s.first.value_or(0)), end = clamp(s.end.value_or(shape[d]));
        result.push_back({first, std::max<std::int64_t>(0, end - first)});
      }
    }
    return result;
  }

  Array subscript(Operand operand) {
    const std::vector<Slice> parts = slices();
    const Array* const array = std::get_if<Array>(&operand);
    const std::vector<std::int64_t>& from = array ? array->shape : std::get<TensorView>(operand).shape;
    const std::vector<Span> spans = resolve_slices(parts, from);
    std::vector<std::int64_t> shape;
    for (std::size_t d = 0; d < spans.size(); ++d)
      if (d >= parts.size() || !parts[d].is_index) shape.push_back(spans[d].count);
    if (!array) return read(std::get<TensorView>(operand), spans, std::move(shape));
    Array result{array->kind, std::move(shape), {}};
    for_each(spans, [&](const std::vector<std::int64_t>& index) {
      std::int64_t element = 0;
      for (std::size_t d = 0; d < index.size(); ++d) element = element * from[d] + index[d];
      result.data.push_back(array->data[static_cast<std::size_t>(element)]);
    });
    return result;
  }

  // ---- arithmetic ----

  static double apply(std::string_view sign, double a, double b, bool is_integer) {
    if (sign == "+") return a + b;
    if (sign == "-") return a - b;
    if (sign == "*") return a * b;
    if (sign == "/") return is_integer ? std::trunc(a / b) : a / b;
    if (sign == "%") return std::fmod(a, b);
    if (sign == "==") return a == b;
    if (sign == "!=") return a != b;
    if (sign == "<") return a < b;
    if (sign == "<=") return a <= b;
    if (sign == ">") return a > b;
    if (sign == ">=") return a >= b;
    if (sign == "&&") return a != 0 && b != 0;
    if (sign == "||") return a != 0 || b != 0;
    const auto bits = [](double v) { return std::abs(v) < 9e15 ? static_cast<std::int64_t>(v) : 0; };
    if (sign == "&") return static_cast<double>(bits(a) & bits(b));
    if (sign == "|") return static_cast<double>(bits(a) | bits(b));
    return static_cast<double>(bits(a) ^ bits(b));
  }

  Array combine(std::string_view sign, const Array& a, const Array& b) {
    const bool compares = sign == "==" || sign == "!=" || sign == "<" || sign == "<=" || sign == ">" || sign == ">=" || sign == "&&" || sign == "||";
    Array result;
    result.kind = compares ? Kind::boolean : std::max(a.kind, b.kind);
    const bool is_bits = sign == "&" || sign == "|" || sign == "^";
    if (result.kind == Kind::boolean && !compares && !is_bits) result.kind = Kind::integer;
    const bool is_integer = result.kind == Kind::integer;
    if (is_integer && (sign == "/" || sign == "%") && std::find(b.data.begin(), b.data.end(), 0.0) != b.data.end()) fail("a division by 0");
    const std::size_t rank = std::max(a.shape.size(), b.shape.size());
    const auto extent = [&](const Array& x, std::size_t d) { return d + x.shape.size() < rank ? 1 : x.shape[d + x.shape.size() - rank]; };
    std::vector<Span> spans;
    for (std::size_t d = 0; d < rank; ++d) {
      const std::int64_t m = extent(a, d), n = extent(b, d);
      if (m != n && m != 1 && n != 1) fail(fmt::format("shapes that do not fit: {} and {} elements along axis {}", m, n, d));
      result.shape.push_back(m == 1 ? n : m);
      spans.push_back({0, result.shape.back()});
    }
    const auto element = [&](const Array& x, const std::vector<std::int64_t>& index) {
      std::int64_t at = 0;
      for (std::size_t d = 0; d < rank; ++d) at = at * extent(x, d) + (extent(x, d) == 1 ? 0 : index[d]);
      return x.data[static_cast<std::size_t>(at)];
    };
    for_each(spans, [&](const std::vector<std::int64_t>& index) { result.data.push_back(apply(sign, element(a, index), element(b, index), is_integer)); });
    return result;
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  const Resolve& resolve_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Array evaluate(std::string_view text, const Resolve& resolve) { return Evaluator(text, resolve).whole(); }
Cells parse_cells(std::string_view text, const Resolve& resolve) { return Evaluator(text, resolve).cells(); }

bool is_true(const Array& array) {
  return !array.data.empty() && std::all_of(array.data.begin(), array.data.end(), [](double v) { return v != 0; });
}

}  // namespace tl::debug
