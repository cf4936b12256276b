// Infix operators, on blocks and on pointers.
#include "interp/cpu/affine.h"
#include "interp/cpu/state.h"

namespace tl::cpu {

namespace {

Value strong(const Block& b) { return {Ref::share(b.data())}; }
Value weak(const Literal& l) { return {{}, true, l}; }

Block infix(Op op, Place place, State& s, const Value& a, const Value& b) {
  const Where w{s, op, place};
  return Block(finish(w, {a.data.get(), b.data.get()}, binary(w, a, b)).release());
}

Block prefix(Op op, const AtBlock& a) {
  const Where w{state_of(a.value), op, a.place};
  return Block(finish(w, {a.value.data()}, unary(w, *a.value.data())).release());
}

// Offsets as a value; a literal counts in int64.
Ref offsets_of(const Where& w, const Value& v) {
  if (v.weak && v.literal.kind != LiteralKind::real) return as_value(w, v, DType::int64);
  if (v.weak || is_float(v.data->dtype))
    fail(w, FaultKind::shape, "a pointer moves by integers", v.weak ? "the offset is a float literal" : std::string("the offset is ") + name_of(v.data->dtype),
         "cast the offset with .to(tl.int32)");
  return v.data;
}

Pointer moved(Op op, Place place, const Pointer& p, const Value& by) {
  const Where w{state_of(p), op, place};
  return Pointer(finish(w, {p.data(), by.data.get()}, pointer_plus(w, *p.data(), *offsets_of(w, by), op == Op::add ? 1 : -1)).release());
}

}  // namespace

Ref pointer_plus(const Where& w, const Data& pointer, const Data& offsets, int sign) {
  if (Ref r = affine_pointer(w.state, pointer, offsets, sign)) return r;
  // Offsets are int64 in the tensor, whatever dtype they are computed in.
  Ref own = same_lanes(pointer, pointer.rank, pointer.dims);
  own->is_pointer = false;
  own->dtype = DType::int64;
  for (int i = 0; i < pointer.rank; ++i) own->strides[i] = pointer.strides[i];
  const Where arithmetic{w.state, sign > 0 ? Op::add : Op::sub, w.place};
  Ref r = binary(arithmetic, {own}, {offsets.dtype == DType::int64 ? Ref::share(&offsets) : cast(w, offsets, DType::int64)});
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

#define TL_INFIX(op, name)                                                                                              \
  Block operator op(AtBlock a, const Block& b) { return infix(Op::name, a.place, state_of(a.value), strong(a.value), strong(b)); } \
  Block operator op(AtBlock a, Literal b) { return infix(Op::name, a.place, state_of(a.value), strong(a.value), weak(b)); }        \
  Block operator op(Literal a, AtBlock b) { return infix(Op::name, b.place, state_of(b.value), weak(a), strong(b.value)); }
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
#define TL_EQUALITY(op, name)                                                                                                            \
  Block operator op(AtBlock a, AtBlock b) { return infix(Op::name, a.place, state_of(a.value), strong(a.value), strong(b.value)); }      \
  Block operator op(AtBlock a, Literal b) { return infix(Op::name, a.place, state_of(a.value), strong(a.value), weak(b)); }              \
  Block operator op(Literal a, AtBlock b) { return infix(Op::name, b.place, state_of(b.value), weak(a), strong(b.value)); }
TL_EQUALITY(==, eq)
TL_EQUALITY(!=, ne)
#undef TL_EQUALITY

Block operator-(AtBlock a) { return prefix(Op::neg, a); }
Block operator~(AtBlock a) { return prefix(Op::bit_not, a); }
Block logical_not(const Block& b) { return prefix(Op::logical_not, AtBlock(b, b.data()->place)); }

#define TL_COMPOUND(op, name)                                                                                                          \
  Block& operator op(Block& a, AtBlock b) { return a = infix(Op::name, b.place, state_of(a), strong(a), strong(b.value)); }            \
  Block& operator op(Block& a, AtLiteral b) { return a = infix(Op::name, b.place, state_of(a), strong(a), weak(b.value)); }
TL_COMPOUND(+=, add)
TL_COMPOUND(-=, sub)
TL_COMPOUND(*=, mul)
TL_COMPOUND(/=, div)
#undef TL_COMPOUND

Pointer operator+(AtPointer p, const Block& offsets) { return moved(Op::add, p.place, p.value, strong(offsets)); }
Pointer operator+(AtPointer p, Literal offsets) { return moved(Op::add, p.place, p.value, weak(offsets)); }
Pointer operator-(AtPointer p, const Block& offsets) { return moved(Op::sub, p.place, p.value, strong(offsets)); }
Pointer operator-(AtPointer p, Literal offsets) { return moved(Op::sub, p.place, p.value, weak(offsets)); }
Pointer& operator+=(Pointer& p, AtBlock offsets) { return p = moved(Op::add, offsets.place, p, strong(offsets.value)); }
Pointer& operator+=(Pointer& p, AtLiteral offsets) { return p = moved(Op::add, offsets.place, p, weak(offsets.value)); }
Pointer& operator-=(Pointer& p, AtBlock offsets) { return p = moved(Op::sub, offsets.place, p, strong(offsets.value)); }
Pointer& operator-=(Pointer& p, AtLiteral offsets) { return p = moved(Op::sub, offsets.place, p, weak(offsets.value)); }

}  // namespace tl::cpu
