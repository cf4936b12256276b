#include "interp/prove/case_formulas.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "interp/case/user_kernel.h"
#include "interp/case/words.h"
#include "interp/debug/syntax.h"

namespace tl::prove {

namespace {

class Reader {
 public:
  Reader(std::map<std::string, std::string> words, std::vector<std::string> constants)
      : words_(std::move(words)), constants_(std::move(constants)) {}

  std::optional<Number> read(const std::string& text) {
    try {
      return number(debug::parse(text));
    } catch (const Error&) {
      return {};
    }
  }
  const std::vector<std::string>& sizes() const { return sizes_; }
  const std::vector<std::int64_t>& values() const { return values_; }

 private:
  std::optional<Number> named(const std::string& name) {
    const auto word = words_.find(name);
    if (word == words_.end() || ++depth_ > 32) return {};
    std::optional<Number> n = read(word->second);
    --depth_;
    if (!n || !n->constant() || std::ranges::count(constants_, name)) return n;
    const bool is_literal = word->second.find_first_not_of("0123456789") == std::string::npos;
    if (!is_literal) return n;
    if (!std::ranges::count(sizes_, name)) {
      sizes_.push_back(name);
      values_.push_back(*n->constant());
    }
    return Number::symbol("s_" + name);
  }

  std::optional<Number> number(const debug::Node& n) {
    using Kind = debug::NodeKind;
    if (n.kind == Kind::number) return n.is_whole ? std::optional(Number(n.whole)) : std::nullopt;
    if (n.kind == Kind::name) return named(n.text);
    std::vector<Number> of;
    for (const debug::Node& c : n.children) {
      const auto v = number(c);
      if (!v) return {};
      of.push_back(*v);
    }
    if (n.kind == Kind::unary && n.text == "-") return Number(0) - of[0];
    if (of.size() != 2) return {};
    if (n.text == "+") return of[0] + of[1];
    if (n.text == "-") return of[0] - of[1];
    if (n.text == "*") return of[0] * of[1];
    if (n.text == "/" || n.text == "//") return quotient(of[0], of[1]);
    if (n.text == "%") return of[0] - of[1] * quotient(of[0], of[1]);
    if (n.text == "cdiv") return quotient(of[0] + of[1] - Number(1), of[1]);
    if (n.text == "min" || n.text == "minimum") return choice(less(of[0], of[1]), of[0], of[1]);
    if (n.text == "max" || n.text == "maximum") return choice(less(of[0], of[1]), of[1], of[0]);
    return {};
  }

  std::map<std::string, std::string> words_;
  std::vector<std::string> constants_, sizes_;
  std::vector<std::int64_t> values_;
  int depth_ = 0;
};

// BLOCK=next_power_of_2(cols): for which cols it is what it is.
std::optional<ConditionPtr> constant_holds(Reader& reader, const std::string& text, std::int64_t value) {
  for (const std::string name : {"next_power_of_2(", "tl.next_power_of_2(", "triton.next_power_of_2("})
    if (text.starts_with(name) && text.ends_with(")")) {
      const auto n = reader.read(text.substr(name.size(), text.size() - name.size() - 1));
      if (n) return both(less(value / 2, *n), at_most(*n, value));
    }
  if (const auto n = reader.read(text)) return equal(*n, value);
  return {};
}

const Tensor* tensor_in(const Argument& a) {
  if (const auto* t = std::get_if<TensorArgument>(&a)) return &t->tensor;
  if (const auto* d = std::get_if<DescriptorArgument>(&a)) return &d->tensor;
  return nullptr;
}

// x=f32[m, n]: shape and strides.
std::optional<TensorFormula> tensor_formula(Reader& reader, const std::string& name, const std::string& text) {
  if (text.empty() || !cases::is_tensor(text)) return {};
  const cases::TensorWord word = cases::tensor_of({name, text});
  if (!word.dims) return {};
  TensorFormula t;
  for (const std::string& dim : *word.dims)
    if (const auto n = reader.read(dim)) t.shape.push_back(*n);
    else return {};
  t.strides.assign(t.shape.size(), Number(1));
  for (std::size_t d = t.shape.size(); d-- > 1;) t.strides[d - 1] = t.strides[d] * t.shape[d];
  for (std::size_t d = 0; word.strides && d < t.shape.size() && d < word.strides->size(); ++d)
    if (const auto n = reader.read((*word.strides)[d])) t.strides[d] = *n;
    else return {};
  return t;
}

// From the first to the last.
Number elements_of(const TensorFormula& t) {
  Number product(1), reach(1);
  bool is_dense = true;
  for (std::size_t d = t.shape.size(); d-- > 0;) {
    is_dense &= t.strides[d] == product;
    product = product * t.shape[d];
    reach = reach + (t.shape[d] - Number(1)) * t.strides[d];
  }
  return is_dense ? product : reach;
}

}  // namespace

CaseFormulas formulas_of(const run::Case& c) {
  CaseFormulas out;
  cases::UserKernel kernel(c.problem->name);
  const Launch& launch = c.instance.launches.front();
  std::map<std::string, std::string> words;
  for (const auto& [name, value] : c.settings.values) words[name] = value;
  const auto word_of = [&](const cases::Parameter& p) {
    const auto word = words.find(p.name);
    return word != words.end() ? word : words.find(p.short_name());
  };
  const std::vector<cases::Parameter>& parameters = kernel.functor().parameters;
  std::vector<std::string> constants;
  for (std::size_t i = 0; i < parameters.size() && i < launch.arguments.size(); ++i)
    if (std::holds_alternative<ConstantArgument>(launch.arguments[i]))
      if (const auto word = word_of(parameters[i]); word != words.end()) constants.push_back(word->first);
  Reader reader(words, constants);
  out.constants = constant(true);
  const auto note = [&](const std::string& word) { out.not_formulas.push_back(word); };
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const Argument& a = launch.arguments[i];
    out.arguments.emplace_back();
    const auto word = i < parameters.size() ? word_of(parameters[i]) : words.end();
    const std::string text = word == words.end() ? "" : word->second;
    if (std::holds_alternative<IntArgument>(a)) {
      out.arguments.back() = word == words.end() ? std::nullopt : reader.read(word->first);
      if (!out.arguments.back()) note(word == words.end() ? "an argument" : word->first);
    } else if (const auto* k = std::get_if<ConstantArgument>(&a); k && !text.empty()) {
      if (const auto holds = constant_holds(reader, text, k->value)) out.constants = both(out.constants, *holds);
      else note(word->first);
    } else if (const Tensor* t = tensor_in(a)) {
      out.tensors.push_back(tensor_formula(reader, word == words.end() ? "" : word->first, text));
      out.elements.push_back(out.tensors.back() ? std::optional(elements_of(*out.tensors.back())) : std::nullopt);
      if (!out.tensors.back()) note(t->name);
    }
  }
  std::vector<std::string> axes = cases::list_of({"grid", words["grid"]});
  axes.resize(3, "1");
  for (const std::string& axis : axes) {
    out.grid.push_back(reader.read(axis));
    if (!out.grid.back()) note("grid");
  }
  out.sizes = reader.sizes();
  out.values = reader.values();
  return out;
}

}  // namespace tl::prove
