// einsum("bqd,bkd->bqk", q, k): products of two operands at a time, as products of matrices; a letter that neither the
// result nor a later operand has is summed over.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "interp/debug/calculator.h"
#include "interp/lang/error.h"

namespace tl::debug {
namespace {

struct Term {
  std::string letters;  // a letter an axis
  AnyValue value;
};

// The letters of `of` that are in `in`, or that are not.
std::string in(std::string_view of, std::string_view in) {
  std::string all;
  std::ranges::copy_if(of, std::back_inserter(all), [&](char c) { return in.find(c) != in.npos; });
  return all;
}
std::string out_of(std::string_view of, std::string_view in) {
  std::string all;
  std::ranges::copy_if(of, std::back_inserter(all), [&](char c) { return in.find(c) == in.npos; });
  return all;
}
std::vector<int> places(std::string_view letters, std::string_view of) {
  std::vector<int> all;
  for (const char c : letters) all.push_back(static_cast<int>(of.find(c)));
  return all;
}

constexpr const char* usage = "einsum('mk,kn->mn', a, b)";

// "mk,kn->mn"; without "->" the letters that stand once, by the alphabet.
struct Subscripts {
  std::vector<std::string> operands;
  std::string result;
};
Subscripts subscripts_of(std::string text) {
  std::erase(text, ' ');
  Subscripts s;
  const std::size_t arrow = text.find("->");
  std::string all, inputs = text.substr(0, arrow);
  for (std::size_t at = 0; at <= inputs.size();) {
    const std::size_t end = std::min(inputs.find(',', at), inputs.size());
    s.operands.push_back(inputs.substr(at, end - at));
    all += s.operands.back();
    at = end + 1;
  }
  if (arrow != text.npos) s.result = text.substr(arrow + 2);
  else
    for (char c = 'A'; c <= 'z'; ++c)
      if (std::ranges::count(all, c) == 1) s.result += c;
  if (std::ranges::any_of(all + s.result, [](unsigned char c) { return !std::isalpha(c); }))
    throw Error(fmt::format("'{}': an axis is a letter here", text), usage);
  for (const std::string& operand : s.operands)
    for (const char c : operand)
      if (std::ranges::count(operand, c) > 1)
        throw Error(fmt::format("'{}': {} stands twice in one operand", text, c), "diagonal(x) first");
  if (!out_of(s.result, all).empty())
    throw Error(fmt::format("'{}': no operand has {}", text, out_of(s.result, all)), usage);
  return s;
}

}  // namespace

AnyValue Calculator::einsum(Values a) {
  if (!a[0].is<cpu::TextConstant>()) throw Error("the subscripts are a text", usage);
  const Subscripts s = subscripts_of(a[0].as<cpu::TextConstant>().value);
  const std::vector<AnyValue> operands = is_given(a[1]) ? list(a[1]) : std::vector<AnyValue>{};
  if (operands.size() != s.operands.size())
    throw Error(fmt::format("subscripts of {} operands, and {} are given", s.operands.size(), operands.size()), usage);
  std::map<char, std::int64_t> extents;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::vector<std::int64_t> shape = shape_of(block(operands[i]));
    if (shape.size() != s.operands[i].size())
      throw Error(fmt::format("'{}' of a value of {} axes", s.operands[i], shape.size()), usage);
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      if (const auto known = extents.try_emplace(s.operands[i][axis], shape[axis]).first; known->second != shape[axis])
        throw Error(fmt::format("{} is {} and {} long", known->first, known->second, shape[axis]), usage);
  }
  const auto dims = [&](std::string_view letters) {
    std::vector<std::int64_t> all;
    for (const char c : letters) all.push_back(extents.at(c));
    return all;
  };
  const auto length = [&](std::string_view letters) {
    std::int64_t product = 1;
    for (const char c : letters) product *= extents.at(c);
    return product;
  };
  // Sums over the letters that are not needed.
  const auto summed = [&](Term t, const std::string& needed) -> Term {
    const std::string gone = out_of(t.letters, needed);
    if (gone.empty()) return t;
    const std::vector<int> axes = places(gone, t.letters);
    return {in(t.letters, needed), reduction(block(t.value).dtype.value == DType::int1 ? "any" : "sum",
                                             {{t.value, AnyValue(std::vector<AnyValue>(axes.begin(), axes.end()))}})};
  };
  Term made{s.operands[0], operands[0]};
  for (std::size_t i = 1; i < operands.size(); ++i) {
    std::string needed = s.result;
    for (std::size_t later = i + 1; later < operands.size(); ++later) needed += s.operands[later];
    const Term x = summed(made, needed + s.operands[i]), y = summed({s.operands[i], operands[i]}, needed + x.letters);
    const std::string shared = in(x.letters, y.letters), batch = in(shared, needed), inner = out_of(shared, needed),
                      left = out_of(x.letters, shared), right = out_of(y.letters, shared);
    const auto side = [&](const Term& t, const std::string& rows, const std::string& columns) {
      const AnyValue moved = permuted(t.value, places(batch + rows + columns, t.letters));
      return reshaped(moved, {length(batch), length(rows), length(columns)}).as<Block>();
    };
    made.letters = batch + left + right;
    made.value = reshaped(matrices(side(x, left, inner), side(y, inner, right)), dims(made.letters));
  }
  made = summed(made, s.result);
  return permuted(made.value, places(s.result, made.letters));
}

}  // namespace tl::debug
