#include "interp/case/python_signature.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/case/python_accesses.h"
#include "interp/case/python_decorators.h"
#include "interp/triton/program.h"

namespace tl::cases {

namespace {

using triton::Node;
using triton::NodeKind;

}  // namespace

Functor functor_of(triton::Program& program, const triton::Definition& kernel) {
  Functor functor{kernel.name(), kernel.name(), {}};
  const Accesses accesses = accesses_of(program, kernel);
  for (const triton::ParameterNode& p : kernel.parameters()) {
    const bool is_stored = accesses.stored.contains(p.name);
    functor.parameters.push_back({.name = std::string(p.name),
                                  .kind = triton::is_constexpr(p) ? 'c' : '?',
                                  .is_stored = is_stored,
                                  .is_accessed = is_stored || accesses.loaded.contains(p.name),
                                  .has_default = p.fallback != nullptr});
  }
  for_each_node(kernel.node, [&](const Node& n) {
    if (called_name(n) != "dot") return true;
    functor.multiplies = true;
    for (std::size_t i = 1; i < n.children.size(); ++i) {
      if (n.child(i).kind != NodeKind::keyword || n.child(i).text != "input_precision") continue;
      const std::string_view precision = n.child(i).child(0).text;
      functor.is_ieee |= precision == "ieee";
      functor.splits_f32 |= precision == "tf32x3" || precision == "bf16x3" || precision == "bf16x6";
    }
    return true;
  });
  return functor;
}

std::vector<Functor> functors_of(triton::Program& program) {
  std::vector<Functor> all;
  for (const triton::Definition* d : program.kernels()) all.push_back(functor_of(program, *d));
  return all;
}

std::vector<Word> words_of_text(triton::Program& program, const triton::Definition& kernel, const std::string& file) {
  std::vector<Word> words = words_of_decorators(program, kernel, file);  // a config's value before a default
  for (const triton::ParameterNode& p : kernel.parameters()) {
    if (!p.fallback || std::ranges::count(words, p.name, &Word::name)) continue;
    const std::string text = word_of(p.name, program, *kernel.module, *p.fallback);
    for (Word& w : words_of(text, fmt::format("{}:{}: ", file, p.span.begin.line))) words.push_back(std::move(w));
  }
  return words;
}

}  // namespace tl::cases
