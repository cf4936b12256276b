// Functions, their parameters and their variables.
#include "interp/triton/specialize.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interp/triton/expression_nodes.h"
#include "interp/triton/specializer.h"

namespace tl::triton {

namespace {

// Tells every constant from every other.
std::string key_of(const Value& v) {
  if (v.callable()) return fmt::format("{}", static_cast<const void*>(v.callable()));
  if (!v.data.is<cpu::Tuple>()) return v.is_known() ? cpu::text_of_kind(v.data) : "?";
  std::string all = fmt::format("{}(", static_cast<const void*>(v.data.as<cpu::Tuple>()->type));
  for (const char* name : v.data.as<cpu::Tuple>()->names) all += std::string(name) + " ";
  for (const cpu::AnyValue& x : *v.data.as<cpu::Tuple>()) all += key_of(Value(x)) + ",";
  return all + ")";
}

}  // namespace

cpu::AnyValue outline_of(const cpu::AnyValue& v) {
  if (!v.is<cpu::Tuple>()) return {};
  cpu::Elements all = *v.as<cpu::Tuple>();
  for (cpu::AnyValue& x : all) x = outline_of(x);
  return cpu::AnyValue(std::make_shared<const cpu::Elements>(std::move(all)));
}

Outlines common(const Outlines& some, const Outlines& others) {
  Outlines both;
  for (const auto& [slot, outline] : some)
    if (const auto other = others.find(slot); other != others.end() && key_of(outline) == key_of(other->second))
      both.emplace(slot, outline);
  return both;
}

const Routine& Specialized::routine(const Definition& d, const std::vector<Value>& constants, const Callable* makes) {
  std::string key = fmt::format("{} {}", static_cast<const void*>(d.node), static_cast<const void*>(makes));
  for (const Value& v : constants) key += (v.is_strong ? "|strong " : "|") + key_of(v);
  if (const auto made = routines_.find(key); made != routines_.end() && made->second) return *made->second;
  constexpr std::size_t most_depth = 100, most_routines = 10'000;
  const auto calls = std::ranges::find(under_way_, &d);
  if (routines_.contains(key) || (under_way_.size() >= most_depth && calls != under_way_.end())) {
    std::string through;
    for (auto at = calls; at != under_way_.end() && *at != nullptr; ++at)
      if (*at != &d && through.find((*at)->name()) == std::string::npos)
        through += (through.empty() ? ", by way of " : ", ") + (*at)->name();
    throw error_at(d.module->tree->source, d.node->span.begin, fmt::format("{} calls itself{}", d.name(), through),
                   "Triton has no recursion: write a loop");
  }
  if (under_way_.size() >= most_depth || routines_.size() >= most_routines)
    throw error_at(d.module->tree->source, d.node->span.begin,
                   fmt::format("the kernel's helpers call each other in more than {}",
                               under_way_.size() >= most_depth ? "100 levels" : "10,000 versions"),
                   "each set of constants makes another version of a helper: write a loop");
  routines_[key] = nullptr;  // being made
  under_way_.push_back(&d);
  auto made = Specializer(this, *program_, *d.module).routine(d, constants, makes);
  under_way_.pop_back();
  return *(routines_[key] = std::move(made));
}

const cpu::Place* Specialized::place(const Source& source, std::string_view function, Position at) {
  return &places_.emplace_back(cpu::Place{cpu::kept_text(source.file), cpu::kept_text(function),
                                          static_cast<unsigned>(at.line), static_cast<unsigned>(at.column)});
}

Value constant_of(Program& program, Module& module, const Node& expression) {
  return Specializer(nullptr, program, module).constant(expression);
}

void Specializer::fail(const Node& n, const std::string& fact, const std::string& fix) const {
  throw error_at(module_.tree->source, n.op, fact, fix);
}

const cpu::Place* Specializer::place(Position at) const {
  return routines_ ? routines_->place(module_.tree->source, function_, at) : nullptr;
}

std::unique_ptr<Routine> Specializer::routine(const Definition& d, const std::vector<Value>& constants,
                                              const Callable* makes) {
  auto made = std::make_unique<Routine>();
  makes_ = makes;
  if (makes && !d.parameters().empty()) self_ = d.parameters()[0].name;
  made_ = made.get();
  made->name = d.name();
  function_ = cpu::kept_text(made->name);
  made->place = place(d.node->span.begin);
  made->parameters = d.parameters().size();
  for (const ParameterNode& p : d.parameters()) {
    const std::size_t at = made->is_constexpr.size();
    const bool is_given_all =
        p.kind == ParameterKind::rest && at < constants.size() && constants[at].data.is<cpu::Tuple>();
    if ((p.kind == ParameterKind::rest && !is_given_all) || p.kind == ParameterKind::keywords)
      throw error_at(module_.tree->source, p.span.begin, fmt::format("*{} takes any number of arguments", p.name),
                     "name each parameter");
    assigned_.insert(slot(p.name));
    given_.insert(slot(p.name));
    made->is_constexpr.push_back(is_constexpr(p));
  }
  find_variables(d.node->parts->body);
  for (std::size_t i = 0; i < d.parameters().size(); ++i) {
    const ParameterNode& p = d.parameters()[i];
    const Value fallback = p.fallback ? Specializer(nullptr, program_, module_).constant(*p.fallback) : Value();
    if (p.fallback && !fallback.is_known())
      fail(*p.fallback, "a default that is no constant", "write a number, a text or None");
    made->fallbacks.push_back(p.fallback ? known(*p.fallback, fallback) : nullptr);
    Value v = i < constants.size() ? constants[i] : is_constexpr(p) ? fallback : Value();
    if (is_constexpr(p)) v.is_strong = false;
    if (v.is_known() && assignments_[p.name] == 0) known_[i] = v;
    if (v.data.is<cpu::Tuple>()) outlines_[i] = outline_of(v.data);
  }
  made->body = block(d.node->parts->body);
  remark_returns(*d.node, made->body);
  for (auto& r : remarks_) made->body.insert(made->body.begin(), std::move(r));
  if (makes_) {
    auto self = self_made(*d.node);
    made->result = outline_of(self->parts()->data);
    made->body.push_back(std::make_unique<Return>(made->place, std::move(self)));
  }
  return made;
}

std::size_t Specializer::slot(std::string_view name) {
  const auto [at, is_new] = slots_.try_emplace(name, made_->variables.size());
  if (is_new) made_->variables.push_back(cpu::kept_text(name));
  return at->second;
}

std::optional<std::string_view> Specializer::field_variable(const Node& n) const {
  if (!makes_ || n.kind != NodeKind::attribute || n.child(0).kind != NodeKind::name || n.child(0).text != self_)
    return std::nullopt;
  for (const Record::Field& f : makes_->record->fields)
    if (n.text == f.name) return cpu::kept_text(fmt::format("{}.{}", self_, n.text));
  return std::nullopt;
}

// What __init__ has given the fields.
Specializer::Made Specializer::self_made(const Node& n) {
  Expressions values;
  for (const Record::Field& f : makes_->record->fields) {
    const auto at = slots_.find(fmt::format("{}.{}", self_, f.name));
    if (at == slots_.end()) fail(n, fmt::format("__init__ gives {} no value", f.name), "assign to it");
    const auto v = known_.find(at->second);
    values.push_back(std::make_unique<Variable>(place(n), at->second, v != known_.end() ? v->second : Value()));
  }
  return std::make_unique<TupleOf>(place(n), std::move(values), makes_->record->names(), makes_);
}

void Specializer::find_targets(const Node& target) {
  if (const auto field = field_variable(target)) {
    slot(*field);
    ++assignments_[*field];
  } else if (target.kind == NodeKind::name) {
    slot(target.text);
    ++assignments_[target.text];
  } else if (target.kind == NodeKind::tuple || target.kind == NodeKind::list) {
    for (const Node* element : target.children) find_targets(*element);
  }
}

// Those of [f(x) for x in values].
void Specializer::find_comprehensions(const Node* n) {
  if (!n) return;
  if (n->kind == NodeKind::clause) find_targets(n->child(0));
  for (const Node* child : n->children) find_comprehensions(child);
}

void Specializer::find_variables(const std::vector<const Node*>& body) {
  for (const Node* s : body) {
    if (s->kind == NodeKind::assign)
      for (std::size_t i = 0; i + 1 < s->children.size(); ++i) find_targets(s->child(i));
    for (const Node* e : s->children) find_comprehensions(e);
    if (s->kind == NodeKind::augmented || s->kind == NodeKind::annotated || s->kind == NodeKind::for_loop)
      find_targets(s->child(0));
    if (!s->parts || s->kind == NodeKind::function || s->kind == NodeKind::class_) continue;
    find_variables(s->parts->body);
    find_variables(s->parts->otherwise);
  }
}

// For a loop's body: its variables are tensors.
std::vector<std::size_t> Specializer::assigned_in(const std::vector<const Node*>& body) {
  std::map<std::string_view, int> outside;
  std::swap(outside, assignments_);
  find_variables(body);
  std::swap(outside, assignments_);
  std::vector<std::size_t> slots;
  for (const auto& [name, count] : outside) slots.push_back(slots_.at(name));
  return slots;
}

}  // namespace tl::triton
