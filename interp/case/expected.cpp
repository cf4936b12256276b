#include "interp/case/expected.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "interp/case/fill.h"
#include "interp/case/npy.h"
#include "interp/debug/expression.h"
#include "interp/lang/error.h"
#include "interp/lang/text.h"

namespace tl::cases {
namespace {

using debug::Array;
using debug::Node;
using debug::NodeKind;

// In double, or in int64, so that the truth is not rounded on the way.
Array array_of(const Tensor& t, std::span<const std::int64_t> elements, std::vector<std::int64_t> shape) {
  Array a{is_float(t.dtype)        ? DType::float64
          : t.dtype == DType::int1 ? DType::int1
                                   : DType::int64,
          false,
          std::move(shape),
          {}};
  a.data.reserve(elements.size());
  for (const std::int64_t i : elements) {
    const double v = get(t, offset_of(t, i));
    if (is_float(t.dtype)) a.data.push_back({.real = v});
    else a.data.push_back({.whole = static_cast<std::int64_t>(v)});
  }
  return a;
}

std::vector<std::int64_t> all_elements(const Tensor& t) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(t.elems()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  return all;
}

double double_of(const Array& a, std::size_t i) {
  return is_float(a.dtype) ? a.data[i].real : static_cast<double>(a.data[i].whole);
}

// One output's: an expression over the tensors as they were, and the outputs that stand before it.
class Formula {
 public:
  using Others = std::map<std::string, std::shared_ptr<Formula>>;

  Formula(const Word& word, std::string text, const Tensor& output, std::vector<Tensor> tensors, Others others,
          Scope scope)
      : word_(word),
        text_(std::move(text)),
        shape_(output.shape),
        tensors_(std::move(tensors)),
        others_(std::move(others)),
        scope_(std::move(scope)) {
    try {
      is_by_element_ = is_by_element(debug::parse(text_));
    } catch (const Error& e) {
      refuse(e);
    }
  }

  std::vector<double> at(std::span<const std::int64_t> elements) {
    if (is_by_element_) {
      const Array a = evaluated(
          [&](const Tensor& t) { return array_of(t, elements, {static_cast<std::int64_t>(elements.size())}); });
      std::vector<double> values;
      for (std::size_t i = 0; i < elements.size(); ++i) values.push_back(double_of(a, a.is_scalar() ? 0 : i));
      return values;
    }
    std::vector<double> values;
    const Array& all = whole();
    for (const std::int64_t i : elements) values.push_back(double_of(all, place_of(i)));
    return values;
  }

 private:
  const Array& whole() {
    if (!whole_) whole_ = evaluated([](const Tensor& t) { return array_of(t, all_elements(t), t.shape); });
    return *whole_;
  }

  // In the output's shape.
  Array stretched() {
    Array a{whole().dtype, false, shape_, {}};
    std::int64_t count = 1;
    for (const std::int64_t n : shape_) count *= n;
    for (std::int64_t i = 0; i < count; ++i) a.data.push_back(whole_->data[place_of(i)]);
    return a;
  }

  [[noreturn]] void refuse(const Error& e) const {
    throw Error(fmt::format("{}expect: {}", word_.place, e.what()), e.fix);
  }

  // Whether element i of the result comes from element i of each tensor.
  bool is_by_element(const Node& n) const {
    static constexpr std::string_view joins[] = {"sum", "dot", "any", "all"};
    if (n.kind == NodeKind::subscript || (n.kind == NodeKind::call && std::ranges::count(joins, n.text))) return false;
    if (n.kind == NodeKind::call && n.children.size() == 1 && (n.text == "max" || n.text == "min")) return false;
    if (n.kind == NodeKind::name) {
      const Tensor* const t = tensor(n.text);
      if ((t && t->shape != shape_) || (!t && others_.contains(n.text))) return false;
    }
    return std::ranges::all_of(n.children, [&](const Node& child) { return is_by_element(child); });
  }

  const Tensor* tensor(const std::string& name) const {
    for (const Tensor& t : tensors_)
      if (t.name == name || t.name + "_ptr" == name || t.name + "_desc" == name) return &t;
    return nullptr;
  }

  template <class Values>
  Array evaluated(Values values_of) const {
    const auto resolve = [&](const std::string& name) -> std::optional<debug::Operand> {
      if (const Tensor* const t = tensor(name)) return values_of(*t);
      if (const auto other = others_.find(name); other != others_.end()) return other->second->stretched();
      if (const auto number = scope_.number(name)) return *number;
      std::vector<std::string> names;
      for (const Tensor& t : tensors_) names.push_back(t.name);
      throw Error(fmt::format("nothing is called {}", name),
                  fmt::format("the tensors: {}; and the case's numbers", fmt::join(names, ", ")));
    };
    try {
      return debug::evaluate(text_, resolve);
    } catch (const Error& e) {
      refuse(e);
    }
  }

  // Where the result has the output's element, axes of one stretched.
  std::size_t place_of(std::int64_t element) const {
    const auto& from = whole_->shape;
    const auto misfit = [&] {
      return Error(fmt::format("{}expect: '{}' is {}, and the output is {}", word_.place, text_, shape_text(from),
                               shape_text(shape_)),
                   "axes are equal, or 1: x[:, None] adds one");
    };
    if (from.size() > shape_.size()) throw misfit();
    std::size_t place = 0, step = 1;
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      const std::size_t axis = shape_.size() - 1 - d;
      const std::int64_t index = element % shape_[axis];
      element /= shape_[axis];
      if (d >= from.size()) continue;
      const std::int64_t extent = from[from.size() - 1 - d];
      if (extent != 1 && extent != shape_[axis]) throw misfit();
      if (extent != 1) place += static_cast<std::size_t>(index) * step;
      step *= static_cast<std::size_t>(extent);
    }
    return place;
  }

  Word word_;
  std::string text_;
  std::vector<std::int64_t> shape_;
  std::vector<Tensor> tensors_;
  Others others_;
  Scope scope_;
  bool is_by_element_ = false;
  std::optional<Array> whole_;
};

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(by, at), text.size());
    if (const std::string part = trimmed(text.substr(at, end - at)); !part.empty()) parts.push_back(part);
    at = end + 1;
  }
  return parts;
}

using One = std::function<std::vector<double>(std::span<const std::int64_t>)>;

One expected_file(const Word& word, const Tensor& output, const std::string& path) {
  const Tensor t = read_npy(output.name, path);
  if (t.shape != output.shape)
    throw Error(fmt::format("{}{}: \"{}\" is {}, and {} is {}", word.place, word.text(), path, shape_text(t.shape),
                            output.name, shape_text(output.shape)),
                "save what the output should be, in its shape");
  return [t](std::span<const std::int64_t> elements) {
    std::vector<double> values;
    for (const std::int64_t i : elements) values.push_back(get(t, i));
    return values;
  };
}

}  // namespace

ExpectedAt expected_of(const Word& word, const std::vector<Tensor>& outputs, const std::vector<Tensor>& before,
                       const Scope& scope) {
  std::vector<One> all(outputs.size());
  Formula::Others formulas;
  for (const std::string& part : split(word.value, ';')) {
    const std::size_t equals = part.find('=');
    const std::string name = trimmed(part.substr(0, equals));
    const auto output = std::ranges::find_if(outputs, [&](const Tensor& t) {
      return t.name == name || t.name + "_ptr" == name || t.name + "_desc" == name;
    });
    if (equals == std::string::npos || output == outputs.end()) {
      std::vector<std::string> names;
      for (const Tensor& t : outputs) names.push_back(t.name);
      throw Error(fmt::format("{}expect: '{}' names no output", word.place, part),
                  fmt::format("write {0} = an expression of the inputs, or {0}={0}.npy; the outputs: {1}", names.back(),
                              fmt::join(names, ", ")));
    }
    const std::string value = trimmed(part.substr(equals + 1));
    One& one = all[static_cast<std::size_t>(output - outputs.begin())];
    if (value.ends_with(".npy")) {
      one = expected_file(word, *output, value);
    } else {
      const auto formula = std::make_shared<Formula>(word, value, *output, before, formulas, scope);
      formulas[output->name] = formula;
      one = [formula](std::span<const std::int64_t> elements) { return formula->at(elements); };
    }
  }
  return [all](std::size_t output, std::span<const std::int64_t> elements) {
    return all[output] ? all[output](elements) : std::vector<double>();
  };
}

}  // namespace tl::cases
