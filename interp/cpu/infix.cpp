// Infix operators, on blocks and on pointers.
#include <algorithm>

#include "interp/cpu/common_case.h"

namespace tl::cpu {

namespace {

// Everything else, out of the way of the frequent forms.
[[gnu::noinline]] Ref in_general(const Where& w, const Value& a, const Value& b) {
  Ref r = elementwise_case(w, a, b);
  return r ? r : binary(w, {Ref::share(&a)}, {Ref::share(&b)});
}
[[gnu::noinline]] Ref in_general(const Where& w, const Value& a, const Literal& b) {
  return binary(w, {Ref::share(&a)}, {{}, true, b});
}
[[gnu::noinline]] Ref in_general(const Where& w, const Literal& a, const Value& b) {
  return binary(w, {{}, true, a}, {Ref::share(&b)});
}

template <Op op>
inline Block infix(Location location, const Block& left, const Block& right) {
  const Where w{state_of(left), op, location};
  const Value &a = value_of(left), &b = value_of(right);
  Ref r = common_case<op>(w.state, a, b);
  if (!r) r = in_general(w, a, b);
  return Block(finish(w, {&a, &b}, std::move(r)).release());
}

template <Op op>
inline Block infix(Location location, const Block& left, const Literal& right) {
  const Where w{state_of(left), op, location};
  const Value& a = value_of(left);
  Ref r = common_case<op>(w.state, a, right, false);
  if (!r) r = in_general(w, a, right);
  w.state.note(1, right);
  return Block(finish(w, {&a, nullptr}, std::move(r)).release());
}

template <Op op>
inline Block infix(Location location, const Literal& left, const Block& right) {
  const Where w{state_of(right), op, location};
  const Value& b = value_of(right);
  Ref r = common_case<op>(w.state, b, left, true);
  if (!r) r = in_general(w, left, b);
  w.state.note(0, left);
  return Block(finish(w, {nullptr, &b}, std::move(r)).release());
}

Block prefix(Op op, const AtBlock& a) {
  const Where w{state_of(a.value), op, a.location};
  return Block(finish(w, {&value_of(a.value)}, unary(w, value_of(a.value))).release());
}

void refuse_offset(const Where& w, const std::string& what) {
  fail(w, FaultKind::shape, "a pointer moves by integers", what, "cast the offset with .to(tl.int32)");
}

// Pointers without an affine form, all moved by the same number.
Ref shifted(const Value& pointer, const Value& offsets, int sign) {
  if (pointer.form != Form::dense || pointer.undefined || offsets.undefined || offsets.form != Form::affine ||
      !is_uniform(offsets))
    return {};
  int rank;
  std::int64_t dims[max_rank], shift;
  if (!broadcast_shape(pointer, offsets, rank, dims) || rank != pointer.rank ||
      !std::equal(dims, dims + rank, pointer.dims))
    return {};
  if (sign > 0 ? __builtin_add_overflow(pointer.shift, offsets.base, &shift)
               : __builtin_sub_overflow(pointer.shift, offsets.base, &shift))
    return {};
  Ref r = same_lanes(pointer, pointer.rank, pointer.dims);
  for (int i = 0; i < pointer.rank; ++i) r->strides[i] = pointer.strides[i];
  r->shift = shift;
  return r;
}

// Whatever the pointers and the offsets look like.
[[gnu::noinline]] Ref pointer_plus(const Where& w, const Value& pointer, const Value& offsets, int sign) {
  if (is_float(offsets.dtype)) refuse_offset(w, std::string("the offset is ") + name_of(offsets.dtype));
  if (Ref r = shifted(pointer, offsets, sign)) return r;
  // Offsets are int64 in the tensor, whatever dtype they are computed in.
  Ref own = same_lanes(pointer, pointer.rank, pointer.dims);
  own->is_pointer = false;
  own->dtype = DType::int64;
  for (int i = 0; i < pointer.rank; ++i) own->strides[i] = pointer.strides[i];
  const Where arithmetic{w.state, sign > 0 ? Op::add : Op::sub, w.location};
  Ref r = binary(arithmetic, {own},
                 {offsets.dtype == DType::int64 ? Ref::share(&offsets) : cast(w, offsets, DType::int64)});
  if (r->refs > 1) {  // a fresh value, since it becomes a pointer
    Ref fresh = same_lanes(*r, r->rank, r->dims);
    for (int i = 0; i < r->rank; ++i) fresh->strides[i] = r->strides[i];
    r = fresh;
  }
  r->is_pointer = true;
  r->dtype = pointer.dtype;
  r->tensor = pointer.tensor;
  if (pointer.undefined && !r->undefined) r->undefined = Ref::share(pointer.undefined).release();
  return r;
}

template <Op op>
inline Pointer moved(Location location, const Pointer& p, const Block& offsets) {
  const Where w{state_of(p), op, location};
  const Value &from = value_of(p), &by = value_of(offsets);
  Ref r = common_pointer<op>(w.state, from, by);
  if (!r) r = pointer_plus(w, from, by, op == Op::add ? 1 : -1);
  return Pointer(finish(w, {&from, &by}, std::move(r)).release());
}

// A literal counts in int64.
template <Op op>
inline Pointer moved(Location location, const Pointer& p, const Literal& by) {
  const Where w{state_of(p), op, location};
  if (by.kind == LiteralKind::real) refuse_offset(w, "the offset is a float literal");
  const Ref offset = as_value(w, {{}, true, by}, DType::int64);
  Ref r = common_pointer<op>(w.state, value_of(p), *offset);
  if (!r) r = pointer_plus(w, value_of(p), *offset, op == Op::add ? 1 : -1);
  w.state.note(1, by);
  return Pointer(finish(w, {&value_of(p), nullptr}, std::move(r)).release());
}

}  // namespace

#define TL_INFIX(op, name)                                                                         \
  Block operator op(AtBlock a, const Block& b) { return infix<Op::name>(a.location, a.value, b); } \
  Block operator op(AtBlock a, Literal b) { return infix<Op::name>(a.location, a.value, b); }      \
  Block operator op(Literal a, AtBlock b) { return infix<Op::name>(b.location, a, b.value); }
TL_INFIX(+, add)
TL_INFIX(-, sub)
TL_INFIX(*, mul)
TL_INFIX(/, div)
TL_INFIX(%, mod)
TL_INFIX(&, bit_and)
TL_INFIX(|, bit_or)
TL_INFIX(^, bit_xor)
TL_INFIX(<<, shl)
TL_INFIX(>>, shr)
TL_INFIX(<, lt)
TL_INFIX(<=, le)
TL_INFIX(>, gt)
TL_INFIX(>=, ge)
#undef TL_INFIX
#define TL_EQUALITY(op, name)                                                                       \
  Block operator op(AtBlock a, AtBlock b) { return infix<Op::name>(a.location, a.value, b.value); } \
  Block operator op(AtBlock a, Literal b) { return infix<Op::name>(a.location, a.value, b); }       \
  Block operator op(Literal a, AtBlock b) { return infix<Op::name>(b.location, a, b.value); }
TL_EQUALITY(==, eq)
TL_EQUALITY(!=, ne)
#undef TL_EQUALITY

Block operator-(AtBlock a) { return prefix(Op::neg, a); }
Block operator~(AtBlock a) { return prefix(Op::bit_not, a); }
Block logical_not(const Block& b) { return prefix(Op::logical_not, AtBlock(b, b.data()->location)); }

#define TL_COMPOUND(op, name)                                                                      \
  Block& operator op(Block & a, AtBlock b) { return a = infix<Op::name>(b.location, a, b.value); } \
  Block& operator op(Block & a, AtLiteral b) { return a = infix<Op::name>(b.location, a, b.value); }
TL_COMPOUND(+=, add)
TL_COMPOUND(-=, sub)
TL_COMPOUND(*=, mul)
TL_COMPOUND(/=, div)
TL_COMPOUND(%=, mod)
TL_COMPOUND(&=, bit_and)
TL_COMPOUND(|=, bit_or)
TL_COMPOUND(^=, bit_xor)
TL_COMPOUND(<<=, shl)
TL_COMPOUND(>>=, shr)
#undef TL_COMPOUND

Pointer operator+(AtPointer p, const Block& offsets) { return moved<Op::add>(p.location, p.value, offsets); }
Pointer operator+(AtPointer p, Literal offsets) { return moved<Op::add>(p.location, p.value, offsets); }
Pointer operator-(AtPointer p, const Block& offsets) { return moved<Op::sub>(p.location, p.value, offsets); }
Pointer operator-(AtPointer p, Literal offsets) { return moved<Op::sub>(p.location, p.value, offsets); }
Pointer& operator+=(Pointer& p, AtBlock offsets) { return p = moved<Op::add>(offsets.location, p, offsets.value); }
Pointer& operator+=(Pointer& p, AtLiteral offsets) { return p = moved<Op::add>(offsets.location, p, offsets.value); }
Pointer& operator-=(Pointer& p, AtBlock offsets) { return p = moved<Op::sub>(offsets.location, p, offsets.value); }
Pointer& operator-=(Pointer& p, AtLiteral offsets) { return p = moved<Op::sub>(offsets.location, p, offsets.value); }

}  // namespace tl::cpu
