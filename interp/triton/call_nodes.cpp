// Calls: of the language's ops, of Python's functions, of a combine function.
#include <fmt/format.h>

#include <algorithm>

#include "interp/cpu/state.h"
#include "interp/lang/text.h"
#include "interp/triton/expression_nodes.h"

namespace tl::triton {

using namespace cpu;

namespace {

constexpr std::size_t most_parameters = 12;

// The values of an op's parameters, none of them given yet.
class OpArguments {
 public:
  explicit OpArguments(std::size_t count) : count_(count) { std::uninitialized_default_construct_n(values(), count); }
  ~OpArguments() { std::destroy_n(values(), count_); }
  OpArguments(const OpArguments&) = delete;
  std::span<AnyValue> all() { return {values(), count_}; }

 private:
  AnyValue* values() { return reinterpret_cast<AnyValue*>(bytes_); }
  alignas(AnyValue) std::byte bytes_[most_parameters * sizeof(AnyValue)];
  std::size_t count_;
};

}  // namespace

// Beside blocks its dtype may decide that of the result: tl.maximum(x_f16, half).
bool strengthens(const cpu::Function& op) {
  const auto found = op_of(op.name);
  const OpFamily family = found ? family_of(*found) : OpFamily::arithmetic;
  return family == OpFamily::arithmetic || family == OpFamily::select || family == OpFamily::math;
}

// By the positions of the op's parameters, where all is known before the walk.
void OpCall::place_arguments() {
  std::size_t next = 0;
  for (const CallArgument& a : arguments_) {
    std::size_t at = next;
    if (a.name.empty()) ++next;
    else
      at = static_cast<std::size_t>(std::ranges::find(op_->parameters, a.name, &Parameter::name) -
                                    op_->parameters.begin());
    const bool fits = !a.is_starred && at < op_->parameters.size() && !op_->parameters[at].is_rest &&
                      !std::ranges::count(parameters_, at);
    if (!fits) return parameters_.clear();
    parameters_.push_back(at);
  }
  for (std::size_t i = 0; i < op_->parameters.size(); ++i)
    if (op_->parameters[i].is_required && !op_->parameters[i].is_rest && !std::ranges::count(parameters_, i))
      return parameters_.clear();
}

bool OpCall::takes_addend(std::unique_ptr<Expression>& addend, const cpu::Place* sum) {
  // By a, b and their rounding alone: an accumulator, another dtype of the result and fp8's sums of 13 bits stay
  // as they stand in the text.
  const auto is_operand = [](const Parameter& p) {
    return p.name == "input" || p.name == "other" || p.name == "input_precision" || p.name == "allow_tf32";
  };
  if (!op_ || op_->name != "dot" || parameters_.empty() || addend_) return false;
  for (const std::size_t at : parameters_)
    if (!is_operand(op_->parameters[at])) return false;
  addend_ = std::move(addend);
  sum_ = sum;
  return true;
}

// What tl.dot(a, b) is added to in place, as Triton's compiler has it: a block of the dot's dtype and shape.
bool is_accumulator(const AnyValue& x, const AnyValue& a, const AnyValue& b) {
  if (!x.is<Block>() || !a.is<Block>() || !b.is<Block>()) return false;
  const cpu::Value &to = *x.as<Block>().data(), &left = *a.as<Block>().data(), &right = *b.as<Block>().data();
  const DType dtype = left.dtype;
  const bool is_float = dtype == DType::float16 || dtype == DType::bfloat16 || dtype == DType::float32;
  if (!is_float && dtype != DType::int8) return false;
  if (to.dtype != (is_float ? DType::float32 : DType::int32)) return false;
  const int rank = left.rank;
  if (rank < 2 || right.rank != rank || to.rank != rank) return false;
  return std::equal(left.dims, left.dims + rank - 1, to.dims) && right.dims[rank - 1] == to.dims[rank - 1];
}

triton::Value OpCall::called(Frame& frame, const cpu::Function& op, const triton::Value* self) const {
  std::vector<AnyValue> positional;
  std::vector<NamedValue> named;
  if (self) positional.push_back(self->data);
  for (std::size_t i = self ? 1 : 0; i < arguments_.size(); ++i) {
    const CallArgument& a = arguments_[i];
    triton::Value v = a.value->value(frame);
    if (!a.is_starred && a.name.empty()) positional.push_back(std::move(v.data));
    else if (!a.is_starred) named.push_back({a.name, std::move(v.data)});
    else if (v.data.is<Tuple>())
      positional.insert(positional.end(), v.data.as<Tuple>()->begin(), v.data.as<Tuple>()->end());
    else fail(frame, place, fmt::format("* of {}", text_of(v)), "* spreads a tuple");
  }
  std::vector<AnyValue> values = bind(frame.tl, op, std::move(positional), std::move(named), location());
  if (frame.course.refusals) [[unlikely]]
    note_op(*frame.course.refusals, op, values, place);
  return cpu::call(frame.tl, op, values, location());
}

triton::Value OpCall::value(Frame& frame) const {
  const cpu::Function* op = op_;
  triton::Value made_self;
  const triton::Value* self = nullptr;  // of a method
  if (!method_.empty()) {
    self = &arguments_[0].value->look(frame, made_self);
    const bool is_tile = self->data.is<std::shared_ptr<const Descriptor>>();
    if (is_tile || !op) {
      op = method_called(self->data, method_);
      if (!op)
        fail(frame, place, fmt::format("{} has no {}", text_of(*self), method_),
             "ops are functions of tl: tl.sum(x, 0)");
      return called(frame, *op, self);
    }
  }
  if (parameters_.empty() || op->parameters.size() > most_parameters) return called(frame, *op, self);
  OpArguments values(op->parameters.size());
  const std::span<AnyValue> given = values.all();
  unsigned strong = 0;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    triton::Value made;
    const triton::Value& v = i == 0 && self ? *self : arguments_[i].value->look(frame, made);
    if (v.callable()) fail(frame, place, fmt::format("tl.{} takes no functions", op->name), "pass blocks and numbers");
    if (&v == &made) given[parameters_[i]] = std::move(made.data);
    else given[parameters_[i]] = v.data;
    if (v.is_strong) strong |= 1u << parameters_[i];
  }
  if (strong && strengthens(*op))
    for (std::size_t i = 0; i < given.size(); ++i)
      if (strong >> i & 1) given[i] = scalar_of(frame.tl, given[i], location());
  if (frame.course.refusals) [[unlikely]]
    note_op(*frame.course.refusals, *op, given, place);
  if (!addend_) return cpu::call(frame.tl, *op, given, location());
  triton::Value addend = addend_->value(frame);
  if (!is_accumulator(addend.data, given[0], given[1]))
    return infix(frame, Sign::add, addend, cpu::call(frame.tl, *op, given, location()), sum_);
  given[2] = std::move(addend.data);
  return cpu::call(frame.tl, *op, given, location());
}

// print(f'pid = {pid}'), print('x', x), print_if(f'..', '=0'), breakpoint_if('=0')
triton::Value HostCall::printed(Frame& frame, const std::vector<triton::Value>& values) const {
  std::string text;
  std::vector<AnyValue> shown;
  std::string condition;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const AnyValue& v = values[i].data;
    if (i == 1 && name_ == "print_if" && v.is<TextConstant>()) {
      condition = v.as<TextConstant>().value;
      continue;
    }
    if (i > 0) text += ' ';
    if (v.is<TextConstant>()) {
      text += v.as<TextConstant>().value;
    } else if (v.is<Tuple>() && !v.as<Tuple>()->empty() && v.as<Tuple>()->front().is<TextConstant>()) {
      text += v.as<Tuple>()->front().as<TextConstant>().value;
      shown.insert(shown.end(), v.as<Tuple>()->begin() + 1, v.as<Tuple>()->end());
    } else {
      text += "{}";
      shown.push_back(v);
    }
  }
  AtRunTime::print_if(frame.tl, kept_text(text), kept_text(condition), shown, location());
  return AnyValue(None{});
}

triton::Value HostCall::value(Frame& frame) const {
  std::vector<triton::Value> values;
  for (const CallArgument& a : arguments_) values.push_back(a.value->value(frame));
  if (name_ == "print" || name_ == "print_if") return printed(frame, values);
  if (name_ == "breakpoint" || name_ == "breakpoint_if" || name_ == "set_trace") {
    const bool is_told = !values.empty() && values[0].data.is<TextConstant>();
    frame.tl.breakpoint_if(is_told ? values[0].data.as<TextConstant>().value : "", location());
    return AnyValue(None{});
  }
  if (name_ == "hasattr")
    return AnyValue(attribute_of(&frame.tl, values[0], values[1].data.as<TextConstant>().value, location()).is_known());
  if (auto v = triton::called(name_, values)) return std::move(*v);
  const bool is_extreme = (name_ == "min" || name_ == "max") && values.size() == 2;
  if (const cpu::Function* const op = function_called(is_extreme ? name_ + "imum" : name_); op && !values.empty()) {
    std::vector<AnyValue> all;
    for (const triton::Value& v : values) all.push_back(v.data);
    std::vector<AnyValue> bound = bind(frame.tl, *op, std::move(all), {}, location());
    return cpu::call(frame.tl, *op, bound, location());
  }
  std::string kinds;
  for (const triton::Value& v : values) kinds += (kinds.empty() ? "" : ", ") + text_of(v);
  fail(frame, place, fmt::format("{}({})", name_, kinds), "it is Python's function, of constants: ops begin with tl.");
}

triton::Value ComputedCall::computed(const Frame& frame, const std::vector<triton::Value>& values) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].is_constant() || arguments_[i].is_starred)
      fail(frame, place,
           fmt::format("{} is a function of constants, and an argument is {}", function_.name, text_of(values[i])),
           "pass constants");
    names.push_back(arguments_[i].name);
  }
  return (*function_.computed)(values, names);
}

triton::Value ComputedCall::value(Frame& frame) const {
  std::vector<triton::Value> values;
  for (const CallArgument& a : arguments_) values.push_back(a.value->value(frame));
  return computed(frame, values);
}

triton::Value Combine::value(Frame& frame) const {
  const auto combine = [this, &tl = frame.tl, &course = frame.course,
                        depth = frame.depth](std::span<const Block> blocks) {
    std::vector<triton::Value> arguments;
    for (const Block& b : blocks) arguments.emplace_back(AnyValue(b));
    triton::Value result;
    if (routine_) {
      result = triton::call(tl, *routine_, course, arguments, place, depth + 1);
    } else {
      std::vector<AnyValue> values(blocks.begin(), blocks.end());
      values = bind(tl, *op_, std::move(values), {}, location());
      result = cpu::call(tl, *op_, values, location());
    }
    std::vector<Block> all;
    const auto add = [&](const AnyValue& v) {
      if (v.is<Block>()) all.push_back(v.as<Block>());
      else if (v.is_number()) all.push_back(scalar_of(tl, v, location()));
    };
    if (result.data.is<Tuple>()) std::ranges::for_each(*result.data.as<Tuple>(), add);
    else add(result.data);
    return all;
  };
  return AnyValue(
      CombineFunction(std::make_shared<const std::function<std::vector<Block>(std::span<const Block>)>>(combine)));
}

}  // namespace tl::triton
