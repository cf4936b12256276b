// What Triton refuses of a text, found as it is specialized.
#include <fmt/format.h>

#include <algorithm>

#include "interp/triton/expression_nodes.h"
#include "interp/triton/specializer.h"

namespace tl::triton {

void Specializer::remark(const Node& n, const std::string& fact, const std::string& fix) {
  if (routines_) remarks_.push_back(std::make_unique<Remark>(place(n), fact, fix));
}

namespace {

bool is_constexpr_call(const Node& n) {
  const bool is_name =
      n.kind == NodeKind::call && (n.child(0).kind == NodeKind::name || n.child(0).kind == NodeKind::attribute);
  return is_name && n.child(0).text == "constexpr";
}

// Numbers, texts and tuples, of which Triton takes none as a global.
bool is_plain(const Node& n) {
  switch (n.kind) {
    case NodeKind::boolean:
    case NodeKind::integer:
    case NodeKind::real:
    case NodeKind::string:
    case NodeKind::tuple:
    case NodeKind::list:
    case NodeKind::unary:
    case NodeKind::binary: return true;
    default: return false;
  }
}

}  // namespace

void Specializer::remark_global(const Node& name) {
  if (name.text == "abs" && !module_.statements.contains(name.text))
    remark(name, "Triton does not know Python's abs", "tl.abs(x)");
  const auto found = module_.statements.find(name.text);
  if (!made_ || found == module_.statements.end()) return;
  const Node& s = *found->second;
  if (s.kind != NodeKind::assign && s.kind != NodeKind::annotated) return;
  const Node& value = *s.children.back();
  if (is_constexpr_call(value) || !is_plain(value)) return;
  remark(name,
         fmt::format("{} is a plain global (line {}), and Triton takes constexpr globals alone", name.text,
                     s.span.begin.line),
         fmt::format("{} = tl.constexpr(...)", name.text));
}

void Specializer::remark_condition(const Node& n, const Expression& test) {
  const Value* const v = test.constant();
  if (!v || is_run_time(*v)) return;
  const bool is_text = v->data.is<cpu::TextConstant>(), is_real = v->data.is<cpu::RealConstant>();
  if (is_text || is_real)
    remark(n, fmt::format("Triton refuses a {} as a condition", is_text ? "text" : "float"), "compare it");
}

void Specializer::remark_shapes(const Node& call, const cpu::Function& op) {
  static constexpr std::string_view constants[] = {"shape", "block_shape", "order", "dims", "axis", "dim"};
  const auto is_constant = [&](std::string_view parameter) {
    return std::ranges::count(constants, parameter) || op.name == "arange";
  };
  const auto look_at = [&](const Node& n) {
    if (n.kind != NodeKind::name && n.kind != NodeKind::binary) return;
    const auto made = expression(n);
    const Value* const v = made->constant();
    if (v && v->data.is_number() && v->is_strong)
      remark(n,
             fmt::format("Triton takes constexprs for tl.{}'s {}, and a variable is not one", op.name,
                         op.name == "arange" ? "bounds" : "shape and axes"),
             "annotate the variable where it is assigned: n: tl.constexpr = 4");
  };
  std::size_t position = 0;
  for (std::size_t i = 1; i < call.children.size(); ++i) {
    const Node& a = call.child(i);
    std::string_view parameter;
    if (a.kind == NodeKind::keyword) parameter = a.text;
    else if (!op.parameters.empty()) {
      const bool is_beyond = position >= op.parameters.size();
      const auto rest = std::ranges::find(op.parameters, true, &Parameter::is_rest);
      const bool is_rest =
          rest != op.parameters.end() && position >= static_cast<std::size_t>(rest - op.parameters.begin());
      parameter = is_rest ? rest->name : is_beyond ? "" : op.parameters[position].name;
      ++position;
    }
    if (!is_constant(parameter)) continue;
    const Node& value = a.kind == NodeKind::keyword ? a.child(0) : a;
    if (value.kind == NodeKind::tuple || value.kind == NodeKind::list)
      for (const Node* element : value.children) look_at(*element);
    else look_at(value);
  }
}

}  // namespace tl::triton
