// Masks: comparisons of affine ints, and logic on boxes.
#include "interp/cpu/box.h"

#include "interp/cpu/symbolic.h"

namespace tl::cpu {

Ref affine_comparison(State& s, Op op, DType t, const Value& a, const Value& b, int rank, const std::int64_t* dims) {
  Affine x, y, d;
  if (!read(a, t, rank, dims, x) || !read(b, t, rank, dims, y) || !sub(x, y, rank, d)) return {};
  switch (op) {
    case Op::lt: return where_sign<Op::lt>(s, d, rank, dims);
    case Op::le: return where_sign<Op::le>(s, d, rank, dims);
    case Op::gt: return where_sign<Op::gt>(s, d, rank, dims);
    case Op::ge: return where_sign<Op::ge>(s, d, rank, dims);
    case Op::eq: return where_sign<Op::eq>(s, d, rank, dims);
    default: return where_sign<Op::ne>(s, d, rank, dims);
  }
}

namespace {

// At the result's coordinates: along a broadcast axis, all or nothing. Null lanes make an empty box on every axis.
bool read(const Value& d, int rank, const std::int64_t* dims, Box& out) {
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

}  // namespace

Ref box_logic(State& s, Op op, const Value& a, const Value& b, int rank, const std::int64_t* dims) {
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

Ref box_not(State& s, const Value& d) {
  if (is_uniform(d)) return make_bool(s, !int_of(d), d.rank, d.dims);
  int axis = -1;
  for (int i = 0; i < d.rank; ++i)
    if (d.lo()[i] != 0 || d.hi[i] != d.dims[i]) {
      if (axis >= 0) return {};
      axis = i;
    }
  if (d.lo()[axis] != 0 && d.hi[axis] != d.dims[axis]) return {};
  Box box = whole_box(static_cast<int>(d.rank), d.dims);
  box.lo[axis] = d.lo()[axis] == 0 ? d.hi[axis] : 0;
  box.hi[axis] = d.lo()[axis] == 0 ? d.dims[axis] : d.lo()[axis];
  return make_box(s, box, d.rank, d.dims);
}

}  // namespace tl::cpu
