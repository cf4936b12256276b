// Ops lane by lane: symbolic where the form allows it, else by the loops, over broadcast views.
#include <fmt/format.h>

#include <algorithm>

#include "interp/cpu/absent.h"
#include "interp/cpu/functions.h"
#include "interp/cpu/loops.h"
#include "interp/cpu/state.h"
#include "interp/cpu/symbolic.h"
#include "interp/cpu/undefined.h"
#include "interp/cpu/walk.h"

namespace tl::cpu {

namespace {

bool is_signed_int(DType d) { return is_integer(d) && is_signed(d); }

DType compute_dtype(DType t) { return is_narrow_float(t) ? DType::float32 : t; }

// A strided view of the value's lanes as `t`, at the result's coordinates. `keep` owns what it may have to make.
View view_as(const Where& w, const Value& d, DType t, int rank, Ref& keep) {
  keep = d.dtype == t ? Ref::share(&d) : cast(w, d, t);
  const View own = view_of(*keep);
  View v{};
  v.data = own.data;
  for (int i = 0, shift = rank - keep->rank; i < keep->rank; ++i)
    v.strides[i + shift] = keep->dims[i] == 1 ? 0 : own.strides[i];
  return v;
}

std::string shapes(const Value& a, const Value& b) {
  return "the left side is " + text_of_shape(a.dims, a.rank) + ", the right side " + text_of_shape(b.dims, b.rank);
}

std::string insert_an_axis(const Where& w) {
  const Notation n = notation_of(w);
  return fmt::format("each axis must be equal or 1; insert an axis with {} or {}", n.column(), n.row());
}

}  // namespace

TypedOperand typed_operand(State& s, const Operand& o) {
  TypedOperand v;
  if (o.block) v.data = Ref::share(o.block->data());
  else {
    v.weak = true;
    v.literal = o.literal;
  }
  (void)s;
  return v;
}

DType promoted_with(DType a, const Literal& l) { return promote(a, l.kind, l.integer) == a ? a : l.dtype; }

DType promoted(const Where& w, const TypedOperand& x, const TypedOperand& y) {
  if (x.weak && y.weak) return promote(x.literal.dtype, y.literal.dtype);
  if (x.weak) return promoted_with(y.data->dtype, x.literal);
  if (y.weak) return promoted_with(x.data->dtype, y.literal);
  const DType a = x.data->dtype, b = y.data->dtype;
  const bool divides = w.op == Op::div || w.op == Op::mod || w.op == Op::cdiv;
  if (divides && is_integer(a) && is_integer(b) && is_signed_int(a) != is_signed_int(b))
    fail(
        w, FaultKind::shape,
        fmt::format("{} {} {}: signed and unsigned do not divide", name_of(a), w.op == Op::mod ? "%" : "/", name_of(b)),
        "", "cast one side with .to so that both have one sign");
  return promote(a, b);
}

Ref as_value(const Where& w, const TypedOperand& v, DType t) {
  if (!v.weak) return v.data;
  if (v.literal.kind != LiteralKind::real && is_integer(t) && !fits(t, v.literal.integer, v.literal.integer))
    fail(w, FaultKind::shape, fmt::format("the literal {} does not fit {}", v.literal.integer, name_of(t)), "",
         "cast the block to a wider dtype first");
  Ref r = make_number(w.state, t,
                      v.literal.kind == LiteralKind::real ? v.literal.real : static_cast<double>(v.literal.integer),
                      v.literal.integer, 0, nullptr);
  r->id = 0;
  r->observed = false;
  return r;
}

Ref cast_value(const Where& w, const TypedOperand& v, DType t) {
  if (!v.weak) return cast(w, *v.data, t);
  if (is_integer(t) && v.literal.kind == LiteralKind::real)
    return cast(w, *make_float(w.state, DType::float64, v.literal.real), t);  // 1.5 becomes 1
  if (is_integer(t) && !fits(t, v.literal.integer, v.literal.integer))
    return cast(w, *make_int(w.state, DType::int64, v.literal.integer), t);  // 300 a byte's 44
  return as_value(w, v, t);
}

bool broadcast_shape(const Value& a, const Value& b, int& rank, std::int64_t* dims) {
  rank = std::max(a.rank, b.rank);
  if (a.rank == 0 || b.rank == 0) {
    const Value& lanes = a.rank ? a : b;
    for (int i = 0; i < rank; ++i) dims[i] = lanes.dims[i];
    return true;
  }
  for (int i = 0; i < rank; ++i) {
    const int ia = i - (rank - a.rank), ib = i - (rank - b.rank);
    const std::int64_t x = ia >= 0 ? a.dims[ia] : 1, y = ib >= 0 ? b.dims[ib] : 1;
    if (x != y && x != 1 && y != 1) return false;
    dims[i] = std::max(x, y);
  }
  return true;
}

Ref broadcasted(const Where& w, const Value& d, int rank, const std::int64_t* dims) {
  const int shift = rank - d.rank;
  bool possible = shift >= 0;
  for (int i = 0; i < d.rank && possible; ++i) possible &= d.dims[i] == dims[i + shift] || d.dims[i] == 1;
  if (!possible)
    fail(w, FaultKind::shape, "shapes do not broadcast",
         "a block of shape " + text_of_shape(d.dims, d.rank) + " to " + text_of_shape(dims, rank),
         rank == 0 && (w.op == Op::store || w.op == Op::load)
             ? "the pointer is one cell: add a block of offsets to it, as in x_ptr + offs, or reduce the block"
             : "each axis must be equal or 1; insert an axis with " + notation_of(w).column());
  Ref r = same_lanes(d, rank, dims);
  for (int i = 0; i < rank; ++i) {
    const int own = i - shift;
    const bool kept = own >= 0 && d.dims[own] == dims[i];
    if (d.form == Form::box) {
      const bool none = is_uniform(d) && int_of(d) == 0;
      r->lo()[i] = kept ? d.lo()[own] : 0;
      r->hi[i] = kept ? d.hi[own] : none ? 0 : dims[i];
    } else {
      r->strides[i] = kept ? d.strides[own] : 0;
    }
  }
  if (d.undefined) r->undefined = broadcast(w, *d.undefined, rank, dims).release();
  return r;
}

Ref converted(const Where& w, const Value& d, DType t) {
  if (is_absent(d)) return absent_result(w, {&d}, t, d.rank, d.dims);
  Ref r;
  if (is_uniform(d)) {
    std::byte in[8] = {}, out[8] = {};
    if (d.form == Form::splat) std::memcpy(in, d.scalar, 8);
    else {
      const std::int64_t v = int_of(d);
      std::memcpy(in, &v, 8);  // little-endian: narrower ints read their low bytes
    }
    loops().cast(d.dtype, t)(out, in, 1, 1);
    r = Ref::take(w.state.make(!has_closed_form(t) ? Form::splat
                               : t == DType::int1  ? Form::box
                                                   : Form::affine,
                               t, d.rank, d.dims));
    if (!has_closed_form(t)) std::memcpy(r->scalar, out, 8);
    else {
      std::int64_t v = 0;
      std::memcpy(&v, out, static_cast<std::size_t>(size_in_bytes(t)));
      r->base = wrap(t, v);
      for (int i = 0; i < d.rank; ++i) {
        r->strides[i] = 0;
        r->hi[i] = v ? d.dims[i] : 0;
      }
    }
  } else if (const Bounds b = d.form == Form::affine ? bounds_of(d) : Bounds{};
             d.form == Form::affine && has_closed_form(t) && t != DType::int1 && fits(t, b.min, b.max)) {
    r = same_lanes(d, d.rank, d.dims);
    r->dtype = t;
    for (int i = 0; i < d.rank; ++i) r->strides[i] = d.strides[i];
  } else {
    // Along a broadcast axis one lane is converted for all.
    std::int64_t dims[max_rank];
    View v = view_of(d);
    for (int i = 0; i < d.rank; ++i) dims[i] = v.strides[i] == 0 ? 1 : d.dims[i];
    Ref small = make_dense(w.state, t, d.rank, dims);
    const UnaryLoop loop = loops().cast(d.dtype, t);
    const int in_size = size_in_bytes(d.dtype), out_size = size_in_bytes(t);
    walk<1>(d.rank, dims, &v,
            [&](std::int64_t n, std::int64_t at, const std::int64_t* offset, const std::int64_t* step) {
              loop(small->buffer->bytes() + at * out_size, v.data + offset[0] * in_size, step[0], n);
            });
    r = broadcast(w, *small, d.rank, d.dims);
  }
  if (d.undefined && !r->undefined) r->undefined = Ref::share(d.undefined).release();
  return r;
}

Ref union_of(State& s, const Value* a, const Value* b) {
  if (!a || !b) return Ref::share(a ? a : b);
  return binary({s, Op::bit_or, {}}, {Ref::share(a)}, {Ref::share(b)});
}

// Blocks of one dtype and shape, side by side in memory, or such a block and a scalar: what float arithmetic mostly is.
Ref elementwise_case(const Where& w, const Value& a, const Value& b) {
  if (a.dtype != b.dtype || (a.dtype != DType::float32 && a.dtype != DType::float64) || a.undefined || b.undefined)
    return {};
  const bool a_scalar = a.form == Form::splat && a.rank == 0, b_scalar = b.form == Form::splat && b.rank == 0;
  const Value& lanes = a_scalar ? b : a;
  if (lanes.form != Form::dense || lanes.count == 1 || !is_contiguous(lanes)) return {};
  if (!a_scalar && !b_scalar) {
    if (b.form != Form::dense || a.rank != b.rank || !is_contiguous(b)) return {};
    for (int i = 0; i < a.rank; ++i)
      if (a.dims[i] != b.dims[i]) return {};
  }
  const BinaryLoop loop = loops().binary(w.op, a.dtype);
  if (!loop) return {};
  Ref r = with_rank(lanes.rank, [&](auto rank) {
    return make_dense(w.state, is_comparison(w.op) ? DType::int1 : a.dtype, rank, lanes.dims);
  });
  const auto elements = [](const Value& d) { return d.form == Form::splat ? d.scalar : elements_of(d); };
  loop(r->buffer->bytes(), elements(a), !a_scalar, elements(b), !b_scalar, lanes.count);
  return r;
}

// The lanes of a result that undefined operands decide: a known false side of `&`, or true one of `|`, decides
// alone.
Ref undefined_of(const Where& w, const Value& a, const Value& b, int rank, const std::int64_t* dims) {
  const Ref either = broadcast(w, *union_of(w.state, a.undefined, b.undefined), rank, dims);
  if (a.dtype != DType::int1 || (w.op != Op::bit_and && w.op != Op::bit_or)) return either;
  Ref r = make_dense(w.state, DType::int1, rank, dims);
  std::byte* out = r->buffer->bytes();
  std::copy_n(flat(*either), r->count, out);
  for (const Value* side : {&a, &b}) {
    const Ref lanes = broadcast(w, *side, rank, dims);
    const Ref undefined = side->undefined ? broadcast(w, *side->undefined, rank, dims) : Ref();
    const std::byte *value = flat(*lanes), *mark = undefined ? flat(*undefined) : nullptr;
    for (std::int64_t i = 0; i < r->count; ++i)
      if ((!mark || mark[i] == std::byte{0}) && value[i] == std::byte{w.op == Op::bit_or}) out[i] = std::byte{0};
  }
  return r;
}

Ref binary(const Where& w, const TypedOperand& x, const TypedOperand& y) {
  const Op op = w.op;
  const DType t = promoted(w, x, y);
  if (is_bitwise(op) && is_float(t))
    fail(w, FaultKind::shape, fmt::format("it takes integers and masks, not {}", name_of(t)), "",
         op == Op::bit_xor ? "a power is x * x, or tl.pow(x, y); bits are an integer's: cast to tl.int32"
                           : "cast to tl.int32, or compare to get a mask");
  if (op == Op::umulhi && (is_float(t) || size_in_bytes(t) < 4))
    fail(w, FaultKind::shape, fmt::format("it takes 32- and 64-bit integers, not {}", name_of(t)), "",
         "cast with .to(tl.uint32)");
  const Ref a = as_value(w, x, t), b = as_value(w, y, t);
  int rank;
  std::int64_t dims[max_rank];
  if (!broadcast_shape(*a, *b, rank, dims))
    fail(w, FaultKind::shape, "shapes do not broadcast", shapes(*a, *b),
         a->rank == 1 && b->rank == 1
             ? fmt::format("was one of them reduced along the other axis? else {} and {} make two axes of theirs",
                           notation_of(w).column(), notation_of(w).row())
             : insert_an_axis(w));

  Ref r;
  const DType computed = compute_dtype(t), out = is_comparison(op) ? DType::int1 : t;
  if (has_closed_form(t)) {
    const bool is_logic = op == Op::bit_and || op == Op::bit_or || op == Op::bit_xor;
    if (t == DType::int1) r = is_logic ? box_logic(w.state, op, *a, *b, rank, dims) : Ref();
    else
      r = is_comparison(op) ? affine_comparison(w.state, op, t, *a, *b, rank, dims)
                            : affine_arithmetic(w.state, op, t, *a, *b, rank, dims);
  }
  if (!r) {
    const DType looped = op == Op::shr && !x.weak ? shift_right_dtype(x.data->dtype, computed) : computed;
    BinaryLoop loop = loops().binary(op, looped);
    if (!loop) loop = function_loop_of_two(op, computed);
    if (!loop) fail(w, FaultKind::shape, fmt::format("not defined for {}", name_of(t)), "", "cast first with .to");
    if (any_absent(*a, *b)) {
      w.state.asks_values |= is_integer(t) && (op == Op::div || op == Op::mod || op == Op::cdiv) && is_absent(*b);
      return absent_result(w, {a.get(), b.get()}, out, rank, dims);
    }
    // Broadcast axes of both sides are computed once; a pair of uniform values is one lane.
    const bool one = is_uniform(*a) && is_uniform(*b);
    Ref keep_a, keep_b;
    View views[2] = {view_as(w, *a, computed, rank, keep_a), view_as(w, *b, computed, rank, keep_b)};
    std::int64_t small[max_rank];
    for (int i = 0; i < rank; ++i)
      small[i] = one || (views[0].strides[i] == 0 && views[1].strides[i] == 0) ? 1 : dims[i];
    const DType raw = is_comparison(op) ? DType::int1 : computed;
    Ref result = make_dense(w.state, raw, rank, small);
    const int in_size = size_in_bytes(computed), out_size = size_in_bytes(raw);
    walk<2>(rank, small, views,
            [&](std::int64_t n, std::int64_t at, const std::int64_t* offset, const std::int64_t* step) {
              loop(result->buffer->bytes() + at * out_size, views[0].data + offset[0] * in_size, step[0],
                   views[1].data + offset[1] * in_size, step[1], n);
            });
    if (raw != out) result = cast(w, *result, out);
    r = broadcast(w, *settle(std::move(result)), rank, dims);
  }
  if ((a->undefined || b->undefined) && !r->undefined) [[unlikely]]
    r->undefined = undefined_of(w, *a, *b, rank, dims).release();
  if (w.state.tracks_undefined && (op == Op::div || op == Op::mod || op == Op::cdiv) && is_integer(t) && r->refs == 1)
    mark_zero_divisors(w, *b, *r);
  return r;
}

Ref unary(const Where& w, const Value& d) {
  if (d.form == Form::dense && (d.dtype == DType::float32 || d.dtype == DType::float64) && d.count > 1 &&
      !d.undefined && is_contiguous(d))
    if (const UnaryLoop loop = loops().unary(w.op, d.dtype)) {  // what float math mostly is
      Ref r = with_rank(d.rank, [&](auto rank) { return make_dense(w.state, d.dtype, rank, d.dims); });
      loop(r->buffer->bytes(), elements_of(d), 1, d.count);
      return r;
    }
  const bool math = family_of(w.op) == OpFamily::math;
  const DType t = math ? math_dtype(d.dtype) : d.dtype;
  const DType computed = compute_dtype(t);
  UnaryLoop loop = loops().unary(w.op, computed);
  if (!loop) loop = function_loop(w.op, computed);
  if (!loop) {
    if (d.dtype == DType::int1 || (w.op == Op::logical_not)) {  // a bool counts as 0 or 1; ! asks whether a value is 0
      if (w.op == Op::logical_not) {
        const Ref zero = make_number(w.state, d.dtype, 0, 0, 0, nullptr);
        return binary({w.state, Op::eq, w.location}, {Ref::share(&d)}, {zero});
      }
      return Ref::share(&d);  // -x and |x| of one bit
    }
    fail(w, FaultKind::shape, fmt::format("not defined for {}", name_of(d.dtype)), "", "cast first with .to");
  }
  if (is_absent(d)) return absent_result(w, {&d}, t, d.rank, d.dims);
  if (d.form == Form::box && !math)
    if (Ref r = box_not(w.state, d)) return r;
  if (w.op == Op::neg && d.form == Form::affine) {
    const Ref zero = make_int(w.state, t, 0);
    return binary({w.state, Op::sub, w.location}, {zero}, {Ref::share(&d)});
  }
  Ref keep;
  View v = view_as(w, d, computed, d.rank, keep);
  std::int64_t small[max_rank];
  const bool one = is_uniform(d);
  for (int i = 0; i < d.rank; ++i) small[i] = one || v.strides[i] == 0 ? 1 : d.dims[i];
  Ref result = make_dense(w.state, computed, d.rank, small);
  const int size = size_in_bytes(computed);
  walk<1>(d.rank, small, &v,
          [&](std::int64_t n, std::int64_t at, const std::int64_t* offset, const std::int64_t* step) {
            loop(result->buffer->bytes() + at * size, v.data + offset[0] * size, step[0], n);
          });
  if (computed != t) result = cast(w, *result, t);
  Ref r = broadcast(w, *settle(std::move(result)), d.rank, d.dims);
  if (d.undefined && !r->undefined) r->undefined = Ref::share(d.undefined).release();
  return r;
}

namespace {

Ref chosen_lanes(const Where& w, const Value& mask, const Value& a, const Value& b) {
  int rank = mask.rank;
  std::int64_t dims[max_rank];
  std::copy_n(mask.dims, mask.rank, dims);
  for (const Value* side : {&a, &b}) {
    Ref probe = make_bool(w.state, true, rank, dims);
    int r;
    if (!broadcast_shape(*probe, *side, r, dims))
      fail(w, FaultKind::shape, "shapes do not broadcast",
           "the mask is " + text_of_shape(mask.dims, mask.rank) + ", the values " + text_of_shape(a.dims, a.rank) +
               " and " + text_of_shape(b.dims, b.rank),
           insert_an_axis(w));
    rank = r;
  }
  if (is_uniform(mask)) return broadcast(w, int_of(mask) ? a : b, rank, dims);
  const DType t = a.element_dtype();
  if (any_absent(mask, a, b)) return absent_result(w, {&a, &b, &mask}, t, rank, dims);
  Ref keep[3];
  View views[3] = {view_as(w, mask, DType::int1, rank, keep[0]), view_as(w, a, t, rank, keep[1]),
                   view_as(w, b, t, rank, keep[2])};
  Ref r = make_dense(w.state, t, rank, dims);
  const int size = size_in_bytes(t);
  const SelectLoop loop = loops().select(size);
  walk<3>(rank, dims, views, [&](std::int64_t n, std::int64_t at, const std::int64_t* o, const std::int64_t* step) {
    loop(r->buffer->bytes() + at * size, reinterpret_cast<const unsigned char*>(views[0].data) + o[0], step[0],
         views[1].data + o[1] * size, step[1], views[2].data + o[2] * size, step[2], n);
  });
  return settle(std::move(r));
}

}  // namespace

Ref select(const Where& w, const Value& mask, const Value& a, const Value& b) {
  Ref r = chosen_lanes(w, mask, a, b);
  if (is_uniform(mask) || r->form == Form::absent || !(a.undefined || b.undefined || mask.undefined)) return r;
  const Ref none = make_bool(w.state, false, 0, nullptr);
  const Ref chosen = chosen_lanes(w, mask, a.undefined ? *a.undefined : *none, b.undefined ? *b.undefined : *none);
  r->undefined = broadcast(w, *union_of(w.state, chosen.get(), mask.undefined), r->rank, r->dims).release();
  return r;
}

}  // namespace tl::cpu
