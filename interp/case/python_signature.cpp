#include "interp/case/python_signature.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/case/python_accesses.h"
#include "interp/triton/program.h"

namespace tl::cases {

namespace {

using triton::Node;
using triton::NodeKind;

std::string_view called(const Node& n) {
  return n.kind == NodeKind::call && (n.child(0).kind == NodeKind::attribute || n.child(0).kind == NodeKind::name)
             ? n.child(0).text
             : "";
}

// BLOCK=64, of a name and a literal: of a config, or a parameter's default; "" where it is none.
std::string word_of(std::string_view name, const Node& value, std::string_view sign = "") {
  switch (value.kind) {
    case NodeKind::unary: return value.text == "-" ? word_of(name, value.child(0), "-") : "";
    case NodeKind::none: return fmt::format("{}=None", name);
    case NodeKind::integer: return fmt::format("{}={}{}", name, sign, value.integer);
    case NodeKind::real: {  // 2.0 is no whole number
      const std::string digits = fmt::format("{}", value.real);
      const bool looks_whole = digits.find_first_not_of("0123456789") == std::string::npos;
      return fmt::format("{}={}{}{}", name, sign, digits, looks_whole ? ".0" : "");
    }
    case NodeKind::boolean: return fmt::format("{}={}", name, value.integer ? "true" : "false");
    case NodeKind::string: return fmt::format("{}='\"{}\"'", name, value.text);
    case NodeKind::attribute: {
      const std::string dtype = fmt::format("tl.{}", value.text);
      return dtype_constant(dtype) ? fmt::format("{}={}", name, dtype) : "";
    }
    default: return "";
  }
}

std::string config_of(const Node& config) {
  std::string words;
  const auto add = [&](const std::string& word) { words += (words.empty() || word.empty() ? "" : " ") + word; };
  for (std::size_t i = 1; i < config.children.size(); ++i) {
    const Node& a = config.child(i);
    if (a.kind == NodeKind::dictionary)
      for (std::size_t k = 0; k + 1 < a.children.size(); k += 2)
        if (a.children[k]) add(word_of(a.child(k).text, a.child(k + 1)));
    if (a.kind == NodeKind::keyword && a.text == "num_warps") add(word_of("warps", a.child(0)));
    if (a.kind == NodeKind::keyword && a.text == "num_stages") add(word_of("stages", a.child(0)));
  }
  return words;
}

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
    if (called(n) != "dot") return true;
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

std::vector<Word> words_of_text(const triton::Definition& kernel, const std::string& file) {
  std::vector<Word> words;
  const auto add = [&](const std::string& text, int line) {
    for (Word& w : words_of(text, fmt::format("{}:{}: ", file, line))) words.push_back(std::move(w));
  };
  for (const triton::ParameterNode& p : kernel.parameters())
    if (p.fallback) add(word_of(p.name, *p.fallback), p.span.begin.line);
  std::vector<std::string> configs;
  int line = 0;
  for (const Node* decorator : kernel.node->parts->decorators)
    for_each_node(decorator, [&](const Node& n) {
      if (called(n) != "Config") return true;
      if (line == 0) line = n.span.begin.line;
      if (std::string words = config_of(n); !words.empty()) configs.push_back(std::move(words));
      return false;
    });
  if (configs.empty()) return words;
  add(configs.front(), line);
  Word all = words.back();
  all.name = "configs";
  all.value.clear();
  for (const std::string& c : configs) all.value += (all.value.empty() ? "" : "; ") + c;
  words.push_back(all);
  return words;
}

}  // namespace tl::cases
