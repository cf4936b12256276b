#include "interp/triton/tree.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>

namespace tl::triton {

bool ends_with_name(const Node* node, std::string_view name) {
  if (!node) return false;
  if (node->kind == NodeKind::call) return ends_with_name(node->children[0], name);
  if (node->kind == NodeKind::string) return node->text.find(name) != std::string_view::npos;
  return (node->kind == NodeKind::name || node->kind == NodeKind::attribute) && node->text == name;
}

std::string_view called_name(const Node& n) {
  const bool is_named =
      n.kind == NodeKind::call && (n.child(0).kind == NodeKind::attribute || n.child(0).kind == NodeKind::name);
  return is_named ? n.child(0).text : "";
}

bool is_constexpr(const ParameterNode& p) { return ends_with_name(p.annotation, "constexpr"); }

bool has_64_bits(const Node& integer) {
  const char mark = integer.text.size() < 2 ? ' ' : static_cast<char>(integer.text[1] | 0x20);
  const int base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
  std::string digits(integer.text.substr(base == 10 ? 0 : 2));
  std::erase(digits, '_');
  std::uint64_t value = 0;
  return std::from_chars(digits.data(), digits.data() + digits.size(), value, base).ec == std::errc();
}

namespace {

// What the body of a function speaks of.
std::set<std::string_view> names_in(const Node& function) {
  std::set<std::string_view> names;
  for (const Node* s : function.parts->body)
    for_each_node(s, [&](const Node& n) {
      if (n.kind == NodeKind::name) names.insert(n.text);
      return true;
    });
  return names;
}

}  // namespace

bool is_kernel(const Node& function) {
  return std::ranges::any_of(function.parts->decorators, [](const Node* n) { return ends_with_name(n, "jit"); });
}

std::vector<const Node*> run_by_kernels(const std::vector<const Node*>& functions) {
  std::vector<const Node*> found;
  std::ranges::copy_if(functions, std::back_inserter(found), [](const Node* f) { return is_kernel(*f); });
  if (found.empty()) return functions;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto names = names_in(*found[i]);
    for (const Node* f : functions)
      if (names.contains(f->text) && !std::ranges::count(found, f)) found.push_back(f);
  }
  return found;
}

}  // namespace tl::triton
