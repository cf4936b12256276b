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
  static constexpr std::pair<std::string_view, const char*> pythons[] = {
      {"abs", "tl.abs(x)"}, {"bool", "compare: x != 0"}, {"tuple", "(a, b) is one"}};
  for (const auto& [of_python, fix] : pythons)
    if (name.text == of_python && !module_.statements.contains(name.text))
      remark(name, fmt::format("Triton does not know Python's {}", name.text), fix);
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

// tl.device_print by another name.
void Specializer::remark_print(const Node& call) {
  const Node* const first = call.child_if_any(1);
  if (!first || first->kind == NodeKind::string || first->kind == NodeKind::format) return;
  remark(call, "Triton's print begins with a text", "print(\"x\", x)");
}

void Specializer::remark_constexpr(const Node& s) {
  const bool is_turned_again = loops_ > run_time_loops_;
  if (!is_turned_again && (branches_ > 0 || !given_.contains(slot(s.child(0).text)))) return;
  remark(s,
         is_turned_again
             ? fmt::format("{} is a constexpr, and an unrolled loop assigns it in each turn", s.child(0).text)
             : fmt::format("{} has a value already, and Triton assigns to a constexpr once", s.child(0).text),
         "leave the annotation out, or choose another name");
}

namespace {

bool always_returns(const Statements& body) {
  return std::ranges::any_of(body, [](const auto& s) {
    const auto* const b = dynamic_cast<const Branch*>(s.get());
    return dynamic_cast<const Return*>(s.get()) ||
           (b && always_returns(b->then().body) && always_returns(b->otherwise().body));
  });
}

bool returns(const Statements& body, bool a_value) {
  return std::ranges::any_of(body, [&](const auto& s) {
    if (const auto* const r = dynamic_cast<const Return*>(s.get())) return r->has_value() == a_value;
    const auto* const b = dynamic_cast<const Branch*>(s.get());
    return b && (returns(b->then().body, a_value) || returns(b->otherwise().body, a_value));
  });
}

}  // namespace

// Of what is left at these constants.
void Specializer::remark_returns(const Node& function, const Statements& body) {
  if (!returns(body, true) || (always_returns(body) && !returns(body, false))) return;
  remark(function, fmt::format("{} returns a value on one path and none on another", function.text),
         "return a value of one type at the end of every path");
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
