#include "interp/case/expected.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <optional>

#include "interp/case/fill.h"
#include "interp/case/npy.h"
#include "interp/debug/expression.h"
#include "interp/debug/syntax.h"
#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "kernels/problems/tolerance.h"

namespace tl::cases {
namespace {

using debug::Array;
using Shape = std::vector<std::int64_t>;

// In double, or in int64, so that the truth is not rounded on the way.
Array array_of(const Tensor& t) {
  Array a{is_float(t.dtype) ? DType::float64 : t.dtype == DType::int1 ? DType::int1 : DType::int64, false, t.shape, {}};
  a.data.reserve(static_cast<std::size_t>(t.elems()));
  for (std::int64_t i = 0; i < t.elems(); ++i) {
    const double v = get(t, offset_of(t, i));
    if (is_float(t.dtype)) a.data.push_back({.real = v});
    else a.data.push_back({.whole = static_cast<std::int64_t>(v)});
  }
  return a;
}

// Along the last axes, axes of one stretched, as NumPy does; nothing where it does not fit.
std::optional<Array> stretched(const Array& a, const Shape& shape) {
  if (a.shape == shape) return a;
  if (a.shape.size() > shape.size()) return std::nullopt;
  const std::size_t shift = shape.size() - a.shape.size();
  std::vector<std::size_t> steps(shape.size(), 0);
  std::size_t step = 1;
  for (std::size_t d = a.shape.size(); d-- > 0; step *= static_cast<std::size_t>(a.shape[d])) {
    if (a.shape[d] != 1 && a.shape[d] != shape[d + shift]) return std::nullopt;
    if (a.shape[d] != 1) steps[d + shift] = step;
  }
  std::int64_t count = 1;
  for (const std::int64_t n : shape) count *= n;
  Array all{a.dtype, false, shape, {}};
  all.data.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    std::size_t place = 0;
    std::int64_t rest = i;
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d])
      place += static_cast<std::size_t>(rest % shape[d]) * steps[d];
    all.data.push_back(a.data[place]);
  }
  return all;
}

template <class F>
void for_each_node(const debug::Node& n, F f) {
  f(n);
  for (const debug::Node& child : n.children) for_each_node(child, f);
}

// max(x, 1): of two values, or along an axis?
bool may_be_pair(const debug::Node& n) {
  return n.kind == debug::NodeKind::call && (n.text == "max" || n.text == "min") && n.children.size() == 2 &&
         n.keywords.empty();
}

// The formulas of one `expect`, each computed when it is first asked for.
class Formulas {
 public:
  Formulas(const Word& word, const std::vector<Tensor>& before, const Scope& scope, debug::InexactSum* inexact)
      : word_(word), tensors_(before), scope_(scope), inexact_(inexact) {}

  // `output`: null of an intermediate, which a later formula names.
  void add(const std::string& name, const std::string& text, const Tensor* output) {
    Formula f{.name = name, .text = text};
    if (output) {
      f.shape = output->shape;
      f.is_whole = is_integer(output->dtype);
    }
    try {
      const debug::Node tree = debug::parse(text, debug::Precedence::python);
      for_each_node(tree, [&](const debug::Node& n) {
        f.may_be_pair |= may_be_pair(n);
        for (Formula& earlier : formulas_) earlier.is_used |= n.kind == debug::NodeKind::name && n.text == earlier.name;
      });
    } catch (const Error& e) {
      refuse(e);
    }
    formulas_.push_back(std::move(f));
  }
  // An intermediate that nothing names; nothing: each is used.
  std::optional<std::string> unused() const {
    for (const Formula& f : formulas_)
      if (!f.shape && !f.is_used) return fmt::format("{} = {}", f.name, f.text);
    return std::nullopt;
  }

  std::vector<double> at(const std::string& name, std::span<const std::int64_t> elements) {
    const Array& a = whole(formulas_.size(), name);
    const bool is_whole = std::ranges::find(formulas_, name, &Formula::name)->is_whole;
    std::vector<double> values;
    for (const std::int64_t i : elements) {
      const debug::Number v = a.data[static_cast<std::size_t>(i)];
      const double real = is_float(a.dtype) ? v.real : static_cast<double>(v.whole);
      values.push_back(is_whole ? std::trunc(real) : real);  // as NumPy stores a float in integers
    }
    return values;
  }

 private:
  struct Formula {
    std::string name, text;
    std::optional<Shape> shape = {};  // of an output
    bool is_whole = false, may_be_pair = false, is_used = false;
    std::optional<Array> value = {};
  };

  [[noreturn]] void refuse(const Error& e) const {
    throw Error(fmt::format("{}expect: {}", word_.place, e.what()), e.fix);
  }

  // The last formula of that name before `end`.
  const Array& whole(std::size_t end, const std::string& name) {
    while (formulas_[--end].name != name) {
    }
    Formula& f = formulas_[end];
    if (f.value) return *f.value;
    try {
      f.value = f.shape ? of_output(end) : evaluated(end, debug::Pairs::values);
    } catch (const Error& e) {
      refuse(e);
    }
    return *f.value;
  }

  // max(x, 1) runs along axis 1, as tl.max does. Where the output has x's axes it is the larger of x and 1: what is
  // left after axis 1 has fewer.
  Array of_output(std::size_t number) {
    const Formula& f = formulas_[number];
    if (f.may_be_pair) {
      try {
        Array along = evaluated(number, debug::Pairs::values);
        if (along.shape == *f.shape) return along;
      } catch (const Error&) {  // there is no such axis
      }
      try {
        Array pairs = evaluated(number, debug::Pairs::numbers);
        if (pairs.shape == *f.shape) return pairs;
      } catch (const Error&) {  // told below
      }
    }
    const Array made = evaluated(number, debug::Pairs::values);
    if (auto fits = stretched(made, *f.shape)) return *std::move(fits);
    throw Error(fmt::format("'{}' is {}, and the output is {}", f.text, shape_text(made.shape), shape_text(*f.shape)),
                "axes are equal, or 1: x[:, None] adds one");
  }

  Array evaluated(std::size_t number, debug::Pairs pairs) {
    const auto resolve = [&](const std::string& name) -> std::optional<debug::Operand> {
      for (const Tensor& t : tensors_)
        if (t.name == name || t.name + "_ptr" == name || t.name + "_desc" == name) return array_of(t);
      for (std::size_t i = 0; i < number; ++i)
        if (formulas_[i].name == name) return whole(number, name);
      if (const auto known = scope_.number(name)) return *known;
      std::vector<std::string> names;
      for (const Tensor& t : tensors_) names.push_back(t.name);
      throw Error(fmt::format("nothing is called {}", name),
                  fmt::format("the tensors: {}; and the case's numbers", fmt::join(names, ", ")));
    };
    return debug::evaluate(formulas_[number].text, resolve, debug::Rules::numpy, pairs, inexact_);
  }

  Word word_;
  std::vector<Tensor> tensors_;
  Scope scope_;
  debug::InexactSum* inexact_;
  std::vector<Formula> formulas_;
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

bool is_name(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

// `inexact`: null for the truth itself.
ExpectedAt formulas_of(const Word& word, const std::vector<Tensor>& outputs, const std::vector<Tensor>& before,
                       const Scope& scope, debug::InexactSum* inexact) {
  std::vector<One> all(outputs.size());
  const auto formulas = std::make_shared<Formulas>(word, before, scope, inexact);
  const auto refuse = [&](const std::string& part) {
    std::vector<std::string> names;
    for (const Tensor& t : outputs) names.push_back(t.name);
    throw Error(fmt::format("{}expect: '{}' names no output", word.place, part),
                fmt::format("write {0} = an expression of the inputs, or {0}={0}.npy; the outputs: {1}", names.back(),
                            fmt::join(names, ", ")));
  };
  for (const std::string& part : split(word.value, ';')) {
    const std::size_t equals = part.find('=');
    const std::string name = trimmed(part.substr(0, equals));
    if (equals == std::string::npos || !is_name(name)) refuse(part);
    const std::string value = trimmed(part.substr(equals + 1));
    const auto output = std::ranges::find_if(outputs, [&](const Tensor& t) {
      return t.name == name || t.name + "_ptr" == name || t.name + "_desc" == name;
    });
    if (output == outputs.end()) {
      formulas->add(name, value, nullptr);
      continue;
    }
    One& one = all[static_cast<std::size_t>(output - outputs.begin())];
    if (value.ends_with(".npy")) {
      one = expected_file(word, *output, value);
    } else {
      formulas->add(output->name, value, &*output);
      one = [formulas, own = output->name](std::span<const std::int64_t> elements) {
        return formulas->at(own, elements);
      };
    }
  }
  if (const auto part = formulas->unused()) refuse(*part);
  return [all](std::size_t output, std::span<const std::int64_t> elements) {
    return all[output] ? all[output](elements) : std::vector<double>();
  };
}

}  // namespace

ExpectedAt expected_of(const Word& word, const std::vector<Tensor>& outputs, const std::vector<Tensor>& before,
                       const Scope& scope) {
  return formulas_of(word, outputs, before, scope, nullptr);
}

ExpectedAt sum_errors_of(const Word& word, const std::vector<Tensor>& outputs, const std::vector<Tensor>& before,
                         const Scope& scope) {
  return [=, known = std::make_shared<std::map<std::size_t, std::vector<double>>>()](
             std::size_t output, std::span<const std::int64_t> elements) {
    const auto [it, is_new] = known->try_emplace(output);
    std::vector<double>& errors = it->second;
    if (is_new) {
      const Tensor& t = outputs[output];
      std::vector<std::int64_t> all(static_cast<std::size_t>(t.elems()));
      std::iota(all.begin(), all.end(), 0);
      const std::vector<double> exact = formulas_of(word, outputs, before, scope, nullptr)(output, all);
      errors.assign(exact.size(), 0);
      const double roundoff = problems::unit_roundoff(t.dtype == DType::float64 ? t.dtype : DType::float32);
      for (debug::InexactSum inexact{.roundoff = roundoff}; inexact.which == 0 || inexact.which < inexact.count;
           ++inexact.which) {
        inexact.count = 0;
        const std::vector<double> off = formulas_of(word, outputs, before, scope, &inexact)(output, all);
        for (std::size_t i = 0; i < off.size(); ++i)
          if (const double change = std::abs(off[i] - exact[i]); std::isfinite(change)) errors[i] += change;
      }
    }
    std::vector<double> some;
    if (!errors.empty())
      for (const std::int64_t e : elements) some.push_back(errors[static_cast<std::size_t>(e)]);
    return some;
  };
}

}  // namespace tl::cases
