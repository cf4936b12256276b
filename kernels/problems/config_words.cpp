#include "kernels/problems/config_words.h"

#include <algorithm>
#include <optional>

#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "kernels/problems/generators.h"

namespace tl::problems {
namespace {

using Evaluate = std::function<std::int64_t(const std::string&)>;

constexpr const char* example = "write NAME=VALUE,VALUE ..., as in 'bm=64,128 warps=4,8', or pointwise(BLOCK=n)";

// At the separators outside of parentheses; empty parts are left out.
std::vector<std::string> split(const std::string& text, const std::string& separators) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth == 0 && separators.find(c) != std::string::npos) parts.emplace_back();
    else parts.back() += c;
  }
  if (depth != 0) throw Error("configs \"" + text + "\": a parenthesis stands alone", example);
  for (std::string& part : parts) part = trimmed(part);
  std::erase(parts, "");
  return parts;
}

bool is_expression(const std::string& value) { return value.find_first_of("()+*/%") != std::string::npos; }

// What stands between a generator's parentheses.
struct Arguments {
  std::vector<Axis> axes;  // BX=rows; of a lone `cols` the block has no name
  std::vector<std::string> words;
  std::int64_t min_elem_per_thread = 0, warps = 0, stages = 0;

  bool take(const std::string& word) { return std::erase(words, word) > 0; }
};

Arguments arguments_of(const std::string& call, const std::string& inside, const Evaluate& evaluate) {
  static const std::vector<std::string> flags{"square_tiles", "one_element_per_thread", "many_values", "inner", "outer",
                                              "tiny_outer"};
  Arguments a;
  for (const std::string& part : split(inside, ",")) {
    const std::size_t equals = part.find('=');
    const std::string name = trimmed(part.substr(0, equals == std::string::npos ? 0 : equals)),
                      value = equals == std::string::npos ? part : trimmed(part.substr(equals + 1));
    if (name.empty() && std::ranges::count(flags, value)) {
      a.words.push_back(value);
      continue;
    }
    const std::int64_t n = evaluate(value);
    if (n < 1)
      throw Error("configs \"" + call + "\": " + value + " is " + std::to_string(n), "give a size of 1 or more");
    if (name == "min_elem_per_thread") a.min_elem_per_thread = n;
    else if (name == "warps") a.warps = n;
    else if (name == "stages") a.stages = n;
    else a.axes.push_back({name, n});
  }
  return a;
}

std::optional<std::vector<Config>> generated(const std::string& name, Arguments& a) {
  if (name == "pointwise" && !a.axes.empty())
    return pointwise(a.axes, {a.min_elem_per_thread, a.take("square_tiles"), a.take("one_element_per_thread")});
  if (name == "template" && a.axes.empty())
    return template_config(static_cast<int>(a.warps ? a.warps : 4), static_cast<int>(a.stages ? a.stages : 3));
  if (a.axes.size() != 2) return std::nullopt;
  const bool many = a.take("many_values");
  const ReductionHint hint = a.take("inner")        ? ReductionHint::inner
                             : a.take("outer")      ? ReductionHint::outer
                             : a.take("tiny_outer") ? ReductionHint::tiny_outer
                                                    : ReductionHint::none;
  if (name == "reduction" && !a.axes[1].block.empty()) return reduction(a.axes[0], a.axes[1], {hint, many});
  if (name == "persistent_reduction") return persistent_reduction(a.axes[0], a.axes[1].size, {hint, many});
  return std::nullopt;
}

std::vector<Config> call_of(const std::string& word, const Evaluate& evaluate) {
  const std::size_t open = word.find('(');
  const std::string name = word.substr(0, open);
  if (open == std::string::npos || word.back() != ')')
    throw Error("configs \"" + word + "\": this is not NAME=VALUES", example);
  static const std::vector<std::string> names{"pointwise", "reduction", "persistent_reduction", "template"};
  if (!std::ranges::count(names, name)) {
    const std::string guess = nearest(name, names);
    throw Error("configs \"" + word + "\": there is no generator " + name,
                guess.empty() ? "there are pointwise, reduction, persistent_reduction, template"
                              : "did you mean " + guess + "?");
  }
  Arguments a = arguments_of(word, word.substr(open + 1, word.size() - open - 2), evaluate);
  const auto configs = generated(name, a);
  if (!configs || !a.words.empty() || (!a.axes.empty() && a.axes.front().block.empty()))
    throw Error("configs \"" + word + "\": " + name + " does not take this",
                name == "pointwise"   ? "pointwise(BLOCK=n), pointwise(BX=width, BY=height, square_tiles)"
                : name == "reduction" ? "reduction(BX=rows, BR=cols, inner)"
                : name == "template"  ? "template(warps=8, stages=3)"
                                      : "persistent_reduction(BX=rows, cols)");
  return *configs;
}

std::vector<Config> choices_of(const std::string& word, const Evaluate& evaluate) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || word.find('(') < equals) return call_of(word, evaluate);
  const std::string name = word.substr(0, equals);
  std::vector<std::string> values = split(word.substr(equals + 1), ",");
  if (name.empty() || values.empty()) throw Error("configs \"" + word + "\": a value is missing", example);
  for (std::string& value : values)
    if (is_expression(value)) value = std::to_string(evaluate(value));
  return product({{name, values}});
}

Config joined(Config first, const Config& second, const std::string& text) {
  for (const NamedValue& v : second) {
    if (std::ranges::count(first, v.first, &NamedValue::first))
      throw Error("configs \"" + text + "\": " + v.first + " stands there twice", "write " + v.first + "=A,B");
    first.push_back(v);
  }
  return first;
}

}  // namespace

std::vector<Config> configs_in(const std::string& text, const Evaluate& evaluate) {
  std::vector<Config> all;
  for (const std::string& alternative : split(text, ";")) {
    std::vector<Config> configs{{}};
    for (const std::string& word : split(alternative, " ")) {
      std::vector<Config> longer;
      for (const Config& begun : configs)
        for (const Config& choice : choices_of(word, evaluate)) longer.push_back(joined(begun, choice, alternative));
      configs = std::move(longer);
    }
    all.insert(all.end(), configs.begin(), configs.end());
  }
  return without_duplicates(all);
}

}  // namespace tl::problems
