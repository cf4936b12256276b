#include "interp/case/scope.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "interp/debug/expression.h"
#include "interp/lang/error.h"
#include "interp/lang/text.h"

namespace tl::cases {

std::string without_power(const std::string& text) {
  int exponent = 0;
  const char* const end = text.data() + text.size();
  if (!text.starts_with("2^") || std::from_chars(text.data() + 2, end, exponent).ptr != end || exponent < 0 ||
      exponent > 62)
    return text;
  return std::to_string(std::int64_t{1} << exponent);
}

debug::Array Scope::value(const Word& word, const std::string& expression) const {
  const auto resolve = [&](const std::string& name) -> std::optional<debug::Operand> {
    const auto it = words_.find(name);
    if (it == words_.end()) {
      std::vector<std::string> names;
      for (const auto& [known, of] : words_) names.push_back(known);
      const std::string guess = nearest(name, names);
      throw Error(fmt::format("nothing is called {}", name), guess.empty()
                                                                 ? fmt::format("give it a value: {}=...", name)
                                                                 : fmt::format("did you mean {}?", guess));
    }
    if (!open_.insert(name).second)
      throw Error(fmt::format("{} goes round in circles: it needs itself", name), "give one of the names a number");
    struct Close {
      std::set<std::string>& open;
      const std::string& name;
      ~Close() { open.erase(name); }
    } const close{open_, name};
    return value(it->second, it->second.value);
  };
  try {
    debug::Array result = debug::evaluate(without_power(expression), resolve);
    if (!result.is_scalar()) throw Error(fmt::format("'{}' is not a single number", expression), "write one number");
    return result;
  } catch (const Error& e) {
    if (std::string(e.what()).starts_with(word.place + word.text())) throw;
    const bool divides = std::string(e.what()).ends_with("a division by 0");
    throw Error(fmt::format("{}{}: {}", word.place, word.text(), e.what()),
                divides ? "see which of its names is 0" : e.fix);
  }
}

std::int64_t Scope::integer(const Word& word, const std::string& expression) const {
  const debug::Array a = value(word, expression);
  const bool is_real = is_float(a.dtype);
  if (is_real && std::abs(a.data[0].real) < 0x1p53 && a.data[0].real == std::floor(a.data[0].real))
    return static_cast<std::int64_t>(a.data[0].real);  // 1e6
  if (is_real)
    throw Error(
        fmt::format("{}{}: '{}' is {}, no whole number", word.place, word.text(), expression, debug::text_of(a)),
        "write a whole number, or an expression of such: cdiv(n, BLOCK)");
  return a.data[0].whole;
}

double Scope::real(const Word& word, const std::string& expression) const {
  const debug::Array a = value(word, expression);
  return is_float(a.dtype) ? a.data[0].real : static_cast<double>(a.data[0].whole);
}

std::vector<std::int64_t> Scope::integers(const Word& word, const std::vector<std::string>& expressions) const {
  std::vector<std::int64_t> all;
  for (const std::string& e : expressions) all.push_back(integer(word, e));
  return all;
}

std::optional<debug::Array> Scope::number(const std::string& name) const {
  const auto it = words_.find(name);
  return it == words_.end() || is_tensor(it->second.value) || is_text(it->second.value) ||
                 it->second.value.starts_with("tl.")
             ? std::nullopt
             : std::optional(value(it->second, it->second.value));
}

std::optional<std::string> Scope::text(const std::string& name) const {
  const auto it = words_.find(name);
  if (it == words_.end() || !is_text(it->second.value)) return std::nullopt;
  return it->second.value.substr(1, it->second.value.size() - 2);
}

bool Scope::is_bool(const Word& word) const { return value(word, word.value).dtype == DType::int1; }
bool Scope::is_whole(const Word& word) const { return !is_float(value(word, word.value).dtype); }

}  // namespace tl::cases
