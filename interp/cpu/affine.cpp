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

bool uniform(const Affine& a, int rank) { return std::all_of(a.strides, a.strides + rank, [](std::int64_t s) { return s == 0; }); }

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

Ref affine_arithmetic(State& s, Op op, DType t, const Data& a, const Data& b, int rank, const std::int64_t* dims) {
  Affine x, y, r{};
  if (!read(a, t, rank, dims, x) || !read(b, t, rank, dims, y)) return {};
  bool exact = true;
  switch (op) {
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

Ref affine_comparison(State& s, Op op, DType t, const Data& a, const Data& b, int rank, const std::int64_t* dims) {
  Affine x, y, d{};
  if (!read(a, t, rank, dims, x) || !read(b, t, rank, dims, y)) return {};
  // a op b is a - b op 0; > and >= turn the sign, <= and >= take one more.
  const bool turned = op == Op::gt || op == Op::ge;
  if (turned) std::swap(x, y);
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
