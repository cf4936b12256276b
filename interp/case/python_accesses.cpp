#include "interp/case/python_accesses.h"

#include <algorithm>
#include <array>
#include <map>

#include "interp/triton/program.h"

namespace tl::cases {

namespace {

using triton::Definition;
using triton::Node;
using triton::NodeKind;
using Names = std::set<std::string_view>;

// The operand that is the pointer: ptrs in tl.advance(ptrs, (0, BK)).
bool moves_first_argument(std::string_view op) {
  static constexpr std::array ops{"make_block_ptr", "make_tensor_descriptor", "advance",      "multiple_of",
                                  "max_contiguous", "max_constancy",          "broadcast_to", "cast"};
  return std::ranges::count(ops, op) > 0;
}

class AccessReader {
 public:
  explicit AccessReader(triton::Program& program) : program_(program) {}

  const Accesses& of(const Definition& d) {
    const auto [at, is_new] = known_.try_emplace(&d);  // a helper that calls itself finds what is known so far
    Accesses& all = at->second;
    if (!is_new) return all;
    std::map<std::string_view, Names> made_of;
    for_each_node(d.node, [&](const Node& n) {
      if (n.kind == NodeKind::assign || n.kind == NodeKind::augmented) note_assignment(n, made_of);
      if (n.kind == NodeKind::call) note_call(d, n, all);
      return true;
    });
    for (Names* names : {&all.loaded, &all.stored})
      for (std::size_t before = 0; before != names->size();) {
        before = names->size();
        for (const std::string_view name : Names(*names)) names->merge(Names(made_of[name]));
      }
    return all;
  }

 private:
  // The names in a pointer expression, x_ptr in x_ptr + row * stride, without those of loaded values.
  Names roots(const Node& n) {
    Names all;
    const auto add = [&](const Node* child) {
      if (child) all.merge(roots(*child));
    };
    switch (n.kind) {
      case NodeKind::name: return {n.text};
      case NodeKind::binary:
        if (n.text != "+" && n.text != "-") return {};
        add(&n.child(0));
        if (all.empty()) add(&n.child(1));
        return all;
      case NodeKind::subscript:
      case NodeKind::attribute: return roots(n.child(0));
      case NodeKind::conditional:
        add(&n.child(1));
        add(&n.child(2));
        return all;
      case NodeKind::keyword: return roots(n.child(0));
      case NodeKind::tuple: std::ranges::for_each(n.children, add); return all;
      case NodeKind::call:
        if (called_name(n).starts_with("load")) return {};
        if (n.child(0).kind == NodeKind::attribute) add(&n.child(0));  // ptrs.to(..)
        for (std::size_t i = 1; i < n.children.size(); ++i)
          if (i == 1 || !moves_first_argument(called_name(n))) add(&n.child(i));
        return all;
      default: return {};
    }
  }

  void note_assignment(const Node& n, std::map<std::string_view, Names>& made_of) {
    const Node& value = *n.children.back();
    for (std::size_t t = 0; t + 1 < n.children.size(); ++t) {
      const Node& target = n.child(t);
      const bool is_pairwise = target.kind == NodeKind::tuple && value.kind == NodeKind::tuple &&
                               target.children.size() == value.children.size();
      if (is_pairwise)
        for (std::size_t i = 0; i < target.children.size(); ++i)
          for (const std::string_view name : roots(target.child(i))) made_of[name].merge(roots(value.child(i)));
      else
        for (const std::string_view name : roots(target))
          if (n.kind == NodeKind::assign) made_of[name].merge(roots(value));
    }
  }

  void note_call(const Definition& in, const Node& n, Accesses& all) {
    const std::string_view op = called_name(n);
    const bool loads = op == "load" || op == "load_tensor_descriptor" || op == "gather";
    const bool stores =
        op == "store" || op.starts_with("atomic_") || op == "store_tensor_descriptor" || op == "scatter";
    if (loads || stores) {
      Names& names = stores ? all.stored : all.loaded;
      if (n.child(0).kind == NodeKind::attribute) names.merge(roots(n.child(0).child(0)));  // desc.store(..)
      if (n.children.size() > 1 && op != "gather") names.merge(roots(n.child(1)));
    }
    const Definition* const helper = helper_called(program_, in, n.child(0));
    if (!helper || &in == helper) return;
    const Accesses& inside = of(*helper);
    const auto& parameters = helper->parameters();
    for (std::size_t i = 1; i < n.children.size(); ++i) {
      const Node& a = n.child(i);
      const std::string_view to = a.kind == NodeKind::keyword ? a.text
                                  : i - 1 < parameters.size() ? parameters[i - 1].name
                                                              : "";
      if (inside.loaded.contains(to)) all.loaded.merge(roots(a));
      if (inside.stored.contains(to)) all.stored.merge(roots(a));
    }
  }

  triton::Program& program_;
  std::map<const Definition*, Accesses> known_;
};

}  // namespace

const Definition* helper_called(triton::Program& program, const Definition& in, const Node& callee) {
  triton::Value value;
  if (callee.kind == NodeKind::name) value = program.global(*in.module, callee.text);
  else if (callee.kind == NodeKind::attribute && callee.child(0).kind == NodeKind::name)
    if (const triton::Callable* const from = program.global(*in.module, callee.child(0).text).callable())
      value = program.member(*from, callee.text);
  const triton::Callable* const c = value.callable();
  return c ? c->function : nullptr;
}

Accesses accesses_of(triton::Program& program, const triton::Definition& kernel) {
  return AccessReader(program).of(kernel);
}

}  // namespace tl::cases
