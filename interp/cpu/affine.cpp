// Index and mask arithmetic without lanes.
#include "interp/cpu/affine.h"

#include <algorithm>

namespace tl::cpu {

namespace {

struct Affine {
  std::int64_t base;
  std::int64_t strides[max_rank];
};

// The value's lanes as those of a `t` at the result's coordinates, where that needs no wrapping of different lanes.
bool read(const Data& d, DType t, int rank, const std::int64_t* dims, Affine& out) {
  for (int i = 0; i < rank; ++i) out.strides[i] = 0;
  if (d.form == Form::box) {
    if (!is_uniform(d)) return false;
    out.base = int_of(d);
    return true;
  }
  if (d.form != Form::affine) return false;
  out.base = d.base;
  if (is_uniform(d)) {
    out.base = wrap(t, d.base);
    return true;
  }
  if (d.dtype != t) {
    const Bounds b = bounds_of(d);
    if (!fits(t, b.min, b.max)) return false;
  }
  for (int i = 0, shift = rank - d.rank; i < d.rank; ++i)
    if (d.dims[i] == dims[i + shift] && d.dims[i] > 1) out.strides[i + shift] = d.strides[i];
  return true;
}

template <class Rank>
bool uniform(const Affine& a, Rank rank) {
  std::int64_t any = 0;
  for (int i = 0; i < rank; ++i) any |= a.strides[i];
  return any == 0;
}

bool add(std::int64_t a, std::int64_t b, std::int64_t& out) { return !__builtin_add_overflow(a, b, &out); }
bool sub(std::int64_t a, std::int64_t b, std::int64_t& out) { return !__builtin_sub_overflow(a, b, &out); }
bool mul(std::int64_t a, std::int64_t b, std::int64_t& out) { return !__builtin_mul_overflow(a, b, &out); }

// Smallest and largest lane; false where 64 bits do not hold them.
template <class Rank>
bool range(const Affine& a, Rank rank, const std::int64_t* dims, std::int64_t& min, std::int64_t& max) {
  min = max = a.base;
  bool exact = true;
  for (int i = 0; i < rank; ++i) {
    std::int64_t span;
    exact &= mul(a.strides[i], dims[i] - 1, span);
    std::int64_t& end = span > 0 ? max : min;
    exact &= add(end, span, end);
  }
  return exact;
}

template <class Rank>
Ref make_affine(State& s, DType t, const Affine& a, Rank rank, const std::int64_t* dims) {
  if (!uniform(a, rank)) {
    std::int64_t min, max;
    if (!range(a, rank, dims, min, max) || !fits(t, min, max)) return {};
  }
  Data* d = s.make(Form::affine, t, rank, dims);
  d->base = wrap(t, a.base);
  for (int i = 0; i < rank; ++i) d->strides[i] = a.strides[i];
  return Ref::take(d);
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) {  // b > 0
  return b == 1 ? a : a / b - (a % b < 0);  // most masks step by one, and a division is slow
}

struct Box {
  std::int64_t lo[max_rank], hi[max_rank];
};

// At the result's coordinates: along a broadcast axis, all or nothing. Null lanes make an empty box on every axis.
bool read(const Data& d, int rank, const std::int64_t* dims, Box& out) {
  if (d.form != Form::box) return false;
  const bool empty = is_uniform(d) && int_of(d) == 0;
  for (int i = 0; i < rank; ++i) {
    out.lo[i] = 0;
    out.hi[i] = empty ? 0 : dims[i];
  }
  if (empty) return true;
  for (int i = 0, shift = rank - d.rank; i < d.rank; ++i)
    if (d.dims[i] == dims[i + shift]) {
      out.lo[i + shift] = d.lo()[i];
      out.hi[i + shift] = d.hi[i];
    }
  return true;
}

bool contains(const Box& a, const Box& b, int rank) {
  for (int i = 0; i < rank; ++i)
    if (a.lo[i] > b.lo[i] || a.hi[i] < b.hi[i]) return false;
  return true;
}

template <class Rank>
Ref make_box(State& s, const Box& b, Rank rank, const std::int64_t* dims) {
  for (int i = 0; i < rank; ++i)
    if (b.lo[i] >= b.hi[i]) return make_bool(s, false, rank, dims);
  Data* d = s.make(Form::box, DType::int1, rank, dims);
  d->base = 1;
  for (int i = 0; i < rank; ++i) {
    d->lo()[i] = b.lo[i];
    d->hi[i] = b.hi[i];
  }
  return Ref::take(d);
}

}  // namespace

namespace {

// x / m and x % m where no lane crosses a multiple of m, or all lanes lie multiples of m apart; C++'s sign rules, so that only one side of 0 will do.
bool divide(const Affine& x, std::int64_t m, int rank, const std::int64_t* dims, Affine& quotient, Affine& remainder) {
  std::int64_t min, max;
  if (!range(x, rank, dims, min, max) || m <= 0 || (min < 0 && max > 0)) return false;
  bool apart = true;
  for (int i = 0; i < rank; ++i) {
    apart &= x.strides[i] % m == 0;
    quotient.strides[i] = remainder.strides[i] = 0;
  }
  quotient.base = x.base / m;
  remainder.base = x.base % m;
  if (apart) {
    for (int i = 0; i < rank; ++i) quotient.strides[i] = x.strides[i] / m;
    return true;
  }
  if (min / m != max / m) return false;
  for (int i = 0; i < rank; ++i) remainder.strides[i] = x.strides[i];
  return true;
}

// Which of two is never above the other: -1 for x, 1 for y, 0 for neither.
int lower(const Affine& x, const Affine& y, int rank, const std::int64_t* dims) {
  Affine d;
  bool exact = sub(x.base, y.base, d.base);
  for (int i = 0; i < rank; ++i) exact &= sub(x.strides[i], y.strides[i], d.strides[i]);
  if (!exact) return 0;
  std::int64_t min, max;
  if (!range(d, rank, dims, min, max)) return 0;
  return max <= 0 ? -1 : min >= 0 ? 1 : 0;
}

template <class Rank>
Ref arithmetic(State& s, Op op, DType t, const Affine& x, const Affine& y, Rank rank, const std::int64_t* dims) {
  Affine r;
  bool exact = true;
  switch (op) {
    case Op::div:
    case Op::mod: {
      if (uniform(x, rank) || !uniform(y, rank)) return {};
      Affine quotient, remainder;
      if (!divide(x, y.base, rank, dims, quotient, remainder)) return {};
      r = op == Op::div ? quotient : remainder;
      break;
    }
    case Op::minimum:
    case Op::maximum: {
      const int side = lower(x, y, rank, dims);
      if (side == 0) return {};
      r = (side < 0) == (op == Op::minimum) ? x : y;
      break;
    }
    case Op::add:
      exact &= add(x.base, y.base, r.base);
      for (int i = 0; i < rank; ++i) exact &= add(x.strides[i], y.strides[i], r.strides[i]);
      break;
    case Op::sub:
      exact &= sub(x.base, y.base, r.base);
      for (int i = 0; i < rank; ++i) exact &= sub(x.strides[i], y.strides[i], r.strides[i]);
      break;
    case Op::mul: {
      const bool y_uniform = uniform(y, rank);
      if (!y_uniform && !uniform(x, rank)) return {};
      const Affine& lanes = y_uniform ? x : y;
      const std::int64_t factor = y_uniform ? y.base : x.base;
      exact &= mul(lanes.base, factor, r.base);
      for (int i = 0; i < rank; ++i) exact &= mul(lanes.strides[i], factor, r.strides[i]);
      break;
    }
    default: return {};
  }
  if (!exact) return {};
  return make_affine(s, t, r, rank, dims);
}

template <class Rank>
Ref comparison(State& s, Op op, const Affine& a, const Affine& b, Rank rank, const std::int64_t* dims) {
  // a op b is a - b op 0; > and >= turn the sign, <= and >= take one more.
  const bool turned = op == Op::gt || op == Op::ge;
  const Affine &x = turned ? b : a, &y = turned ? a : b;
  Affine d{};
  bool exact = sub(x.base, y.base, d.base);
  for (int i = 0; i < rank; ++i) exact &= sub(x.strides[i], y.strides[i], d.strides[i]);
  if (op == Op::le || op == Op::ge) exact &= sub(d.base, 1, d.base);
  if (!exact) return {};
  std::int64_t min, max;
  if (!range(d, rank, dims, min, max)) return {};
  const bool equality = op == Op::eq || op == Op::ne;
  if (equality) {
    if (min > 0 || max < 0) return make_bool(s, op == Op::ne, rank, dims);
    if (min == 0 && max == 0) return make_bool(s, op == Op::eq, rank, dims);
  } else {
    if (max < 0) return make_bool(s, true, rank, dims);
    if (min >= 0) return make_bool(s, false, rank, dims);
  }
  int axis = -1;
  for (int i = 0; i < rank; ++i)
    if (d.strides[i] != 0) {
      if (axis >= 0) return {};  // it depends on two axes: no box
      axis = i;
    }
  if (axis < 0) return {};
  Box box;
  for (int i = 0; i < rank; ++i) {
    box.lo[i] = 0;
    box.hi[i] = dims[i];
  }
  const std::int64_t step = d.strides[axis];
  if (equality) {
    if (step != 1 && d.base % step) return make_bool(s, op == Op::ne, rank, dims);
    if (op == Op::ne) return {};
    box.lo[axis] = -(d.base / step);
    box.hi[axis] = box.lo[axis] + 1;
  } else if (step > 0) {
    box.hi[axis] = std::clamp<std::int64_t>(-floor_div(d.base, step), 0, dims[axis]);  // base + step i < 0 for i < ceil(-base / step)
  } else {
    box.lo[axis] = std::clamp<std::int64_t>(floor_div(d.base, -step) + 1, 0, dims[axis]);
  }
  return make_box(s, box, rank, dims);
}

}  // namespace

Ref affine_arithmetic(State& s, Op op, DType t, const Data& a, const Data& b, int rank, const std::int64_t* dims) {
  Affine x, y;
  if (!read(a, t, rank, dims, x) || !read(b, t, rank, dims, y)) return {};
  return arithmetic(s, op, t, x, y, rank, dims);
}

Ref affine_comparison(State& s, Op op, DType t, const Data& a, const Data& b, int rank, const std::int64_t* dims) {
  Affine x{}, y{};
  if (!read(a, t, rank, dims, x) || !read(b, t, rank, dims, y)) return {};
  return comparison(s, op, x, y, rank, dims);
}

namespace {

// The shape of `a` and `b` together, and their lanes at its coordinates; false where they do not broadcast. A value of rank 0 has one lane for all.
template <class Rank>
bool align(const Data& a, const Data& b, Rank rank, std::int64_t* dims, Affine& p, Affine& q) {
  bool fits_together = true;
  p.base = a.base;
  q.base = b.base;
  for (int i = 0; i < rank; ++i) {
    const int ia = i - (rank - a.rank), ib = i - (rank - b.rank);
    const std::int64_t x = ia >= 0 ? a.dims[ia] : 1, y = ib >= 0 ? b.dims[ib] : 1, n = x > y ? x : y;
    fits_together &= (x == n) | (x == 1);
    fits_together &= (y == n) | (y == 1);
    dims[i] = n;
    p.strides[i] = x > 1 ? a.strides[ia] : 0;
    q.strides[i] = y > 1 ? b.strides[ib] : 0;
  }
  return fits_together;
}

// a & b of boxes, where the result has an axis; null where they do not broadcast. Along a broadcast axis a box is all or nothing.
template <class Rank>
Ref intersection(State& s, const Data& a, const Data& b, Rank rank) {
  Box r;
  std::int64_t dims[max_rank];
  bool none = (a.rank == 0 && a.base == 0) || (b.rank == 0 && b.base == 0);
  for (int i = 0; i < rank; ++i) {
    const int ia = i - (rank - a.rank), ib = i - (rank - b.rank);
    const std::int64_t x = ia >= 0 ? a.dims[ia] : 1, y = ib >= 0 ? b.dims[ib] : 1, n = x > y ? x : y;
    if ((x != n && x != 1) || (y != n && y != 1)) return {};
    dims[i] = n;
    r.lo[i] = 0;
    r.hi[i] = n;
    if (ia >= 0) {
      none |= a.lo()[ia] >= a.hi[ia];
      if (x == n) r.lo[i] = a.lo()[ia], r.hi[i] = a.hi[ia];
    }
    if (ib >= 0) {
      none |= b.lo()[ib] >= b.hi[ib];
      if (y == n) r.lo[i] = std::max(r.lo[i], b.lo()[ib]), r.hi[i] = std::min(r.hi[i], b.hi[ib]);
    }
    none |= r.lo[i] >= r.hi[i];
  }
  Data* d = s.make(Form::box, DType::int1, rank, dims);
  d->base = !none;
  for (int i = 0; i < rank; ++i) {
    d->lo()[i] = none ? 0 : r.lo[i];
    d->hi[i] = none ? 0 : r.hi[i];
  }
  return Ref::take(d);
}

// Exact in 64 bits, then wrapped.
Ref of_scalars(State& s, Op op, DType t, std::int64_t x, std::int64_t y) {
  std::int64_t r = 0;
  bool exact = true;
  switch (op) {
    case Op::add: exact = add(x, y, r); break;
    case Op::sub: exact = sub(x, y, r); break;
    case Op::mul: exact = mul(x, y, r); break;
    case Op::lt: return make_bool(s, x < y, 0, nullptr);
    case Op::le: return make_bool(s, x <= y, 0, nullptr);
    case Op::gt: return make_bool(s, x > y, 0, nullptr);
    case Op::ge: return make_bool(s, x >= y, 0, nullptr);
    case Op::eq: return make_bool(s, x == y, 0, nullptr);
    default: return make_bool(s, x != y, 0, nullptr);
  }
  return exact ? make_int(s, t, r) : Ref();
}

// lanes op v, or v op lanes: + and - move the base, * scales every step.
template <class Rank>
Ref with_scalar(State& s, Op op, DType t, const Data& lanes, Rank rank, std::int64_t v, bool scalar_is_left) {
  if (op >= Op::lt && op <= Op::ne) {
    Affine p, q{v, {}};
    p.base = lanes.base;
    for (int i = 0; i < rank; ++i) p.strides[i] = lanes.dims[i] > 1 ? lanes.strides[i] : 0;
    return scalar_is_left ? comparison(s, op, q, p, rank, lanes.dims) : comparison(s, op, p, q, rank, lanes.dims);
  }
  Affine r;
  bool exact;
  std::int64_t factor = 1;
  if (op == Op::add) {
    exact = add(lanes.base, v, r.base);
  } else if (op == Op::mul) {
    exact = mul(lanes.base, v, r.base);
    factor = v;
  } else if (scalar_is_left) {
    exact = sub(v, lanes.base, r.base);
    factor = -1;
  } else {
    exact = sub(lanes.base, v, r.base);
  }
  for (int i = 0; i < rank; ++i) exact &= mul(lanes.dims[i] > 1 ? lanes.strides[i] : 0, factor, r.strides[i]);
  return exact ? make_affine(s, t, r, rank, lanes.dims) : Ref();
}

}  // namespace

Ref common_case(const Where& w, const Data* a, const Data* b, const Literal* l) {
  const Op op = w.op;
  State& s = w.state;
  const Data* some = a ? a : b;
  if (!some) return {};
  const DType t = some->dtype;
  if (t == DType::int1) {
    if (op != Op::bit_and || !a || !b || a->dtype != b->dtype || a->form != Form::box || b->form != Form::box || a->undefined || b->undefined) return {};
    const int rank = std::max(a->rank, b->rank);
    return with_rank(rank, [&](auto r) { return rank ? intersection(s, *a, *b, r) : make_bool(s, (a->base & b->base) != 0, 0, nullptr); });
  }
  const bool compares = op >= Op::lt && op <= Op::ne;
  if (!compares && op != Op::add && op != Op::sub && op != Op::mul) return {};
  if ((a && (a->form != Form::affine || a->undefined)) || (b && (b->form != Form::affine || b->undefined))) return {};
  if (a && b ? a->dtype != b->dtype : l->kind != LiteralKind::integer || !fits(t, l->integer, l->integer)) return {};
  const bool a_scalar = !a || a->rank == 0, b_scalar = !b || b->rank == 0;
  const std::int64_t x = a ? a->base : l->integer, y = b ? b->base : l->integer;
  if (a_scalar && b_scalar) return of_scalars(s, op, t, x, y);
  if (a_scalar || b_scalar) {
    const Data& lanes = a_scalar ? *b : *a;
    return with_rank(lanes.rank, [&](auto rank) { return with_scalar(s, op, t, lanes, rank, a_scalar ? x : y, a_scalar); });
  }
  return with_rank(std::max(a->rank, b->rank), [&](auto rank) -> Ref {
    Affine p, q;
    std::int64_t dims[max_rank];
    if (!align(*a, *b, rank, dims, p, q)) return {};
    return compares ? comparison(s, op, p, q, rank, dims) : arithmetic(s, op, t, p, q, rank, dims);
  });
}

Ref affine_pointer(State& s, const Data& pointer, const Data& offsets, int sign) {
  if (pointer.form != Form::affine || offsets.form != Form::affine || pointer.undefined || offsets.undefined) return {};
  return with_rank(std::max(pointer.rank, offsets.rank), [&](auto rank) -> Ref {
    Affine p, q;
    std::int64_t dims[max_rank], min, max;
    bool exact = align(pointer, offsets, rank, dims, p, q);
    if (sign > 0) {
      exact &= add(p.base, q.base, p.base);
      for (int i = 0; i < rank; ++i) exact &= add(p.strides[i], q.strides[i], p.strides[i]);
    } else {
      exact &= sub(p.base, q.base, p.base);
      for (int i = 0; i < rank; ++i) exact &= sub(p.strides[i], q.strides[i], p.strides[i]);
    }
    if (!exact || !range(p, rank, dims, min, max)) return {};
    Data* d = s.make(Form::affine, pointer.dtype, rank, dims);
    d->is_pointer = true;
    d->tensor = pointer.tensor;
    d->base = p.base;
    for (int i = 0; i < rank; ++i) d->strides[i] = p.strides[i];
    return Ref::take(d);
  });
}

Ref box_logic(State& s, Op op, const Data& a, const Data& b, int rank, const std::int64_t* dims) {
  Box x, y;
  if (!read(a, rank, dims, x) || !read(b, rank, dims, y)) return {};
  if (rank == 0) {
    const std::int64_t p = int_of(a), q = int_of(b);
    return make_bool(s, op == Op::bit_and ? p & q : op == Op::bit_or ? p | q : p ^ q, 0, nullptr);
  }
  switch (op) {
    case Op::bit_and:
      for (int i = 0; i < rank; ++i) {
        x.lo[i] = std::max(x.lo[i], y.lo[i]);
        x.hi[i] = std::min(x.hi[i], y.hi[i]);
      }
      return make_box(s, x, rank, dims);
    case Op::bit_or:
      if (x.hi[0] == 0 || contains(y, x, rank)) return make_box(s, y, rank, dims);
      if (y.hi[0] == 0 || contains(x, y, rank)) return make_box(s, x, rank, dims);
      return {};
    default: return {};
  }
}

Ref box_not(State& s, const Data& d) {
  if (is_uniform(d)) return make_bool(s, !int_of(d), d.rank, d.dims);
  int axis = -1;
  for (int i = 0; i < d.rank; ++i)
    if (d.lo()[i] != 0 || d.hi[i] != d.dims[i]) {
      if (axis >= 0) return {};
      axis = i;
    }
  if (d.lo()[axis] != 0 && d.hi[axis] != d.dims[axis]) return {};
  Box box;
  for (int i = 0; i < d.rank; ++i) {
    box.lo[i] = 0;
    box.hi[i] = d.dims[i];
  }
  box.lo[axis] = d.lo()[axis] == 0 ? d.hi[axis] : 0;
  box.hi[axis] = d.lo()[axis] == 0 ? d.dims[axis] : d.lo()[axis];
  return make_box(s, box, d.rank, d.dims);
}

}  // namespace tl::cpu
