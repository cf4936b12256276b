// The usual index and mask expressions: + - * and comparisons of affine ints of one dtype and rank, or with a scalar,
// and & of boxes. Written for speed, with code of its own for each op; null for all that the general case
// (interp/cpu/symbolic.h) handles.
#pragma once

#include "interp/cpu/box.h"

namespace tl::cpu {

constexpr bool has_common_case(Op op) {
  return is_comparison(op) || op == Op::add || op == Op::sub || op == Op::mul || op == Op::bit_and;
}
inline bool is_plain_affine(const Value& d) { return d.form == Form::affine && !d.undefined; }

// Exact in 64 bits, then wrapped.
template <Op op>
inline Ref of_scalars(State& s, DType t, std::int64_t x, std::int64_t y) {
  if constexpr (is_comparison(op)) {
    const bool v = op == Op::lt   ? x < y
                   : op == Op::le ? x <= y
                   : op == Op::gt ? x > y
                   : op == Op::ge ? x >= y
                   : op == Op::eq ? x == y
                                  : x != y;
    return make_mask(s, v, std::integral_constant<int, 0>(), nullptr);
  } else {
    std::int64_t r;
    if (!(op == Op::add ? add(x, y, r) : op == Op::sub ? sub(x, y, r) : mul(x, y, r))) return {};
    return make_scalar(s, t, r);
  }
}

// lanes op v, or v op lanes: + and - move the base, * scales every step.
template <Op op, class Rank>
inline Ref of_lanes_and_scalar(State& s, const Value& lanes, Rank rank, std::int64_t v, bool scalar_is_left) {
  Affine x = affine_of(lanes, rank);
  if constexpr (is_comparison(op)) {
    // lanes < v where lanes - v < 0
    if (!scalar_is_left) return sub(x.base, v, x.base) ? where_sign<op>(s, x, rank, lanes.dims) : Ref();
    return mul(x, -1, rank, x) && add(x.base, v, x.base) ? where_sign<op>(s, x, rank, lanes.dims) : Ref();
  } else {
    const bool exact = op == Op::add     ? add(x.base, v, x.base)
                       : op == Op::mul   ? mul(x, v, rank, x)
                       : !scalar_is_left ? sub(x.base, v, x.base)
                                         : mul(x, -1, rank, x) && add(x.base, v, x.base);
    return exact ? make_affine(s, lanes.dtype, x, rank, lanes.dims) : Ref();
  }
}

// The shape of two values of one rank together, and their lanes at its coordinates; false where they do not broadcast.
template <class Rank>
inline bool align(const Value& a, const Value& b, Rank rank, std::int64_t* dims, Affine& p, Affine& q) {
  bool fits_together = true;
  p.base = a.base;
  q.base = b.base;
  for (int i = 0; i < rank; ++i) {
    const std::int64_t x = a.dims[i], y = b.dims[i], n = x > y ? x : y;
    fits_together &= ((x == n) | (x == 1)) & ((y == n) | (y == 1));
    dims[i] = n;
    p.strides[i] = x > 1 ? a.strides[i] : 0;
    q.strides[i] = y > 1 ? b.strides[i] : 0;
  }
  return fits_together;
}

template <Op op, class Rank>
inline Ref of_lanes(State& s, const Value& a, const Value& b, Rank rank) {
  if constexpr (op == Op::mul) {
    return {};
  } else {
    Affine p, q;
    std::int64_t dims[max_rank];
    if (!align(a, b, rank, dims, p, q) || !(op == Op::add ? add(p, q, rank, p) : sub(p, q, rank, p))) return {};
    if constexpr (is_comparison(op)) return where_sign<op>(s, p, rank, dims);
    else return make_affine(s, a.dtype, p, rank, dims);
  }
}

// a & b of boxes of one rank. Along a broadcast axis a box is all or nothing.
template <class Rank>
inline Ref intersection(State& s, const Value& a, const Value& b, Rank rank) {
  bool fits_together = true, none = false;
  std::int64_t dims[max_rank];
  Box r;
  for (int i = 0; i < rank; ++i) {
    const std::int64_t x = a.dims[i], y = b.dims[i], n = x > y ? x : y;
    fits_together &= ((x == n) | (x == 1)) & ((y == n) | (y == 1));
    const std::int64_t a_lo = a.lo()[i], a_hi = a.hi[i], b_lo = b.lo()[i], b_hi = b.hi[i];
    const std::int64_t lo = std::max(x == n ? a_lo : 0, y == n ? b_lo : 0),
                       hi = std::min(x == n ? a_hi : n, y == n ? b_hi : n);
    none |= (a_lo >= a_hi) | (b_lo >= b_hi) | (lo >= hi);
    dims[i] = n;
    r.lo[i] = lo;
    r.hi[i] = hi;
  }
  if (!fits_together) return {};
  if (none) return make_mask(s, false, rank, dims);
  Value* d = s.make(Form::box, DType::int1, rank, dims);
  d->base = 1;
  for (int i = 0; i < rank; ++i) {
    d->lo()[i] = r.lo[i];
    d->hi[i] = r.hi[i];
  }
  return Ref::take(d);
}

template <Op op>
inline Ref common_case(State& s, const Value& a, const Value& b) {
  if constexpr (op == Op::bit_and) {
    if (a.form != Form::box || b.form != Form::box || a.rank != b.rank || a.rank == 0 || a.undefined || b.undefined)
      return {};
    return with_rank(a.rank, [&](auto rank) { return intersection(s, a, b, rank); });
  } else if constexpr (has_common_case(op)) {
    if (!is_plain_affine(a) || !is_plain_affine(b) || a.dtype != b.dtype) return {};
    if (b.rank == 0) {
      if (a.rank == 0) return of_scalars<op>(s, a.dtype, a.base, b.base);
      return with_rank(a.rank, [&](auto rank) { return of_lanes_and_scalar<op>(s, a, rank, b.base, false); });
    }
    if (a.rank == 0)
      return with_rank(b.rank, [&](auto rank) { return of_lanes_and_scalar<op>(s, b, rank, a.base, true); });
    if (a.rank != b.rank) return {};
    return with_rank(a.rank, [&](auto rank) { return of_lanes<op>(s, a, b, rank); });
  } else {
    return {};
  }
}

// a op literal, or literal op a.
template <Op op>
inline Ref common_case(State& s, const Value& a, const Literal& l, bool literal_is_left) {
  if constexpr (op == Op::bit_and || !has_common_case(op)) {
    return {};
  } else {
    if (!is_plain_affine(a) || l.kind != LiteralKind::integer || !fits(a.dtype, l.integer, l.integer)) return {};
    if (a.rank == 0)
      return literal_is_left ? of_scalars<op>(s, a.dtype, l.integer, a.base)
                             : of_scalars<op>(s, a.dtype, a.base, l.integer);
    return with_rank(a.rank,
                     [&](auto rank) { return of_lanes_and_scalar<op>(s, a, rank, l.integer, literal_is_left); });
  }
}

template <class Rank>
inline Ref make_pointer(State& s, const Value& like, const Affine& at, Rank rank, const std::int64_t* dims) {
  std::int64_t min, max;
  if (!range(at, rank, dims, min, max)) return {};
  Value* d = s.make(Form::affine, like.dtype, rank, dims);
  d->is_pointer = true;
  d->tensor = like.tensor;
  d->base = at.base;
  for (int i = 0; i < rank; ++i) d->strides[i] = at.strides[i];
  return Ref::take(d);
}

// pointer + offsets, pointer - offsets
template <Op op>
inline Ref common_pointer(State& s, const Value& pointer, const Value& offsets) {
  static_assert(op == Op::add || op == Op::sub);
  if (!is_plain_affine(pointer) || !is_plain_affine(offsets)) return {};
  if (offsets.rank == 0)
    return with_rank(pointer.rank, [&](auto rank) -> Ref {
      Affine r = affine_of(pointer, rank);
      return (op == Op::add ? add(r.base, offsets.base, r.base) : sub(r.base, offsets.base, r.base))
                 ? make_pointer(s, pointer, r, rank, pointer.dims)
                 : Ref();
    });
  if (pointer.rank == 0 && op == Op::add)
    return with_rank(offsets.rank, [&](auto rank) -> Ref {
      Affine r = affine_of(offsets, rank);
      return add(r.base, pointer.base, r.base) ? make_pointer(s, pointer, r, rank, offsets.dims) : Ref();
    });
  if (pointer.rank != offsets.rank) return {};
  return with_rank(pointer.rank, [&](auto rank) -> Ref {
    Affine p, q;
    std::int64_t dims[max_rank];
    if (!align(pointer, offsets, rank, dims, p, q) || !(op == Op::add ? add(p, q, rank, p) : sub(p, q, rank, p)))
      return {};
    return make_pointer(s, pointer, p, rank, dims);
  });
}

}  // namespace tl::cpu
