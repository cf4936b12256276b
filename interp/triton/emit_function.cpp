// A function's lines as C++: what it is called with, where its lines stand in the Python text, and what a reduction
// combines by.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "interp/triton/emission.h"

namespace tl::triton {

using cpu::AnyValue;
using cpu::Block;

Written Emission::function(const std::string& name, std::vector<Term> arguments, const std::string& head, int depth) {
  Written made;
  made.name = name;
  std::vector<std::string> parameters{"auto& tl"};
  const std::function<void(Term&, std::string_view)> bind = [&](Term& t, std::string_view wanted) {
    for (std::size_t i = 0; i < t.elements.size(); ++i) bind(t.elements[i], fmt::format("{}_{}", wanted, i));
    if (t.is_tuple() || t.is_constant() || !t.text.empty()) return;
    t.text = fresh(wanted);
    parameters.push_back("auto " + t.text);
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    Term& t = arguments[i];
    bind(t, routine_.variables[i]);
    t.value.is_strong = t.value.is_strong && !routine_.is_constexpr[i];
    now_.bindings[i] = {t};
  }
  now_.depth = depth + 1;
  if (statements(routine_.body) == Flow::next) now_.result = Term{Value(AnyValue(cpu::None{})), ""};
  now_.depth = depth;
  made.result = now_.result.value.is_known() ? now_.result : Term{Value(AnyValue(cpu::None{})), ""};
  made.has_effect = now_.has_effect;
  made.calls = now_.calls;
  const std::string first = head.empty() ? fmt::format("auto {}({}) {{", name, fmt::join(parameters, ", ")) : head;
  now_.lines.insert(now_.lines.begin(), {first, routine_.place, depth});
  line("}", nullptr);
  made.text = text_of_lines();
  return made;
}

std::string Emission::text_of_lines() const {
  std::string all;
  int next = 0;  // the line of the .py that the compiler takes the next one for
  const char* file = "";
  for (const Line& l : now_.lines) {
    if (all_.style().has_lines && l.place &&
        (static_cast<int>(l.place->line) != next || std::string_view(file) != l.place->file)) {
      next = static_cast<int>(l.place->line);
      file = l.place->file;
      all += fmt::format("#line {} {}\n", next, string_literal(file));
    }
    all += fmt::format("{:{}}{}\n", "", 2 * l.depth, l.text);
    next += 1 + static_cast<int>(std::ranges::count(l.text, '\n'));
  }
  return all;
}

std::string Emission::lambda(const Term& combine, const std::vector<DType>& dtypes, const cpu::Place* p) {
  std::vector<std::string> names, texts;
  std::vector<Term> given;
  for (const char* side : {"a", "b"})
    for (std::size_t i = 0; i < dtypes.size(); ++i) {
      names.push_back(dtypes.size() == 1 ? side : fmt::format("{}{}", side, i));
      texts.push_back("auto " + names.back());
      given.push_back({all_.scalar(dtypes[i]), names.back()});
    }
  std::string body;
  if (combine.combines_by) {
    body = called(*combine.combines_by, given, {}, p).text;
  } else {
    std::vector<Value> values;
    for (const Term& t : given) values.push_back(t.value);
    const std::size_t number = all_.helper(*combine.combines, values, frame_.depth + 1);
    now_.calls.push_back(number);
    body = fmt::format("{}(tl, {})", all_.written(number).name, fmt::join(names, ", "));
  }
  return fmt::format("[&]({}) {{ return {}; }}", fmt::join(texts, ", "), body);
}

Term Emission::combine(const Routine* routine, const cpu::Function* op, const cpu::Place*) {
  // The type of the result is that of a side.
  const auto first = [](std::span<const Block> blocks) {
    return std::vector<Block>(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(blocks.size() / 2));
  };
  Term t{Value(AnyValue(cpu::CombineFunction(
             std::make_shared<const std::function<std::vector<Block>(std::span<const Block>)>>(first)))),
         ""};
  t.combines = routine;
  t.combines_by = op;
  return t;
}

}  // namespace tl::triton
