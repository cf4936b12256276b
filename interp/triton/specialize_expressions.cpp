// Expressions at a function's constants: those that are known are folded.
#include <fmt/format.h>

#include <algorithm>

#include "interp/lang/text.h"
#include "interp/triton/expression_nodes.h"
#include "interp/triton/specializer.h"

namespace tl::triton {

using cpu::AnyValue;
using cpu::Constant;

Value Specializer::constant(const Node& n) {
  try {
    const auto made = expression(n);
    return made->constant() ? *made->constant() : Value();
  } catch (const Error&) {
    if (routines_) throw;
    return {};  // of the host's, whatever it is
  }
}

Specializer::Made Specializer::known(const Node& n, Value v) const {
  return std::make_unique<Known>(place(n), std::move(v));
}

Expressions Specializer::all(const std::vector<const Node*>& nodes) {
  Expressions made;
  for (const Node* n : nodes) made.push_back(expression(*n));
  return made;
}

Specializer::Made Specializer::expression(const Node& n) {
  switch (n.kind) {
    case NodeKind::name: return name(n);
    case NodeKind::none: return known(n, AnyValue(cpu::None{}));
    case NodeKind::boolean: return known(n, AnyValue(n.integer != 0));
    case NodeKind::integer: return integer(n);
    case NodeKind::real: return known(n, AnyValue(n.real));
    case NodeKind::string: return known(n, AnyValue(cpu::kept_text(n.text)));
    case NodeKind::tuple:
    case NodeKind::list: return tuple(n);
    case NodeKind::binary: return infix(n, sign_of(n.text), expression(n.child(0)), expression(n.child(1)));
    case NodeKind::unary: {
      auto x = expression(n.child(0));
      if (x->constant())
        if (auto v = computed(n.text, *x->constant())) return known(n, std::move(*v));
      return std::make_unique<Prefix>(place(n), n.text, std::move(x));
    }
    case NodeKind::logical: return logical(n);
    case NodeKind::comparison: return comparison(n);
    case NodeKind::conditional: return conditional(n);
    case NodeKind::call: return call(n);
    case NodeKind::attribute: return attribute(n);
    case NodeKind::subscript: return subscript(n);
    case NodeKind::format: return format(n);
    case NodeKind::lambda: fail(n, "Triton has no lambda", "define a function with @triton.jit above it");
    case NodeKind::list_comprehension: return comprehension(n);
    case NodeKind::generator: fail(n, "Triton has no generators", "a list does the same: [f(x) for x in values]");
    case NodeKind::starred: fail(n, "* stands here without a call", "f(*values) spreads a tuple");
    default: fail(n, "Triton has no such expression", "Triton has numbers, texts, tuples, operators and calls");
  }
}

Specializer::Made Specializer::integer(const Node& n) {
  if (!has_64_bits(n))
    fail(n, fmt::format("{} needs more than 64 bits", n.text), "2**64 - 1 is the largest integer; 1e20 is a float");
  return unsigned_constant(n, n.integer);
}

// Beyond int64 it is a uint64, which Python's integers are not: a scalar of that dtype. At a file's margin its bits.
Specializer::Made Specializer::unsigned_constant(const Node& n, std::uint64_t bits) const {
  auto made = known(n, AnyValue(Constant(static_cast<long long>(bits))));
  if (bits >> 63 == 0 || !routines_) return made;
  std::vector<CallArgument> all;
  all.push_back({"", false, std::move(made)});
  all.push_back({"", false, known(n, AnyValue(cpu::ElementType{DType::uint64}))});
  return std::make_unique<OpCall>(place(n), cpu::function_called("cast"), "", std::move(all));
}

Specializer::Made Specializer::variable(const Node& n, std::size_t slot) const {
  const auto v = known_.find(slot);
  if (v != known_.end() && is_known_whole(v->second.data)) return known(n, v->second);
  const auto outline = outlines_.find(slot);
  const Value parts = v != known_.end() ? v->second : outline != outlines_.end() ? outline->second : Value();
  return std::make_unique<Variable>(place(n), slot, parts);
}

Specializer::Made Specializer::name(const Node& n) {
  const auto at = made_ ? slots_.find(n.text) : slots_.end();
  if (at != slots_.end() && assigned_.contains(at->second)) {
    return variable(n, at->second);
  }
  Value v = program_.global(module_, n.text);
  if (v.is_known()) {
    remark_global(n);
    return known(n, std::move(v));
  }
  if (at != slots_.end())
    fail(n, fmt::format("{} has no value yet", n.text), "assign to it before this, on a path that the constants take");
  if (const auto why = program_.why_unknown(module_, n.text)) fail(n, why->what(), why->fix);
  std::vector<std::string> names;
  for (const auto& [name, at] : slots_) names.emplace_back(name);
  for (const auto& [name, s] : module_.statements) names.push_back(name);
  for (const char* const word : {"True", "False", "None"}) names.emplace_back(word);
  if (n.text == "null" || n.text == "nullptr" || n.text == "nil")
    fail(n, fmt::format("there is no \"{}\" here", n.text), "Python has None");
  const std::string near = nearest(n.text, names);
  fail(n, fmt::format("there is no \"{}\" here", n.text),
       near.empty() ? "assign to it first, or import it" : fmt::format("did you mean {}?", near));
}

namespace {

// What 1 << 63 and its like are, whose highest bit int64 has no place for.
std::optional<std::uint64_t> sign_bit_shifted(const Value& x, const Value& by) {
  if (!x.data.is<Constant>() || !by.data.is<Constant>()) return std::nullopt;
  const long long a = x.data.as<Constant>().value, n = by.data.as<Constant>().value;
  if (a <= 0 || n < 0 || n > 63) return std::nullopt;
  const auto bits = static_cast<std::uint64_t>(a) << n;
  const bool is_whole = bits >> n == static_cast<std::uint64_t>(a);
  return is_whole && bits >> 63 ? std::optional(bits) : std::nullopt;
}

}  // namespace

Specializer::Made Specializer::infix(const Node& n, Sign sign, Made left, Made right) const {
  if (left->constant() && right->constant()) {
    if (const auto bits = sign == Sign::shl ? sign_bit_shifted(*left->constant(), *right->constant()) : std::nullopt)
      return unsigned_constant(n, *bits);
    try {
      if (auto v = computed(sign, *left->constant(), *right->constant())) return known(n, std::move(*v));
    } catch (const Error& e) {
      fail(n, e.what(), e.fix);
    }
  }
  if (sign == Sign::add)
    for (auto [dot, addend] : {std::pair(&right, &left), std::pair(&left, &right)})
      if (auto* const call = dynamic_cast<OpCall*>(dot->get()); call && call->takes_addend(*addend, place(n)))
        return std::move(*dot);
  return std::make_unique<Infix>(place(n), sign, std::move(left), std::move(right));
}

Specializer::Made Specializer::comparison(const Node& n) {
  auto left = expression(n.child(0));
  if (n.children.size() == 2)
    return infix(n, sign_of(n.child(1).text), std::move(left), expression(n.child(1).child(0)));
  remark(n, "Triton compares two values at a time", "write a < b and b < c");
  std::vector<Comparison::Link> links;
  for (std::size_t i = 1; i < n.children.size(); ++i)
    links.push_back({sign_of(n.child(i).text), expression(n.child(i).child(0)), place(n.child(i))});
  return std::make_unique<Comparison>(place(n), std::move(left), std::move(links));
}

// What follows a constant that decides is not even looked at: `x is not None and x.shape[0] > 1`.
Specializer::Made Specializer::logical(const Node& n) {
  Expressions operands;
  for (const Node* child : n.children) {
    auto x = expression(*child);
    const auto truth = x->constant() ? truth_of(*x->constant()) : std::nullopt;
    const bool decides = truth && *truth != (n.text == "and"), is_last = child == n.children.back();
    if (truth && !decides && !is_last) continue;
    operands.push_back(std::move(x));
    if (decides) break;
  }
  if (operands.size() == 1) return std::move(operands[0]);
  return std::make_unique<Logical>(place(n), n.text == "and", std::move(operands));
}

Specializer::Made Specializer::conditional(const Node& n) {
  auto test = expression(n.child(0));
  remark_condition(n, *test);
  if (const auto truth = test->constant() ? truth_of(*test->constant()) : std::nullopt)
    return expression(n.child(*truth ? 1 : 2));
  Expressions parts;
  parts.push_back(std::move(test));
  parts.push_back(expression(n.child(1)));
  parts.push_back(expression(n.child(2)));
  return std::make_unique<Conditional>(place(n), std::move(parts));
}

Specializer::Made Specializer::tuple(const Node& n) { return tuple_of(n, all(n.children)); }

Specializer::Made Specializer::tuple_of(const Node& n, Expressions elements) const {
  std::vector<AnyValue> values;
  for (const auto& e : elements)
    if (e->constant()) values.push_back(e->constant()->data);
  if (values.size() == elements.size()) return known(n, AnyValue(std::move(values)));
  return std::make_unique<TupleOf>(place(n), std::move(elements));
}

namespace {

// Of Triton's language, and not here: why.
struct Refused {
  std::string_view names;
  const char *fact, *fix;
};
constexpr Refused refused_names[] = {
    {"inline_asm_elementwise",
     "PTX is a GPU's assembler, and this runs on a CPU: tl.inline_asm_elementwise is not taken",
     "compose it of operators and ops, which work lane by lane; libdevice has what PTX has: byte_perm, float2int_rn"},
    {"jn yn", "Bessel functions of any order are not computed here", "libdevice has j0, j1, y0, y1"},
    {"globaltimer smid num_threads num_warps", "this asks the chip that runs it, and the interpreter is none",
     "pass it as an argument, or leave it out"},
};

const Refused* refused_name(std::string_view name) {
  for (const Refused& r : refused_names)
    for (std::size_t at = 0; at < r.names.size(); at = std::min(r.names.find(' ', at), r.names.size()) + 1)
      if (r.names.substr(at, r.names.find(' ', at) - at) == name) return &r;
  return nullptr;
}

}  // namespace

Specializer::Made Specializer::attribute(const Node& n) {
  if (const auto field = field_variable(n)) return variable(n, slot(*field));
  return attribute(n, expression(n.child(0)), n.text);
}

Specializer::Made Specializer::attribute(const Node& n, Made x, std::string_view name) {
  const Value* const base = x->constant();
  if (base && base->callable()) {
    Value v = program_.member(*base->callable(), name);
    if (v.is_known()) return known(n, std::move(v));
    const std::string near = nearest(name, cpu::function_names());
    const Callable& of = *base->callable();
    if ((of.kind == Callable::Kind::language && !of.name.starts_with("triton")) ||
        (of.module && of.module->unusable.contains(name)))
      fail(n,
           fmt::format("a kernel cannot use {}, which is Python's",
                       of.module ? fmt::format("{}.{}", of.name, name) : of.name),
           near.empty() ? "ops are functions of tl" : fmt::format("did you mean tl.{}?", near));
    if (const Refused* const refused = refused_name(name)) fail(n, refused->fact, refused->fix);
    fail(n, fmt::format("{} has no {}", of.name, name),
         near.empty() ? "interp/TRITON.md lists what there is" : fmt::format("did you mean {}?", near));
  }
  if (base) {
    Value v = attribute_of(nullptr, *base, name, {});
    if (v.is_known()) return known(n, std::move(v));
  }
  if (const auto at = x->parts() ? field_of(x->parts()->data, name) : std::nullopt)
    return element(n, std::move(x), known(n, AnyValue(*at)));
  if (const Definition* const method = method_of(*x, name); method && is_property(*method))
    return call_of_function(n, *method, std::move(x));
  return std::make_unique<Attribute>(place(n), std::move(x), std::string(name));
}

const Definition* Specializer::method_of(const Expression& x, std::string_view name) {
  const Value* const parts = x.parts();
  if (!parts || !parts->data.is<cpu::Tuple>() || !parts->data.as<cpu::Tuple>()->type) return nullptr;
  const auto& methods = parts->data.as<cpu::Tuple>()->type->record->methods;
  const auto found = methods.find(name);
  return found == methods.end() ? nullptr : found->second;
}

// As far as it is known before the walk.
bool Specializer::has_attribute(const Expression& x, std::string_view name) {
  const Value *const base = x.constant(), *const parts = x.parts();
  if (base && base->callable()) return program_.member(*base->callable(), name).is_known();
  return (parts && field_of(parts->data, name)) || (base && attribute_of(nullptr, *base, name, {}).is_known());
}

Specializer::Made Specializer::subscript(const Node& n) {
  const Node& index = n.child(1);
  const std::vector<const Node*> parts =
      index.kind == NodeKind::tuple ? index.children : std::vector<const Node*>{&index};
  const auto is_none = [](const Node* p) { return !p || p->kind == NodeKind::none; };
  std::vector<char> is_new;
  for (const Node* p : parts) {
    const bool is_all = p->kind == NodeKind::slice && std::ranges::all_of(p->children, is_none);
    if (is_all || is_none(p)) is_new.push_back(!is_all);
  }
  auto x = expression(n.child(0));
  if (x->constant() && x->constant()->callable())
    fail(n, fmt::format("{} has no elements", text_of(*x->constant())),
         "a kernel launches none: it calls functions, f(x), in its own program");
  if (is_new.size() == parts.size()) return std::make_unique<Sliced>(place(n), std::move(x), std::move(is_new));
  if (index.kind == NodeKind::slice && x->parts() && x->parts()->data.is<cpu::Tuple>())
    return slice_of_tuple(n, std::move(x));
  if (index.kind == NodeKind::slice || index.kind == NodeKind::tuple)
    fail(n, "a block has no slices but : and None", "x[:, None] adds an axis; tl.gather takes lanes by number");
  return element(n, std::move(x), expression(index));
}

// An element of a tuple.
Specializer::Made Specializer::element(const Node& n, Made x, Made index) const {
  const Value *const all = x->parts(), *const number = index->constant();
  Value v;
  if (all && number && all->data.is<cpu::Tuple>() && number->data.is<Constant>()) {
    const auto& values = *all->data.as<cpu::Tuple>();
    const long long count = static_cast<long long>(values.size()), i = number->data.as<Constant>().value;
    if (i >= -count && i < count) v = Value(values[static_cast<std::size_t>(i < 0 ? i + count : i)]);
  }
  if (is_known_whole(v.data)) return known(n, std::move(v));
  return std::make_unique<Indexed>(place(n), std::move(x), std::move(index), std::move(v));
}

// Each element of a tuple by itself, of which `x` is evaluated.
Expressions Specializer::elements_of(const Node& n, Made x) const {
  const std::size_t count = x->parts()->data.as<cpu::Tuple>()->size();
  const std::shared_ptr<const Expression> shared = std::move(x);
  Expressions all;
  for (std::size_t i = 0; i < count; ++i)
    all.push_back(element(n, std::make_unique<Shared>(shared), known(n, AnyValue(i))));
  return all;
}

// values[1:], values[::-1]
Specializer::Made Specializer::slice_of_tuple(const Node& n, Made x) {
  Expressions all = elements_of(n, std::move(x)), kept;
  const long long count = static_cast<long long>(all.size());
  const auto bound = [&](std::size_t i) -> std::optional<long long> {
    const Node* const child = n.child(1).child_if_any(i);
    if (!child || child->kind == NodeKind::none) return std::nullopt;
    const Value v = constant(*child);
    if (!v.data.is<Constant>()) fail(*child, "a slice of a tuple has constant bounds", "write numbers");
    return v.data.as<Constant>().value;
  };
  const long long step = bound(2).value_or(1);
  if (step == 0) fail(n, "a slice of step 0", "choose another step");
  const auto clamped = [&](std::optional<long long> at, long long otherwise) {
    if (!at) return otherwise;
    return std::clamp(*at < 0 ? *at + count : *at, step > 0 ? 0LL : -1LL, step > 0 ? count : count - 1);
  };
  const long long begin = clamped(bound(0), step > 0 ? 0 : count - 1), end = clamped(bound(1), step > 0 ? count : -1);
  for (long long i = begin; step > 0 ? i < end : i > end; i += step)
    kept.push_back(std::move(all[static_cast<std::size_t>(i)]));
  return std::make_unique<TupleOf>(place(n), std::move(kept));
}

// Its variable stays, as Triton has it.
Specializer::Made Specializer::comprehension(const Node& n) {
  const Node& clause = n.child(1);
  if (n.children.size() > 2) fail(n, "Triton has no nested comprehensions", "write a loop over tl.static_range");
  if (clause.children.size() > 2) fail(clause.child(2), "Triton has no conditions in comprehensions", "write a loop");
  auto all = expression(clause.child(1));
  ++loops_;
  Target to = target(clause.child(0));
  auto each = expression(n.child(0));
  --loops_;
  return std::make_unique<Comprehension>(place(n), std::move(to), std::move(all), std::move(each));
}

Specializer::Made Specializer::format(const Node& n) {
  std::string text;
  Expressions values;
  for (const Node* part : n.children) {
    if (part->kind == NodeKind::string) {
      text += part->text;
    } else {
      text += "{}";
      values.push_back(expression(part->child(0)));
    }
  }
  if (values.empty()) return known(n, AnyValue(cpu::kept_text(text)));
  return std::make_unique<Format>(place(n), std::move(text), std::move(values));
}

}  // namespace tl::triton
