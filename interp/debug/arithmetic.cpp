#include "interp/debug/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/lang/error.h"

namespace tl::debug {
namespace {

double apply(std::string_view sign, double a, double b, bool is_integer) {
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
  if (sign == "<<") return std::trunc(a) * std::exp2(std::trunc(b));
  if (sign == ">>") return std::floor(std::trunc(a) / std::exp2(std::trunc(b)));
  return static_cast<double>(bits(a) ^ bits(b));
}

}  // namespace

Array combine(std::string_view sign, const Array& a, const Array& b) {
  const bool compares = sign == "==" || sign == "!=" || sign == "<" || sign == "<=" || sign == ">" || sign == ">=" ||
                        sign == "&&" || sign == "||";
  Array result;
  result.kind = compares ? Kind::boolean : std::max(a.kind, b.kind);
  const bool is_bits = sign == "&" || sign == "|" || sign == "^";
  if (result.kind == Kind::boolean && !compares && !is_bits) result.kind = Kind::integer;
  const bool is_integer = result.kind == Kind::integer;
  if (is_integer && (sign == "/" || sign == "%") && std::find(b.data.begin(), b.data.end(), 0.0) != b.data.end())
    throw Error("a division by 0", "floats give inf: 1.0 * x / y");
  const std::size_t rank = std::max(a.shape.size(), b.shape.size());
  const auto extent = [&](const Array& x, std::size_t d) {
    return d + x.shape.size() < rank ? 1 : x.shape[d + x.shape.size() - rank];
  };
  std::vector<Span> spans;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t m = extent(a, d), n = extent(b, d);
    if (m != n && m != 1 && n != 1)
      throw Error(fmt::format("shapes that do not fit: {} and {} elements along axis {}", m, n, d),
                  "as in the kernel, axes are equal or one of them is 1: slice one, x[0:4]");
    result.shape.push_back(m == 1 ? n : m);
    spans.push_back({0, result.shape.back()});
  }
  const auto element = [&](const Array& x, const std::vector<std::int64_t>& index) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < rank; ++d) at = at * extent(x, d) + (extent(x, d) == 1 ? 0 : index[d]);
    return x.data[static_cast<std::size_t>(at)];
  };
  if (!for_each_index(spans, [&](const std::vector<std::int64_t>& index) {
        result.data.push_back(apply(sign, element(a, index), element(b, index), is_integer));
      }))
    throw Error("more than four million elements", "take a slice, as in x[0:8]");
  return result;
}

}  // namespace tl::debug
