// The named ops lane by lane: choice, math, integer helpers.
#include <fmt/format.h>

#include <algorithm>

#include "interp/cpu/absent.h"
#include "interp/cpu/loops.h"
#include "interp/cpu/recording.h"
#include "interp/cpu/replay.h"
#include "interp/cpu/walk.h"
#include "interp/lang/swizzle.h"

namespace tl::cpu {

namespace {

Block one(State& s, Op op, Location location, const Block& x) {
  const Where w{s, op, location};
  return Block(finish(w, {x.data()}, unary(w, *x.data())).release());
}

Block two(State& s, Op op, Location location, const Operand& a, const Operand& b) {
  const Where w{s, op, location};
  const TypedOperand x = typed_operand(s, a), y = typed_operand(s, b);
  Ref r = binary(w, x, y);
  if (x.weak) s.note(0, x.literal);
  if (y.weak) s.note(1, y.literal);
  return Block(finish(w, {x.data.get(), y.data.get()}, std::move(r)).release());
}

Ref as(const Where& w, const TypedOperand& v, DType t) { return v.weak ? as_value(w, v, t) : cast(w, *v.data, t); }

// A value of its own, of the same lanes.
Ref own_copy(const Value& d) {
  Ref own = same_lanes(d, d.rank, d.dims);
  for (int i = 0; i < d.rank; ++i) {
    own->strides[i] = d.strides[i];
    own->hi[i] = d.hi[i];
  }
  if (d.undefined) own->undefined = Ref::share(d.undefined).release();
  return own;
}

// A literal that observers are not told of.
void tell_replay(State& s, unsigned position, const TypedOperand& v) {
  if (!v.weak) return;
  if (s.replay) [[unlikely]]
    s.replay->on_literal(position, v.literal);
  if (s.wants_literals) [[unlikely]]
    s.tell_literal(position, v.literal);
}

std::int64_t scalar_of(const Where& w, const Operand& o, const char* what) {
  if (!o.block) return o.literal.integer;
  const Value& d = *o.block->data();
  if (d.count != 1 || is_float(d.dtype))
    fail(w, FaultKind::shape, fmt::format("{} must be one integer", what),
         fmt::format("it is {}{}", name_of(d.dtype), text_of_shape(d.dims, d.rank)), "pass a scalar");
  return int_of(d);
}

}  // namespace

Block Context::exp(const Block& x, Location p) { return one(state_, Op::exp, p, x); }
Block Context::exp2(const Block& x, Location p) { return one(state_, Op::exp2, p, x); }
Block Context::log(const Block& x, Location p) { return one(state_, Op::log, p, x); }
Block Context::log2(const Block& x, Location p) { return one(state_, Op::log2, p, x); }
Block Context::sqrt(const Block& x, Location p) { return one(state_, Op::sqrt, p, x); }
Block Context::rsqrt(const Block& x, Location p) { return one(state_, Op::rsqrt, p, x); }
Block Context::sin(const Block& x, Location p) { return one(state_, Op::sin, p, x); }
Block Context::cos(const Block& x, Location p) { return one(state_, Op::cos, p, x); }
Block Context::sigmoid(const Block& x, Location p) { return one(state_, Op::sigmoid, p, x); }
Block Context::erf(const Block& x, Location p) { return one(state_, Op::erf, p, x); }
Block Context::floor(const Block& x, Location p) { return one(state_, Op::floor, p, x); }
Block Context::ceil(const Block& x, Location p) { return one(state_, Op::ceil, p, x); }
Block Context::abs(const Block& x, Location p) { return one(state_, Op::abs, p, x); }
Block Context::minimum(Operand a, Operand b, Location p) { return two(state_, Op::minimum, p, a, b); }
Block Context::maximum(Operand a, Operand b, Location p) { return two(state_, Op::maximum, p, a, b); }
Block Context::umulhi(const Block& a, Operand b, Location p) { return two(state_, Op::umulhi, p, a, b); }

Block Context::where(const Block& mask, Operand a, Operand b, Location location) {
  const Where w{state_, Op::where, location};
  const TypedOperand x = typed_operand(state_, a), y = typed_operand(state_, b);
  const DType t = promoted(w, x, y);
  const Ref m = cpu::cast(w, *mask.data(), DType::int1), p = as(w, x, t), q = as(w, y, t);
  Ref r = select(w, *m, *p, *q);
  if (r.get() == p.get() || r.get() == q.get()) r = own_copy(*r);
  if (x.weak) state_.note(1, x.literal);
  if (y.weak) state_.note(2, y.literal);
  return Block(finish(w, {mask.data(), x.data.get(), y.data.get()}, std::move(r)).release());
}

// One of two pointers, which one mask chooses: the lanes of a block of pointers lie in one tensor.
Pointer Context::where(const Block& mask, const Pointer& a, const Pointer& b, Location location) {
  const Where w{state_, Op::where, location};
  const Value &m = *mask.data(), &p = *a.data(), &q = *b.data();
  if (m.rank != 0)
    fail(w, FaultKind::shape, "pointers are chosen by one mask", "this is a block of masks",
         "choose their offsets, ptr + tl.where(mask, a, b), or load both, each with its mask");
  if (p.dtype != q.dtype)
    fail(w, FaultKind::shape, fmt::format("pointers to {} and to {}", name_of(p.dtype), name_of(q.dtype)), "",
         "both point to one dtype");
  if (p.rank || q.rank)
    fail(w, FaultKind::shape, "a choice of blocks of pointers", "",
         "choose between the pointers before offsets are added: tl.where(flag, a, b) + offs");
  if (state_.recording) state_.recording->reads_address(m);
  if (state_.replay) state_.replay->fails();
  const bool first =
      is_absent(m) ? choice_without(w, m, "the choice of a pointer") : double_of(*cpu::cast(w, m, DType::int1)) != 0;
  Ref chosen = own_copy(first ? p : q);
  if (m.undefined && !chosen->undefined) chosen->undefined = Ref::share(m.undefined).release();
  return Pointer(finish(w, {&m, &p, &q}, std::move(chosen)).release());
}

// min(max(x, lo), hi)
Block Context::clamp(const Block& x, Operand lo, Operand hi, Location location) {
  const Where w{state_, Op::clamp, location};
  const TypedOperand low = typed_operand(state_, lo), high = typed_operand(state_, hi);
  Ref r = binary({state_, Op::maximum, location}, {Ref::share(x.data())}, low);
  r = binary({state_, Op::minimum, location}, {r}, high);
  if (low.weak) state_.note(1, low.literal);
  if (high.weak) state_.note(2, high.literal);
  return Block(finish(w, {x.data(), low.data.get(), high.data.get()}, std::move(r)).release());
}

// a b + c, rounded once.
Block Context::fma(const Block& a, Operand b, Operand c, Location location) {
  const Where w{state_, Op::fma, location};
  const TypedOperand x{Ref::share(a.data())}, y = typed_operand(state_, b), z = typed_operand(state_, c);
  DType t = promoted(w, x, y);
  t = z.weak ? promote(t, z.literal.kind, z.literal.integer) : promote(t, z.data->dtype);
  if (!is_float(t)) fail(w, FaultKind::shape, fmt::format("not defined for {}", name_of(t)), "", "write a * b + c");
  const DType computed = is_narrow_float(t) ? DType::float32 : t;
  const Ref p = as(w, x, computed), q = as(w, y, computed), s = as(w, z, computed);
  int rank;
  std::int64_t dims[max_rank];
  const bool fits = broadcast_shape(*p, *q, rank, dims);
  const Ref probe = fits ? make_bool(state_, true, rank, dims) : Ref();
  if (!fits || !broadcast_shape(*probe, *s, rank, dims))
    fail(w, FaultKind::shape, "shapes do not broadcast", "", "each axis must be equal or 1");
  if (any_absent(*p, *q, *s))
    return Block(finish(w, {x.data.get(), y.data.get(), z.data.get()},
                        absent_result(w, {p.get(), q.get(), s.get()}, t, rank, dims))
                     .release());
  Ref r = make_dense(state_, computed, rank, dims);
  const Ref all[3] = {cpu::broadcast(w, *p, rank, dims), cpu::broadcast(w, *q, rank, dims),
                      cpu::broadcast(w, *s, rank, dims)};
  const View views[3] = {view_of(*all[0]), view_of(*all[1]), view_of(*all[2])};
  const FmaLoop loop = loops().fma(computed);
  const int size = size_in_bytes(computed);
  walk<3>(rank, dims, views, [&](std::int64_t n, std::int64_t at, const std::int64_t* o, const std::int64_t* step) {
    loop(r->buffer->bytes() + at * size, views[0].data + o[0] * size, step[0], views[1].data + o[1] * size, step[1],
         views[2].data + o[2] * size, step[2], n);
  });
  r = cpu::cast(w, *settle(std::move(r)), t);
  const Ref undefined = union_of(state_, union_of(state_, p->undefined, q->undefined).get(), s->undefined);
  if (undefined) r->undefined = cpu::broadcast(w, *undefined, rank, dims).release();
  tell_replay(state_, 1, y);
  tell_replay(state_, 2, z);
  return Block(finish(w, {x.data.get(), y.data.get(), z.data.get()}, std::move(r)).release());
}

namespace {
// (a + b - 1) / b
Block ceiling(State& s, Location location, const TypedOperand& a, const TypedOperand& b) {
  const Where w{s, Op::cdiv, location};
  const DType t = promoted(w, a, b);
  if (is_float(t)) fail(w, FaultKind::shape, fmt::format("not defined for {}", name_of(t)), "", "use tl.ceil(a / b)");
  const Ref x = as(w, a, t), y = as(w, b, t);
  const Ref sum = binary({s, Op::add, location}, {x}, {y});
  const Ref less = binary({s, Op::sub, location}, {sum}, {{}, true, Literal(1)});
  Ref r = binary({s, Op::div, location}, {less}, {y});
  if (a.weak) s.note(0, a.literal);
  if (b.weak) s.note(1, b.literal);
  return Block(finish(w, {a.data.get(), b.data.get()}, std::move(r)).release());
}
}  // namespace

Block Context::cdiv(const Block& a, Operand b, Location location) {
  return ceiling(state_, location, {Ref::share(a.data())}, typed_operand(state_, b));
}
Block Context::cdiv(Literal a, const Block& b, Location location) {
  return ceiling(state_, location, {{}, true, a}, {Ref::share(b.data())});
}

BlockPair Context::swizzle2d(Operand i, Operand j, Operand size_i, Operand size_j, Operand group_size,
                             Location location) {
  const Where w{state_, Op::swizzle2d, location};
  const auto is_wide = [](const Operand& o) { return o.block && o.block->data()->dtype == DType::int64; };
  const DType t = is_wide(i) || is_wide(j) || is_wide(size_i) || is_wide(size_j) || is_wide(group_size) ? DType::int64
                                                                                                        : DType::int32;
  if (state_.exploration) return {Block(absent_scalar(state_, t).release()), Block(absent_scalar(state_, t).release())};
  const std::int64_t group = scalar_of(w, group_size, "group_size"), rows = scalar_of(w, size_i, "size_i"),
                     cols = scalar_of(w, size_j, "size_j");
  if (group <= 0 || cols <= 0)
    fail(w, FaultKind::shape, fmt::format("group_size is {}, size_j {}", group, cols), "", "both must be positive");
  const std::int64_t from_i = scalar_of(w, i, "i"), from_j = scalar_of(w, j, "j"), ij = from_i * cols + from_j;
  if (ij < 0 || ij >= rows * cols)  // beyond the last group there is no row to go to
    fail(w, FaultKind::shape, fmt::format("({}, {}) is not a place of a {} x {} grid", from_i, from_j, rows, cols), "",
         fmt::format("pass ids from (0, 0) to ({}, {})", rows - 1, cols - 1));
  const auto to = tl::swizzle2d<std::int64_t>(from_i, from_j, rows, cols, group);
  Ref r[2] = {make_int(state_, t, to.i), make_int(state_, t, to.j)};
  for (const Ref& x : r) x->location = location;
  if (state_.due(Op::swizzle2d, location)) {
    const Value *in[5], *out[2] = {r[0].get(), r[1].get()};
    int n = 0;
    for (const Operand* o : {&i, &j, &size_i, &size_j, &group_size}) in[n++] = o->block ? o->block->data() : nullptr;
    state_.on_op(Op::swizzle2d, location, in, n, out, 2, nullptr, {});
  }
  return {Block(r[0].release()), Block(r[1].release())};
}

}  // namespace tl::cpu
