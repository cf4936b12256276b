// Statements, with the branches that constants leave.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "interp/lang/stop_scope.h"
#include "interp/triton/expression_nodes.h"
#include "interp/triton/specializer.h"

namespace tl::triton {

// What follows a return is not even looked at.
void Specializer::block(const std::vector<const Node*>& body, Statements& to) {
  Statements outside = std::exchange(remarks_, {});
  for (const Node* s : body) {
    statement(*s, to);
    for (auto& r : std::exchange(remarks_, {})) to.push_back(std::move(r));
    if (s->kind == NodeKind::return_ || s->kind == NodeKind::break_ || s->kind == NodeKind::continue_) break;
  }
  remarks_ = std::move(outside);
}
Arm Specializer::arm(const std::vector<const Node*>& body) { return {block(body), assigned_in(body)}; }
Statements Specializer::block(const std::vector<const Node*>& body) {
  Statements made;
  block(body, made);
  return made;
}

void Specializer::statement(const Node& s, Statements& to) {
  end_if_stopped();
  switch (s.kind) {
    case NodeKind::expression:
      if (s.child(0).kind == NodeKind::string) return;  // a docstring
      return to.push_back(std::make_unique<Evaluation>(place(s), expression(s.child(0))));
    case NodeKind::assign:
    case NodeKind::annotated:
    case NodeKind::augmented:
      if (auto made = assignment(s)) to.push_back(std::move(made));
      return;
    case NodeKind::branch: return branch(s, to);
    case NodeKind::for_loop: return to.push_back(for_loop(s));
    case NodeKind::while_loop:
      if (auto made = while_loop(s)) to.push_back(std::move(made));
      return;
    case NodeKind::return_: {
      if (run_time_loops_ > 0)
        remark(s, "Triton has no return within a loop", "set a variable there, and return after the loop");
      auto value = s.children.empty() ? nullptr : expression(s.child(0));
      if (value && value->parts()) made_->result = outline_of(value->parts()->data);
      return to.push_back(std::make_unique<Return>(place(s), std::move(value)));
    }
    case NodeKind::break_:
      remark(s, "Triton has no break", "let the loop's bounds end it, or a while's condition");
      return to.push_back(std::make_unique<Jump>(place(s), Flow::breaks));
    case NodeKind::continue_:
      remark(s, "Triton has no continue", "put what follows under an if");
      return to.push_back(std::make_unique<Jump>(place(s), Flow::continues));
    case NodeKind::assert_: {
      std::string message;
      if (const Node* const m = s.child_if_any(1); m && m->kind == NodeKind::string) message = m->text;
      return to.push_back(std::make_unique<Assertion>(place(s), expression(s.child(0)), message));
    }
    case NodeKind::pass: return;
    case NodeKind::global:
    case NodeKind::nonlocal: fail(s, "Triton assigns to no globals", "pass a tensor, and store to it");
    case NodeKind::try_:
    case NodeKind::raise: fail(s, "Triton has no exceptions", "tl.device_assert(condition, text) checks");
    case NodeKind::with: fail(s, "this `with` is not supported", "write its body without it");
    case NodeKind::function:
    case NodeKind::class_:
      fail(s, "Triton defines nothing within a kernel", "define it in the file, with @triton.jit above it");
    case NodeKind::import:
    case NodeKind::import_from: fail(s, "Triton imports nothing within a kernel", "import it at the top of the file");
    default: fail(s, "Triton has no such statement", "leave it out");
  }
}

// A constant condition leaves the branch that it takes.
void Specializer::branch(const Node& s, Statements& to) {
  auto test = expression(s.child(0));
  const auto truth = test->constant() ? truth_of(*test->constant()) : std::nullopt;
  remark_condition(s, *test);
  if (truth) return block(*truth ? s.parts->body : s.parts->otherwise, to);
  ++branches_;
  const std::set<std::size_t> before = assigned_;
  const Outlines outlines = outlines_;
  Arm then = arm(s.parts->body);
  std::set<std::size_t> assigned = std::exchange(assigned_, before);
  const Outlines after_then = std::exchange(outlines_, outlines);
  Arm otherwise = arm(s.parts->otherwise);
  outlines_ = common(outlines_, after_then);
  assigned_.merge(assigned);
  --branches_;
  to.push_back(std::make_unique<Branch>(place(s), std::move(test), std::move(then), std::move(otherwise)));
}

// A turn may read what the one before has assigned: of another class than before the loop, the class is not known.
Statements Specializer::loop_body(const Node& s) {
  for (const std::size_t slot : assigned_in(s.parts->body)) assigned_.insert(slot);
  const Outlines before = outlines_;
  Statements body = block(s.parts->body);
  outlines_ = common(outlines_, before);
  if (outlines_.size() < before.size()) body = block(s.parts->body);
  outlines_ = common(outlines_, before);
  return body;
}

namespace {

// Does a break or a return lead out of it?
bool has_exit(const std::vector<const Node*>& body, bool counts_breaks = true) {
  return std::ranges::any_of(body, [&](const Node* s) {
    if (s->kind == NodeKind::return_ || (counts_breaks && s->kind == NodeKind::break_)) return true;
    const bool is_loop = s->kind == NodeKind::for_loop || s->kind == NodeKind::while_loop;
    return s->parts && (has_exit(s->parts->body, counts_breaks && !is_loop) ||
                        has_exit(s->parts->otherwise, counts_breaks && !is_loop));
  });
}

}  // namespace

std::unique_ptr<Statement> Specializer::while_loop(const Node& s) {
  if (!s.parts->otherwise.empty()) fail(s, "Triton has no else of a loop", "write it behind the loop");
  ++loops_;
  for (const std::size_t slot : assigned_in(s.parts->body)) assigned_.insert(slot);
  auto test = expression(s.child(0));
  const auto truth = test->constant() ? truth_of(*test->constant()) : std::nullopt;
  if (truth && *truth && !has_exit(s.parts->body))
    fail(s, fmt::format("this loop never ends: its condition is {}", text_of(*test->constant())),
         "ask for something that the loop changes");
  ++run_time_loops_;
  Statements body = truth && !*truth ? Statements() : loop_body(s);
  --run_time_loops_;
  --loops_;
  if (truth && !*truth) return nullptr;
  return std::make_unique<WhileLoop>(place(s), std::move(test), std::move(body), assigned_in(s.parts->body));
}

std::unique_ptr<Statement> Specializer::for_loop(const Node& s) {
  if (!s.parts->otherwise.empty()) fail(s, "Triton has no else of a loop", "write it behind the loop");
  const Node& iterable = s.child(1);
  ForLoop::Bounds bounds;
  std::unique_ptr<Expression> all;
  std::string kind;
  if (iterable.kind == NodeKind::call) {
    const Value callee = constant(iterable.child(0));
    if (callee.callable() && callee.callable()->kind == Callable::Kind::host) kind = callee.callable()->name;
  }
  if (kind == "range" || kind == "static_range") {
    bounds.is_static = kind == "static_range";
    bounds.place = place(iterable);
    std::unique_ptr<Expression>* const by_place[] = {&bounds.arg1, &bounds.arg2, &bounds.step};
    std::size_t next = 0;
    for (CallArgument& a : arguments(iterable)) {
      if (a.name.empty() && next < 3) *by_place[next++] = std::move(a.value);
      else if (a.name == "start" || a.name == "arg1") bounds.arg1 = std::move(a.value);
      else if (a.name == "end" || a.name == "arg2") bounds.arg2 = std::move(a.value);
      else if (a.name == "step") bounds.step = std::move(a.value);
      else if (a.name == "num_stages") bounds.num_stages = std::move(a.value);
      else if (a.name.empty() ||
               !std::ranges::count(std::to_array<std::string_view>({"loop_unroll_factor", "disallow_acc_multi_buffer",
                                                                    "flatten", "warp_specialize", "disable_licm"}),
                                   a.name))
        fail(iterable, fmt::format("{} has no parameter {}", kind, a.name.empty() ? "4" : a.name),
             "range(start, end, step)");
    }
    if (!bounds.arg1) fail(iterable, fmt::format("{} of nothing", kind), "range(start, end, step)");
    if (bounds.is_static) check_static(iterable, bounds);
  } else {
    all = expression(iterable);
  }
  ++loops_;
  Target to = target(s.child(0));
  const bool is_unrolled = all || bounds.is_static;
  run_time_loops_ += !is_unrolled;
  Statements body = loop_body(s);
  run_time_loops_ -= !is_unrolled;
  --loops_;
  if (all) return std::make_unique<ForLoop>(place(s), std::move(to), std::move(all), std::move(body));
  return std::make_unique<ForLoop>(place(s), std::move(to), std::move(bounds), std::move(body),
                                   assigned_in(s.parts->body));
}

// Where its bounds are known, they are checked before the run.
void Specializer::check_static(const Node& n, const ForLoop::Bounds& b) {
  const auto number = [](const Expression* e, long long otherwise) -> std::optional<long long> {
    if (!e) return otherwise;
    const Value* const v = e->constant();
    return v && v->data.is<cpu::Constant>() ? std::optional(v->data.as<cpu::Constant>().value) : std::nullopt;
  };
  for (const auto* e : {&b.arg1, &b.arg2, &b.step})
    if (*e && (*e)->constant() && (*e)->constant()->is_strong)
      remark(n, "tl.static_range takes constexprs in Triton, and a variable is not one",
             "annotate it: n: tl.constexpr = 4");
  const auto begin = number(b.arg2 ? b.arg1.get() : nullptr, 0), end = number((b.arg2 ? b.arg2 : b.arg1).get(), 0),
             step = number(b.step.get(), 1);
  if (!begin || !end || !step) return;
  try {
    check_unrolled(*begin, *end, *step);
  } catch (const Error& e) {
    fail(n, e.what(), e.fix);
  }
}

Target Specializer::target(const Node& n) {
  Target made{0, {}, place(n)};
  if (const auto field = field_variable(n)) {
    made.slot = slot(*field);
  } else if (n.kind == NodeKind::name) {
    made.slot = slot(n.text);
    assigned_.insert(made.slot);
    given_.insert(made.slot);
    outlines_.erase(made.slot);
  } else if (n.kind == NodeKind::tuple || n.kind == NodeKind::list) {
    for (const Node* element : n.children) made.elements.push_back(target(*element));
  } else {
    fail(n, "Triton assigns to variables alone", "tl.store(ptr, value) writes to memory");
  }
  return made;
}

// A tuple's methods are found by its class, whoever assigned it last.
void Specializer::learn_outline(const Node& target, const Value* parts) {
  const bool is_tuple = parts && parts->data.is<cpu::Tuple>();
  if (target.kind == NodeKind::tuple || target.kind == NodeKind::list) {
    const bool fits = is_tuple && parts->data.as<cpu::Tuple>()->size() == target.children.size();
    for (std::size_t i = 0; i < target.children.size(); ++i) {
      const Value element = fits ? Value((*parts->data.as<cpu::Tuple>())[i]) : Value();
      learn_outline(target.child(i), &element);
    }
  } else if (target.kind == NodeKind::name && is_tuple) {
    outlines_[slot(target.text)] = outline_of(parts->data);
  }
}

// A variable that is assigned once, on every path, keeps that value.
void Specializer::learn(const Node& target, const Expression& value, bool is_weak) {
  learn_outline(target, value.parts());
  const std::string_view name = field_variable(target).value_or(target.text);
  const bool is_variable = target.kind == NodeKind::name || field_variable(target);
  if (!is_variable || loops_ > 0 || branches_ > 0 || assignments_[name] != 1 || !value.parts()) return;
  known_[slot(name)] = assigned(*value.parts(), is_weak);
}

std::unique_ptr<Statement> Specializer::assignment(const Node& s) {
  if (s.kind == NodeKind::augmented) {
    if (s.child(0).kind != NodeKind::name) target(s.child(0));  // refused
    auto value = infix(s, sign_of(s.text), expression(s.child(0)), expression(s.child(1)));
    std::vector<Target> targets;
    targets.push_back(target(s.child(0)));
    return std::make_unique<Assignment>(place(s), std::move(targets), std::move(value), false);
  }
  const bool is_annotated = s.kind == NodeKind::annotated;
  if (is_annotated && !s.children[2]) return nullptr;
  const Node& value_node = *s.children.back();
  auto value = expression(value_node);
  bool is_weak = false;
  if (is_annotated) {
    ParameterNode as_parameter;
    as_parameter.annotation = s.children[1];
    is_weak = is_constexpr(as_parameter);
  }
  if (is_weak && s.child(0).kind == NodeKind::name) remark_constexpr(s);
  std::vector<Target> targets;
  const std::size_t count = is_annotated ? 1 : s.children.size() - 1;
  for (std::size_t i = 0; i < count; ++i) {
    targets.push_back(target(s.child(i)));
    learn(s.child(i), *value, is_weak);
  }
  return std::make_unique<Assignment>(place(s), std::move(targets), std::move(value), is_weak);
}

}  // namespace tl::triton
