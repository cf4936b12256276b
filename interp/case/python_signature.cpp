#include "interp/case/python_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "interp/triton/program.h"

namespace tl::cases {

namespace {

using triton::Node;
using triton::NodeKind;
using Names = std::set<std::string_view>;

std::string_view called(const Node& n) {
  return n.kind == NodeKind::call && (n.child(0).kind == NodeKind::attribute || n.child(0).kind == NodeKind::name)
             ? n.child(0).text
             : "";
}

// What a pointer is made of: not what was loaded.
Names names_in(const Node& n) {
  Names names;
  for_each_node(&n, [&](const Node& x) {
    if (x.kind == NodeKind::name) names.insert(x.text);
    return called(x) != "load";
  });
  return names;
}

// Those that a store or an atomic goes through: the pointer's own names, and what they were made of. A helper may store
// through whatever it is passed.
Names stored_in(const triton::Definition& kernel) {
  std::map<std::string_view, Names> made_of;
  Names stored;
  for_each_node(kernel.node, [&](const Node& n) {
    if (n.kind == NodeKind::assign || n.kind == NodeKind::augmented)
      for (const std::string_view name : names_in(n.child(0))) made_of[name].merge(names_in(*n.children.back()));
    const std::string_view op = called(n);
    const bool stores = op == "store" || op.starts_with("atomic_") || op == "store_tensor_descriptor";
    if (stores && n.child(0).kind == NodeKind::attribute)
      stored.merge(names_in(n.child(0).child(0)));  // desc.store(..)
    if (stores && n.children.size() > 1) stored.merge(names_in(n.child(1)));
    const bool is_helper = n.kind == NodeKind::call && n.child(0).kind == NodeKind::name &&
                           kernel.module->statements.contains(n.child(0).text);
    if (is_helper)
      for (std::size_t i = 1; i < n.children.size(); ++i) stored.merge(names_in(n.child(i)));
    return true;
  });
  for (std::size_t before = 0; before != stored.size();) {
    before = stored.size();
    for (const std::string_view name : Names(stored)) stored.merge(Names(made_of[name]));
  }
  return stored;
}

// BLOCK=64, of a key and a value of a config's dictionary; "" where the value is none.
std::string word_of(std::string_view name, const Node& value) {
  switch (value.kind) {
    case NodeKind::integer: return fmt::format("{}={}", name, value.integer);
    case NodeKind::real: return fmt::format("{}={}", name, value.real);
    case NodeKind::boolean: return fmt::format("{}={}", name, value.integer ? "true" : "false");
    case NodeKind::string: return fmt::format("{}={}", name, value.text);
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

Functor functor_of(const triton::Definition& kernel) {
  Functor functor{kernel.name(), kernel.name(), {}};
  const Names stored = stored_in(kernel);
  for (const triton::ParameterNode& p : kernel.parameters())
    functor.parameters.push_back({std::string(p.name), triton::is_constexpr(p) ? 'c' : '?', stored.contains(p.name)});
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

std::vector<Word> autotune_words(const triton::Definition& kernel, const std::string& file) {
  std::vector<std::string> configs;
  int line = 0;
  for (const Node* decorator : kernel.node->parts->decorators)
    for_each_node(decorator, [&](const Node& n) {
      if (called(n) != "Config") return true;
      if (line == 0) line = n.span.begin.line;
      if (std::string words = config_of(n); !words.empty()) configs.push_back(std::move(words));
      return false;
    });
  if (configs.empty()) return {};
  const std::string place = fmt::format("{}:{}: ", file, line);
  std::vector<Word> words = words_of(configs.front(), place);
  Word all = words.front();
  all.name = "configs";
  all.value.clear();
  for (const std::string& c : configs) all.value += (all.value.empty() ? "" : "; ") + c;
  words.push_back(all);
  return words;
}

}  // namespace tl::cases
