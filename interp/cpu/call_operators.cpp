// Operators of values that are known at run time: x + y, -x, x[:, None].
#include <fmt/format.h>

#include <algorithm>

#include "interp/cpu/arguments.h"
#include "interp/lang/text.h"

namespace tl::cpu {

Block scalar_of(Context& tl, const AnyValue& number, Location place) {
  const bool is_real = number.is<RealConstant>();
  const Literal v = is_real ? Literal(number.as<RealConstant>()) : Literal(number.as<Constant>());
  return tl.scalar(v, ElementType{is_real ? DType::float32 : v.dtype}, place);
}

namespace {

[[noreturn]] void refuse_operator(const Context& tl, Op op, Location place, const std::string& fact) {
  fail({tl.state(), op, place}, FaultKind::other, fact, "", "operators take blocks, pointers and numbers");
}

template <class A, class B>
Block infix_of(Op op, const A& a, const B& b, const Context& tl, Location p) {
  switch (op) {
#define TL_CASE(NAME, SIGN) \
  case Op::NAME: return a SIGN b;
    TL_CASE(add, +)
    TL_CASE(sub, -)
    TL_CASE(mul, *)
    TL_CASE(div, /)
    TL_CASE(mod, %)
    TL_CASE(bit_and, &)
    TL_CASE(bit_or, |)
    TL_CASE(bit_xor, ^)
    TL_CASE(shl, <<)
    TL_CASE(shr, >>)
    TL_CASE(lt, <)
    TL_CASE(le, <=)
    TL_CASE(gt, >)
    TL_CASE(ge, >=)
    TL_CASE(eq, ==)
    TL_CASE(ne, !=)
#undef TL_CASE
    default: refuse_operator(tl, op, p, "it is not an operator of two values");
  }
}

Literal literal_of(const AnyValue& v) {
  return v.is<RealConstant>() ? Literal(v.as<RealConstant>()) : Literal(v.as<Constant>());
}

}  // namespace

AnyValue infix(Context& tl, Op op, const AnyValue& x, const AnyValue& y, Location p) {
  const auto* const a = x.get_if<Block>();
  const auto* const b = y.get_if<Block>();
  if (a && b) return infix_of(op, AtBlock(*a, p), *b, tl, p);
  if (a && y.is_number()) return infix_of(op, AtBlock(*a, p), literal_of(y), tl, p);
  if (b && x.is_number()) return infix_of(op, literal_of(x), AtBlock(*b, p), tl, p);
  const AnyValue *pointer = &x, *offset = &y;
  if (op == Op::add && y.is<Pointer>()) std::swap(pointer, offset);
  if (pointer->is<Pointer>() && (op == Op::add || op == Op::sub) && (offset->is<Block>() || offset->is_number())) {
    const AtPointer at(pointer->as<Pointer>(), p);
    if (!offset->is<Block>()) return op == Op::add ? at + literal_of(*offset) : at - literal_of(*offset);
    return op == Op::add ? at + offset->as<Block>() : at - offset->as<Block>();
  }
  refuse_operator(tl, op, p, fmt::format("{} and {}", text_of_kind(x), text_of_kind(y)));
}

AnyValue prefix(Context& tl, Op op, const AnyValue& x, Location p) {
  if (x.is<Block>() && op == Op::neg) return -AtBlock(x.as<Block>(), p);
  if (x.is<Block>() && op == Op::bit_not) return ~AtBlock(x.as<Block>(), p);
  if (x.is<Block>() && op == Op::logical_not) return logical_not(x.as<Block>());
  refuse_operator(tl, op, p, text_of_kind(x));
}

AnyValue sliced(Context& tl, const AnyValue& x, std::span<const bool> is_new, Location p) {
  if (is_new.size() > max_rank || !(x.is<Block>() || x.is<Pointer>()))
    refuse_operator(tl, Op::slice, p, fmt::format("{} slices of {}", is_new.size(), text_of_kind(x)));
  const bool begins_with_new = std::ranges::is_sorted(is_new, std::greater());  // [None, None, :], not [:, None]
  if (begins_with_new && (x.is<Block>() ? rank_of(x.as<Block>()) : rank_of(x.as<Pointer>())) == 0) {
    Shape ones;
    for (const bool is_new_axis : is_new)
      if (is_new_axis) ones.dims[ones.rank++] = 1;
    if (x.is<Block>()) return tl.reshape(x.as<Block>(), ones, p);
    return infix(tl, Op::add, x, tl.zeros(ones, Context::int32, p), p);
  }
  Slice s[max_rank];
  for (std::size_t i = 0; i < is_new.size(); ++i) s[i] = is_new[i] ? Slice(NewAxis{}) : Slice(Everything{});
  if (is_new.size() == 2) {
    if (x.is<Block>()) return x.as<Block>()(s[0], s[1], p);
    return x.as<Pointer>()(s[0], s[1], p);
  }
  if (x.is<Block>()) return x.as<Block>()(s[0], s[1], s[2], s[3], s[4], s[5], p);
  return x.as<Pointer>()(s[0], s[1], s[2], s[3], s[4], s[5], p);
}

}  // namespace tl::cpu
