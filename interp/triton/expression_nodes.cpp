#include "interp/triton/expression_nodes.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/cpu/state.h"
#include "interp/lang/text.h"

namespace tl::triton {

using namespace cpu;

const triton::Value& Variable::look(Frame& frame, triton::Value&) const {
  const triton::Value& v = frame.variables[slot_];
  if (!v.is_known())
    fail(frame, place, fmt::format("{} has no value here", frame.routine.variables[slot_]),
         "assign to it on every path that leads here");
  if (frame.course.refusals && frame.hidden[slot_]) [[unlikely]]
    frame.course.refusals->add(
        place,
        fmt::format("{} is first assigned inside the if or loop of line {}, and Triton does not know it after that",
                    frame.routine.variables[slot_], frame.hidden[slot_]->line),
        "assign to it before, or in both branches");
  return v;
}
triton::Value Variable::value(Frame& frame) const {
  triton::Value none;
  return look(frame, none);
}

triton::Value Infix::value(Frame& frame) const {
  triton::Value a, b;
  const triton::Value& x = left_->look(frame, a);
  return infix(frame, sign_, x, right_->look(frame, b), place);
}

triton::Value Prefix::value(Frame& frame) const {
  triton::Value made;
  const triton::Value& x = x_->look(frame, made);
  if (x.data.is<Block>() && sign_ == "+") return x;
  if (x.data.is<Block>())
    return prefix(frame.tl, sign_ == "-" ? Op::neg : sign_ == "~" ? Op::bit_not : Op::logical_not, x.data, location());
  if (auto v = computed(sign_, x)) return std::move(*v);
  fail(frame, place, fmt::format("no operator {} takes {}", sign_, text_of(x)), "operators take blocks and numbers");
}

namespace {

// x != 0, where it is no mask yet.
triton::Value mask_of(Frame& frame, const triton::Value& x, const Place* place) {
  if (!x.data.is<Block>() || x.data.as<Block>().dtype.value == DType::int1) return x;
  return infix(frame, Sign::ne, x, AnyValue(0), place);
}

}  // namespace

triton::Value Comparison::value(Frame& frame) const {
  triton::Value left = left_->value(frame), all;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    triton::Value right = links_[i].right->value(frame);
    triton::Value holds = infix(frame, links_[i].sign, left, right, links_[i].place);
    all = i == 0 ? std::move(holds) : infix(frame, Sign::bit_and, all, holds, links_[i].place);
    left = std::move(right);
  }
  return all;
}

triton::Value Logical::value(Frame& frame) const {
  triton::Value all = operands_[0]->value(frame);
  for (std::size_t i = 1; i < operands_.size(); ++i) {
    if (const auto known = truth_of(all)) {
      if (*known != is_and_) return all;
      all = operands_[i]->value(frame);
      continue;
    }
    const triton::Value next = operands_[i]->value(frame);
    all = infix(frame, is_and_ ? Sign::bit_and : Sign::bit_or, mask_of(frame, all, place), mask_of(frame, next, place),
                place);
  }
  return all;
}

// Two numbers; of other values only the side that is chosen is computed.
void Conditional::compare_types(Frame& frame) const {
  const triton::Value *const yes = parts_[1]->constant(), *const no = parts_[2]->constant();
  if (!yes || !no || !yes->data.is_number() || !no->data.is_number()) return;
  if (yes->data.is<RealConstant>() == no->data.is<RealConstant>()) return;
  frame.course.refusals->add(place, "one side is an integer and the other a float: Triton wants one type",
                             "write both as floats: 1.0 if condition else 0.5");
}

triton::Value Conditional::value(Frame& frame) const {
  triton::Value made;
  const triton::Value& test = parts_[0]->look(frame, made);
  if (frame.course.refusals && is_run_time(test)) [[unlikely]]
    compare_types(frame);
  triton::Value v = parts_[truth(test, frame, place) ? 1 : 2]->value(frame);
  return test.data.is<Block>() ? assigned(std::move(v), false) : v;  // Triton makes a tensor of a number then
}

TupleOf::TupleOf(const Place* p, Expressions elements, std::vector<const char*> names, const Callable* type)
    : Expression(p), elements_(std::move(elements)), names_(std::move(names)), type_(type) {
  Elements known({});
  for (const auto& e : elements_) known.push_back(e->parts() ? e->parts()->data : AnyValue());
  known.names = names_;
  known.type = type_;
  parts_ = AnyValue(std::make_shared<const Elements>(std::move(known)));
}

triton::Value TupleOf::value(Frame& frame) const {
  Elements all({});
  for (const auto& e : elements_) all.push_back(e->value(frame).data);
  all.names = names_;
  all.type = type_;
  return AnyValue(std::make_shared<const Elements>(std::move(all)));
}

triton::Value Comprehension::value(Frame& frame) const {
  const triton::Value all = all_->value(frame);
  if (!all.data.is<Tuple>())
    fail(frame, place, fmt::format("a comprehension over {}", text_of(all)),
         "Triton's go over tuples; a loop over tl.static_range(n) does the same");
  std::vector<AnyValue> made;
  for (const AnyValue& v : *all.data.as<Tuple>()) {
    assign(frame, target_, triton::Value(v), true);
    made.push_back(element_->value(frame).data);
  }
  return AnyValue(std::move(made));
}

triton::Value Sliced::value(Frame& frame) const {
  triton::Value made;
  static_assert(sizeof(char) == sizeof(bool));
  const triton::Value& x = x_->look(frame, made);
  if (x.data.is<Tuple>()) return x;  // values[:]
  if (x.data.is_number()) {          // a scalar
    const triton::Value scalar(AnyValue(scalar_of(frame.tl, x.data, location())));
    return sliced(frame.tl, scalar.data, {reinterpret_cast<const bool*>(is_new_axis_.data()), is_new_axis_.size()},
                  location());
  }
  return sliced(frame.tl, x.data, {reinterpret_cast<const bool*>(is_new_axis_.data()), is_new_axis_.size()},
                location());
}

triton::Value Indexed::value(Frame& frame) const {
  triton::Value a, b;
  const triton::Value &x = x_->look(frame, a), &index = index_->look(frame, b);
  if (!x.data.is<Tuple>() || !index.data.is<Constant>())
    fail(frame, place, fmt::format("{} cannot be indexed by {}", text_of(x), text_of(index)),
         "x[:, None] adds an axis; tl.gather takes lanes by number; tl.load(ptr + i) reads one element");
  const auto& all = *x.data.as<Tuple>();
  const long long count = static_cast<long long>(all.size()), at = index.data.as<Constant>().value;
  if (at < -count || at >= count) fail(frame, place, fmt::format("there is no {} of {}", at, count), "");
  return all[static_cast<std::size_t>(at < 0 ? at + count : at)];
}

triton::Value attribute_of(Context* tl, const triton::Value& x, std::string_view name, Location location) {
  const auto dims_of = [](const Handle& h) {
    const auto& d = *static_cast<const cpu::Value*>(h.head());
    return std::vector<long long>(d.dims, d.dims + d.rank);
  };
  const auto tuple = [](std::span<const long long> dims) {
    std::vector<AnyValue> all(dims.begin(), dims.end());
    return AnyValue(std::move(all));
  };
  const AnyValue& v = x.data;
  if (v.is<Block>() || v.is<Pointer>()) {
    const Handle& h = v.is<Block>() ? static_cast<const Handle&>(v.as<Block>()) : v.as<Pointer>();
    if (name == "dtype" || name == "type") {
      if (v.is<Block>()) return AnyValue(h.dtype);
      return AnyValue(PointerType{h.dtype.value});
    }
    if (name == "shape") return tuple(dims_of(h));
    if (name == "numel") {
      long long all = 1;
      for (const long long n : dims_of(h)) all *= n;
      return AnyValue(all);
    }
    if (name == "T" && tl && v.is<Block>()) return AnyValue(tl->trans(v.as<Block>(), location));
  }
  if (const auto at = field_of(v, name)) return (*v.as<Tuple>())[*at];
  if (v.is<std::shared_ptr<const Descriptor>>()) {
    const Descriptor& d = *v.as<std::shared_ptr<const Descriptor>>();
    if (name == "dtype") return AnyValue(d.dtype);
    if (name == "shape") return tuple(d.sizes());
    if (name == "strides") return tuple(d.steps());
    if (name == "block_shape") return tuple(d.tile());
  }
  if (v.is<std::shared_ptr<const BlockPointer>>() && (name == "dtype" || name == "type"))
    return AnyValue(PointerType{v.as<std::shared_ptr<const BlockPointer>>()->dtype.value});
  if (v.is<PointerType>()) {
    if (name == "element_ty") return AnyValue(ElementType{v.as<PointerType>().element});
    if (name == "scalar") return x;
    if (name == "is_ptr") return triton::Value(AnyValue(true));
  }
  if (v.is<ElementType>()) {
    const DType t = v.as<ElementType>().value;
    if (name == "element_ty" || name == "scalar") return x;
    if (name == "itemsize") return AnyValue(size_in_bytes(t));
    const auto is = [](bool yes) { return triton::Value(AnyValue(yes)); };
    if (name == "is_fp16") return is(t == DType::float16);
    if (name == "is_bf16") return is(t == DType::bfloat16);
    if (name == "is_fp32") return is(t == DType::float32);
    if (name == "is_fp64") return is(t == DType::float64);
    if (name == "is_fp8") return is(is_fp8(t));
    if (name == "is_floating") return is(is_float(t));
    if (name == "is_int") return is(!is_float(t));
    if (name == "is_int_signed") return is(!is_float(t) && is_signed(t));
    if (name == "is_int_unsigned") return is(!is_float(t) && !is_signed(t));
    if (name == "is_ptr") return is(false);
    if (name == "primitive_bitwidth") return AnyValue(t == DType::int1 ? 1 : 8 * size_in_bytes(t));
  }
  if (name == "value" && x.is_constant()) return triton::Value(v);
  if (v.is_number()) {
    if (name == "shape") return tuple({});
    const bool is_real = v.is<RealConstant>();
    if (name == "dtype" || name == "type")
      return AnyValue(ElementType{is_real ? DType::float32 : Literal(v.as<Constant>()).dtype});
  }
  return {};
}

triton::Value Attribute::value(Frame& frame) const {
  triton::Value made;
  const triton::Value& x = x_->look(frame, made);
  triton::Value v = attribute_of(&frame.tl, x, name_, location());
  if (!v.is_known())
    fail(frame, place, fmt::format("{} has no {}", text_of(x), name_), "blocks have dtype, shape and T");
  return v;
}

triton::Value RoutineCall::value(Frame& frame) const {
  std::vector<triton::Value> arguments(arguments_.size());
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    if (arguments_[i]) arguments[i] = arguments_[i]->value(frame);
  return call(frame.tl, routine_, frame.course, arguments, place, frame.depth + 1);
}

triton::Value Format::value(Frame& frame) const {
  std::vector<AnyValue> all{AnyValue(kept_text(text_))};
  for (const auto& v : values_) {
    triton::Value part = v->value(frame);
    if (frame.course.refusals && is_run_time(part)) [[unlikely]]
      frame.course.refusals->add(place,
                                 "Triton's f-strings take constexprs alone, and this value is known only in the run",
                                 "tl.device_print(\"x = \", x) prints values");
    all.push_back(std::move(part.data));
  }
  return AnyValue(std::move(all));
}

}  // namespace tl::triton
