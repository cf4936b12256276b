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

bool uniform(const Affine& a, int rank) {
  std::int64_t any = 0;
  for (int i = 0; i < rank; ++i) any |= a.strides[i];
  return any == 0;
}

bool add(std::int64_t a, std::int64_t b, std::int64_t& out) { return !__builtin_add_overflow(a, b, &out); }
bool sub(std::int64_t a, std::int64_t b, std::int64_t& out) { return !__builtin_sub_overflow(a, b, &out); }
bool mul(std::int64_t a, std::int64_t b, std::int64_t& out) { return !__builtin_mul_overflow(a, b, &out); }

bool range(const Affine& a, int rank, const std::int64_t* dims, __int128& min, __int128& max) {
  min = max = a.base;
  for (int i = 0; i < rank; ++i) (a.strides[i] > 0 ? max : min) += static_cast<__int128>(a.strides[i]) * (dims[i] - 1);
  return true;
}

Ref make_affine(State& s, DType t, const Affine& a, int rank, const std::int64_t* dims) {
  if (!uniform(a, rank)) {
    __int128 min, max;
    range(a, rank, dims, min, max);
    if (!fits(t, min, max)) return {};
  }
  Data* d = s.make(Form::affine, t, rank, dims);
  d->base = wrap(t, a.base);
  for (int i = 0; i < rank; ++i) d->strides[i] = a.strides[i];
  return Ref::take(d);
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) {  // b > 0
  return a / b - (a % b < 0);
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

Ref make_box(State& s, const Box& b, int rank, const std::int64_t* dims) {
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
  __int128 min, max;
  range(x, rank, dims, min, max);
  if (m <= 0 || (min < 0 && max > 0)) return false;
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
  __int128 min, max;
  range(d, rank, dims, min, max);
  return max <= 0 ? -1 : min >= 0 ? 1 : 0;
}

Ref arithmetic(State& s, Op op, DType t, const Affine& x, const Affine& y, int rank, const std::int64_t* dims) {
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

Ref comparison(State& s, Op op, const Affine& a, const Affine& b, int rank, const std::int64_t* dims) {
  // a op b is a - b op 0; > and >= turn the sign, <= and >= take one more.
  const bool turned = op == Op::gt || op == Op::ge;
  const Affine &x = turned ? b : a, &y = turned ? a : b;
  Affine d{};
  bool exact = sub(x.base, y.base, d.base);
  for (int i = 0; i < rank; ++i) exact &= sub(x.strides[i], y.strides[i], d.strides[i]);
  if (op == Op::le || op == Op::ge) exact &= sub(d.base, 1, d.base);
  if (!exact) return {};
  __int128 min, max;
  range(d, rank, dims, min, max);
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
    if (d.base % step) return make_bool(s, op == Op::ne, rank, dims);
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

// Of one dtype already: the lanes at the result's coordinates.
void align(const Data& d, int rank, const std::int64_t* dims, Affine& out) {
  out.base = d.base;
  const int shift = rank - d.rank;
  for (int i = 0; i < shift; ++i) out.strides[i] = 0;
  for (int i = 0; i < d.rank; ++i) out.strides[i + shift] = d.dims[i] == dims[i + shift] && d.dims[i] > 1 ? d.strides[i] : 0;
}

}  // namespace

namespace {

// a & b of boxes, where the result has an axis.
Ref intersection(State& s, const Data& a, const Data& b, int rank, const std::int64_t* dims) {
  Data* d = s.make(Form::box, DType::int1, rank, dims);
  bool none = false;
  for (int i = 0; i < rank; ++i) {
    d->lo()[i] = 0;
    d->hi[i] = dims[i];
  }
  for (const Data* side : {&a, &b}) {
    const int shift = rank - side->rank;
    if (side->rank == 0) none |= side->base == 0;
    for (int i = 0; i < side->rank; ++i) {
      none |= side->lo()[i] >= side->hi[i];
      if (side->dims[i] != dims[i + shift]) continue;  // broadcast: all or nothing
      d->lo()[i + shift] = std::max(d->lo()[i + shift], side->lo()[i]);
      d->hi[i + shift] = std::min(d->hi[i + shift], side->hi[i]);
    }
  }
  for (int i = 0; i < rank; ++i) none |= d->lo()[i] >= d->hi[i];
  d->base = !none;
  if (none)
    for (int i = 0; i < rank; ++i) d->lo()[i] = d->hi[i] = 0;
  return Ref::take(d);
}

}  // namespace

Ref common_case(const Where& w, const Data* a, const Data* b, const Literal* l) {
  const Op op = w.op;
  int rank;
  std::int64_t dims[max_rank];
  if (a && b && a->dtype == DType::int1 && b->dtype == DType::int1) {
    if (op != Op::bit_and || a->form != Form::box || b->form != Form::box || a->undefined || b->undefined || !broadcast_shape(*a, *b, rank, dims)) return {};
    return rank ? intersection(w.state, *a, *b, rank, dims) : box_logic(w.state, op, *a, *b, rank, dims);
  }
  const bool compares = op >= Op::lt && op <= Op::ne;
  if (!compares && op != Op::add && op != Op::sub && op != Op::mul) return {};
  const Data* some = a ? a : b;
  if (!some || some->dtype == DType::int1 || (a && (a->form != Form::affine || a->undefined)) || (b && (b->form != Form::affine || b->undefined))) return {};
  const DType t = some->dtype;
  Affine p, q;
  if (a && b) {
    if (a->dtype != b->dtype || !broadcast_shape(*a, *b, rank, dims)) return {};
    align(*a, rank, dims, p);
    align(*b, rank, dims, q);
  } else {
    if (l->kind != LiteralKind::integer || !fits(t, l->integer, l->integer)) return {};
    Affine &value = a ? p : q, &literal = a ? q : p;
    rank = some->rank;
    value.base = some->base;
    literal.base = l->integer;
    for (int i = 0; i < rank; ++i) {
      dims[i] = some->dims[i];
      value.strides[i] = some->dims[i] > 1 ? some->strides[i] : 0;
      literal.strides[i] = 0;
    }
  }
  return compares ? comparison(w.state, op, p, q, rank, dims) : arithmetic(w.state, op, t, p, q, rank, dims);
}

Ref affine_pointer(State& s, const Data& pointer, const Data& offsets, int sign) {
  int rank;
  std::int64_t dims[max_rank];
  if (pointer.form != Form::affine || offsets.form != Form::affine || pointer.undefined || offsets.undefined || !broadcast_shape(pointer, offsets, rank, dims)) return {};
  Affine p, q;
  align(pointer, rank, dims, p);
  align(offsets, rank, dims, q);
  Ref r = arithmetic(s, sign > 0 ? Op::add : Op::sub, DType::int64, p, q, rank, dims);
  if (!r) return r;
  r->is_pointer = true;
  r->dtype = pointer.dtype;
  r->tensor = pointer.tensor;
  return r;
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
