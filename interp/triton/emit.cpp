// A kernel's functor, its helpers, and the types that they are written for.
#include "interp/triton/emit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interp/cpu/arguments.h"
#include "interp/triton/arguments.h"
#include "interp/triton/emission.h"

namespace tl::triton {

using cpu::AnyValue;
using cpu::Block;
using cpu::Pointer;

namespace {

// Tells types and constants apart.
std::string type_key(const Value& v) {
  if (v.callable()) return fmt::format("{}", static_cast<const void*>(v.callable()));
  std::string key = (v.is_strong ? "strong " : "") + cpu::text_of_kind(v.data);
  if (const auto* t = v.data.get_if<cpu::Tuple>()) {
    key += fmt::format("{}(", static_cast<const void*>((*t)->type));
    for (const char* name : (*t)->names) key += std::string(name) + " ";
    for (const AnyValue& x : **t) key += type_key(Value(x)) + ",";
    return key + ")";
  }
  if (const auto* p = v.data.get_if<std::shared_ptr<const cpu::BlockPointer>>())
    key += fmt::format(" {} {}", name_of((*p)->dtype.value),
                       fmt::join(std::span((*p)->block, static_cast<std::size_t>((*p)->rank)), ","));
  if (const auto* d = v.data.get_if<std::shared_ptr<const cpu::Descriptor>>())
    key += fmt::format(" {} {}", name_of((*d)->dtype.value), fmt::join((*d)->tile(), ","));
  return key;
}

const char* concept_of(char kind) {
  return kind == 't'   ? "ptr"
         : kind == 'd' ? "descriptor"
         : kind == 'i' ? "int_"
         : kind == 'f' ? "float_"
                       : "constexpr_";
}

// An address leads to a tensor that no argument is: one of each dtype.
std::vector<Tensor> behind_addresses() {
  std::vector<Tensor> all;
  for (int t = 0; t < dtype_count; ++t) all.push_back(make_tensor("", static_cast<DType>(t), {1}));
  return all;
}

}  // namespace

Emitter::Emitter(const EmitRequest& request, const CppStyle& style)
    : request_(request),
      style_(style),
      launch_{.kernel = request.routine.name,
              .source = request.kernel.module->tree->source.file,
              .grid = {},
              .options = {},
              .arguments = request.arguments,
              .reached = behind_addresses()},
      types_(launch_),
      tl_(types_.begin()),
      parameters_(request.arguments.size()) {}

Value Emitter::scalar(DType t) {
  return AnyValue(Block(cpu::absent_source({tl_.state(), Op::load, {}}, -1, t, 0, nullptr).release()));
}

Value Emitter::without_lanes(const Value& v) {
  const auto absent = [&](const cpu::Handle& h) {
    const cpu::Value& d = cpu::value_of(h);
    cpu::Ref r = cpu::absent_source({tl_.state(), Op::load, {}}, d.tensor, d.dtype, d.rank, d.dims);
    r->is_pointer = d.is_pointer;
    r->tensor = d.tensor;
    return r;
  };
  if (v.data.is<Block>()) return AnyValue(Block(absent(v.data.as<Block>()).release()));
  if (v.data.is<Pointer>()) return AnyValue(Pointer(absent(v.data.as<Pointer>()).release()));
  if (!v.data.is<cpu::Tuple>()) return v;
  cpu::Elements all = *v.data.as<cpu::Tuple>();
  for (AnyValue& x : all) x = without_lanes(Value(x)).data;
  return AnyValue(std::make_shared<const cpu::Elements>(std::move(all)));
}

CompileError Emitter::error_at(const Fault& f) const {
  const Source& source = request_.kernel.module->tree->source;
  if (source.file == f.site.file) return triton::error_at(source, {f.site.line, f.site.column}, f.headline, f.fix);
  return CompileError(fmt::format("{}:{}:{}: {}", f.site.file, f.site.line, f.site.column, f.headline), f.fix);
}

std::size_t Emitter::helper(const Routine& routine, const std::vector<Value>& arguments, int depth) {
  std::string key = fmt::format("{}", static_cast<const void*>(&routine));
  for (const Value& v : arguments) key += "|" + type_key(v);
  if (const auto at = numbers_.find(key); at != numbers_.end()) return at->second;
  const std::string base = cpp_name(routine.name);
  std::string name = base;
  for (int i = 1; names.contains(name); ++i) name = fmt::format("{}_{}", base, i);
  names.insert(name);
  Emission e(*this, routine, false, depth);
  std::vector<Term> given;
  for (const Value& v : arguments) given.push_back(with_elements(without_lanes(v)));
  Written made = e.function(name, std::move(given), "", 0);
  written_.push_back(std::make_unique<Written>(std::move(made)));
  return numbers_[key] = written_.size() - 1;
}

Term Emitter::parameter_of(const Given& g) {
  if (const auto* known = std::get_if<Value>(&g.is)) return with_elements(*known);
  if (const auto* number = std::get_if<std::size_t>(&g.is)) {
    int tensors = 0;
    for (std::size_t i = 0; i < *number; ++i)
      tensors += kind_of(request_.arguments[i]) == 't' || kind_of(request_.arguments[i]) == 'd';
    const Argument& a = request_.arguments[*number];
    const Value known = constant_of(a), v = known.is_known() ? known : bound(tl_, a, tensors);
    if (v.is_constant()) return {v, ""};
    return {without_lanes(v), parameters_[*number]};
  }
  cpu::Elements all({});
  Term t;
  for (const Given& element : std::get<std::vector<Given>>(g.is)) {
    t.elements.push_back(parameter_of(element));
    all.push_back(t.elements.back().value.data);
  }
  all.names = g.names;
  t.value = AnyValue(std::make_shared<const cpu::Elements>(std::move(all)));
  return t;
}

// The text is right for its constants and dtypes alone, and says so.
std::string Emitter::checks() const {
  std::string all, reals;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Argument& a = request_.arguments[i];
    const std::string& name = parameters_[i];
    Level level = Level::whole;
    const auto add = [&](const std::string& condition) {
      all += (all.empty()                                                  ? ""
              : all.size() - (all.rfind('\n') + 1) + condition.size() > 90 ? " &&\n        "
                                                                           : " && ") +
             condition;
    };
    const auto* const c = std::get_if<ConstantArgument>(&a);
    const auto* const t = std::get_if<TensorArgument>(&a);
    if (c && c->is_bool) add((c->value ? "" : "!") + name);
    else if (const auto* r = std::get_if<RealConstantArgument>(&a))
      reals += fmt::format("\n    tl.device_assert({} == {}, \"translated for this {}\");", name,
                           text_of_constant(AnyValue(r->value), level), name);
    else if (c || std::holds_alternative<DtypeConstantArgument>(a))
      add(fmt::format("{} == {}", name, operand({constant_of(a), ""})));
    else if (const auto* s = std::get_if<TextConstantArgument>(&a))
      add(fmt::format("{} == {}_c", name, string_literal(s->value)));
    else if (t && !t->tensor.is_none) add(fmt::format("{}.dtype == {}", name, dtype_text(t->tensor.dtype)));
    else if (const auto* d = std::get_if<DescriptorArgument>(&a))
      add(fmt::format("{}.dtype == {}", name, dtype_text(d->tensor.dtype)));
  }
  if (all.empty()) return reals;
  return fmt::format(
      "\n    tl.static_check({},\n                    \"translate {} again for other constants or dtypes\");{}", all,
      launch_.source, reals);
}

CppText Emitter::made() {
  const std::string functor = cpp_name(request_.routine.name);
  names.insert(functor);
  // An argument has the name of its parameter, or of its place in a tuple.
  const std::function<void(const Given&, const std::string&)> name_arguments = [&](const Given& g,
                                                                                   const std::string& name) {
    if (const auto* number = std::get_if<std::size_t>(&g.is)) parameters_[*number] = name;
    if (const auto* elements = std::get_if<std::vector<Given>>(&g.is))
      for (std::size_t i = 0; i < elements->size(); ++i) name_arguments((*elements)[i], fmt::format("{}_{}", name, i));
  };
  const auto& declared = request_.kernel.parameters();
  for (std::size_t i = 0; i < request_.given.size(); ++i) name_arguments(request_.given[i], cpp_name(declared[i].name));
  std::string parameters = "auto& tl";
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].empty()) parameters_[i] = fmt::format("argument_{}", i);
    const std::string next = fmt::format("{} auto {}", concept_of(kind_of(request_.arguments[i])), parameters_[i]);
    constexpr std::size_t most_columns = 120;
    if (parameters.size() - (parameters.rfind('\n') + 1) + next.size() + 12 > most_columns)
      parameters += ",\n" + std::string(18, ' ') + next;
    else parameters += ", " + next;
  }
  Emission e(*this, request_.routine, true, 0);
  for (const std::string& name : parameters_) e.take_name(name);
  std::vector<Term> given;
  for (const Given& g : request_.given) given.push_back(parameter_of(g));
  for (std::size_t i = given.size(); i < request_.routine.parameters; ++i)
    given.push_back(with_elements(*request_.routine.fallbacks[i]->constant()));
  const Written kernel =
      e.function(functor, std::move(given),
                 fmt::format("void operator()({}) const {{{}", parameters, style_.has_lines ? "" : checks()), 1);
  std::string helpers;
  std::set<std::size_t> wanted;
  const std::function<void(const Written&)> want = [&](const Written& w) {
    for (const std::size_t call : w.calls)
      if (wanted.insert(call).second) want(*written_[call]);
  };
  want(kernel);
  for (const std::size_t number : wanted) helpers += written_[number]->text + "\n";
  CppText made;
  made.functor = style_.name_space + "::" + functor;
  made.text = fmt::format(
      "#pragma once\n#include \"interp/tl.h\"\n\nnamespace {} {{\n\n{}struct {} {{\n{}}};\n\n}}  // namespace {}\n",
      style_.name_space, helpers, functor, kernel.text, style_.name_space);
  return made;
}

CppText emitted(const EmitRequest& request, const CppStyle& style) { return Emitter(request, style).made(); }

}  // namespace tl::triton
