#include "interp/case/index_names.h"

#include <algorithm>

#include "interp/case/python_accesses.h"
#include "interp/triton/program.h"

namespace tl::cases {

using triton::Node;
using triton::NodeKind;

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::count(names, name) > 0;
}
bool is_sum(const Node& n) { return n.kind == NodeKind::binary && (n.text == "+" || n.text == "-"); }
bool is_method(const Node& n, std::string_view name) {
  return called_name(n) == name && n.child(0).kind == NodeKind::attribute;
}

const Node& bare(const Node& n) {
  if (n.kind == NodeKind::subscript || n.kind == NodeKind::unary || n.kind == NodeKind::keyword)
    return bare(n.child(0));
  if (is_method(n, "to") || (is_method(n, "cast") && n.children.size() == 2)) return bare(n.child(0).child(0));
  if ((called_name(n).ends_with("cast") ||
       is_one_of(called_name(n), {"multiple_of", "max_contiguous", "expand_dims", "broadcast_to"})) &&
      n.children.size() > 1)
    return bare(n.child(1));
  return n;
}

const Node* argument(const Node& call, std::string_view name, std::size_t position) {
  for (std::size_t i = 1; i < call.children.size(); ++i)
    if (call.child(i).kind == NodeKind::keyword && call.child(i).text == name) return &call.child(i).child(0);
  const Node* const n = call.child_if_any(position + 1);
  return n && n->kind != NodeKind::keyword ? n : nullptr;
}

bool makes_descriptor(const Node& n) { return called_name(n).ends_with("make_tensor_descriptor"); }

namespace {

// Whose result is an index where an argument is one.
bool keeps_index(const Node& call) {
  return call.child(0).kind == NodeKind::name ||
         is_one_of(called_name(call), {"to", "minimum", "maximum", "where", "swizzle2d", "join", "range"}) ||
         &bare(call) != &call;
}

}  // namespace

IndexNames::IndexNames(triton::Program& program, const triton::Definition& kernel,
                       const std::set<std::string_view>& pointers)
    : program_(program), pointers_(pointers), functions_{&kernel} {
  for (const triton::ParameterNode& p : kernel.parameters()) {
    parameters_.emplace(p.name);
    if (triton::is_constexpr(p)) constants_.emplace(p.name);
  }
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    const triton::Definition& f = *functions_[i];
    for_each_node(f.node, [&](const Node& n) { return note_definitions(f, n), true; });
  }
}

std::string IndexNames::loop_of(const Node& statement) const {
  const auto loop = loop_of_.find(&statement);
  return loop == loop_of_.end() ? "" : loop->second;
}

// A helper's parameters are what it is called with; its names are taken for the kernel's own.
void IndexNames::note_helper(const triton::Definition& in, const Node& call) {
  const triton::Definition* const helper = helper_called(program_, in, call.child(0));
  if (!helper || helper == functions_.front()) return;
  if (!std::ranges::count(functions_, helper)) functions_.push_back(helper);
  const auto& parameters = helper->parameters();
  for (std::size_t i = 1; i < call.children.size(); ++i) {
    const Node& a = call.child(i);
    const std::string to(a.kind == NodeKind::keyword ? a.text : i <= parameters.size() ? parameters[i - 1].name : "");
    const Node& value = a.kind == NodeKind::keyword ? a.child(0) : a;
    if (!parameters_.contains(to) && value.text != to) definitions_[to].push_back(&value);
  }
}

void IndexNames::note_definitions(const triton::Definition& in, const Node& n) {
  if (n.kind == NodeKind::call) note_helper(in, n);
  if (n.kind == NodeKind::for_loop) {
    const std::string variable(n.child(0).text);
    loops_.insert(variable);
    for_each_node(&n, [&](const Node& inside) {
      return inside.kind != NodeKind::augmented || (loop_of_[&inside] = variable, true);
    });
  }
  if (n.kind != NodeKind::assign) return;
  const Node& value = *n.children.back();
  for (std::size_t t = 0; t + 1 < n.children.size(); ++t) {
    const Node& target = n.child(t);
    const bool is_pairwise = target.kind == NodeKind::tuple && value.kind == NodeKind::tuple &&
                             target.children.size() == value.children.size();
    if (target.kind == NodeKind::name) definitions_[std::string(target.text)].push_back(&value);
    else if (target.kind == NodeKind::tuple)
      for (std::size_t i = 0; i < target.children.size(); ++i)
        definitions_[std::string(target.child(i).text)].push_back(is_pairwise ? &value.child(i) : &value);
  }
}

// Once a name: x = x + 1 ends.
void IndexNames::for_definitions(const std::string& name, const std::function<void(const Node&)>& f) {
  if (!open_.insert(name).second) return;
  if (const auto at = definitions_.find(name); at != definitions_.end())
    for (const Node* d : at->second) f(*d);
  open_.erase(name);
}

NameSet IndexNames::pointers_in(const Node& given) {
  const Node& n = bare(given);
  NameSet all;
  const std::string name(n.text);
  if (n.kind == NodeKind::name && pointers_.contains(name)) return {name};
  if (n.kind == NodeKind::name && !parameters_.contains(name))
    for_definitions(name, [&](const Node& d) { all.merge(pointers_in(d)); });
  if (is_sum(n) || n.kind == NodeKind::conditional)
    for (const Node* child : n.children) all.merge(pointers_in(*child));
  if ((makes_descriptor(n) || is_one_of(called_name(n), {"make_block_ptr", "advance"})) && n.children.size() > 1)
    return pointers_in(n.child(1));
  return all;
}

// BLOCK, and of BLOCK // 2 as well: room enough.
std::string IndexNames::extent_text(const Node& end) {
  std::string text;
  for (const std::string& factor : product_of(end)) text += (text.empty() ? "" : " * ") + factor;
  for_each_node(&end, [&](const Node& n) {
    if (text.empty() && n.kind == NodeKind::name && is_number(std::string(n.text))) text = n.text;
    return true;
  });
  return text.empty() ? "64" : text;
}

IndexSources IndexNames::sources(const Node& n) {
  IndexSources all;
  const std::string_view op = called_name(n);
  if (n.kind == NodeKind::name && loops_.contains(std::string(n.text))) return {"loop " + std::string(n.text)};
  if (n.kind == NodeKind::name && !parameters_.contains(std::string(n.text))) {
    for_definitions(std::string(n.text), [&](const Node& d) { all.merge(sources(d)); });
    return all;
  }
  if (op == "program_id") {
    const Node* const axis = argument(n, "axis", 0);
    const int number = axis && axis->kind == NodeKind::integer ? static_cast<int>(axis->integer) : 0;
    return {"program " + std::to_string(number)};
  }
  if (op == "arange") {
    const Node* const end = argument(n, "end", 1);
    return {"arange " + (end ? extent_text(*end) : "")};
  }
  if (op == "load") {
    for (const std::string& p : n.children.size() > 1 ? pointers_in(n.child(1)) : NameSet()) all.insert("loaded " + p);
    return all;
  }
  if (op == "cdiv" || (n.kind == NodeKind::call && !keeps_index(n))) return {};
  for (const Node* child : n.children)
    if (child) all.merge(sources(*child));
  return all;
}

std::string IndexNames::limit_of(const Node& given) {
  const Node& n = bare(given);
  const std::string name(n.text);
  if (n.kind == NodeKind::name && is_number(name)) return name;
  std::string limit;
  const auto take = [&](const Node& d) {
    if (limit.empty()) limit = limit_of(d);
  };
  if (n.kind == NodeKind::name) for_definitions(name, take);
  if (is_sum(n) || is_one_of(called_name(n), {"minimum", "min"}))
    for (const Node* child : n.children) take(*child);
  return limit;
}

Factors IndexNames::product_of(const Node& given) {
  const Node& n = bare(given);
  const std::string name(n.text);
  if (n.kind == NodeKind::integer || (n.kind == NodeKind::name && is_number(name))) return {name};
  Factors all;
  if (n.kind == NodeKind::name) for_definitions(name, [&](const Node& d) { all = product_of(d); });
  if (n.kind != NodeKind::binary || n.text != "*") return all;
  all = product_of(n.child(0));
  Factors right = product_of(n.child(1));
  if (all.empty() || right.empty()) return {};
  all.insert(all.end(), right.begin(), right.end());
  return all;
}

std::string IndexNames::counted_in(const Node& given) {
  const Node& n = bare(given);
  std::string count;
  if (n.kind == NodeKind::name) for_definitions(std::string(n.text), [&](const Node& d) { count = counted_in(d); });
  return called_name(n) == "cdiv" && n.children.size() > 1 ? limit_of(n.child(1)) : count;
}

Factors IndexNames::modulo_of(const Node& given) {
  const Node& n = bare(given);
  Factors all;
  if (n.kind == NodeKind::name) for_definitions(std::string(n.text), [&](const Node& d) { all = modulo_of(d); });
  if (n.kind == NodeKind::binary && n.text == "%" && sources(n.child(1)).empty()) return product_of(n.child(1));
  if (called_name(n) == "where" && n.children.size() > 2) return modulo_of(n.child(2));
  return all;
}

}  // namespace tl::cases
