// Arithmetic on affine ints: the closed form of x op y, where it has one.
#include "interp/cpu/affine.h"

#include "interp/cpu/symbolic.h"

namespace tl::cpu {

bool read(const Value& d, DType t, int rank, const std::int64_t* dims, Affine& out) {
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

namespace {

// x / m and x % m where no lane crosses a multiple of m, or all lanes lie multiples of m apart; C++'s sign rules, so
// that only one side of 0 will do.
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
  std::int64_t min, max;
  if (!sub(x, y, rank, d) || !range(d, rank, dims, min, max)) return 0;
  return max <= 0 ? -1 : min >= 0 ? 1 : 0;
}

}  // namespace

Ref affine_arithmetic(State& s, Op op, DType t, const Value& a, const Value& b, int rank, const std::int64_t* dims) {
  Affine x, y, r;
  if (!read(a, t, rank, dims, x) || !read(b, t, rank, dims, y)) return {};
  switch (op) {
    case Op::div:
    case Op::mod: {
      if (is_uniform(x, rank) || !is_uniform(y, rank)) return {};
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
      if (!add(x, y, rank, r)) return {};
      break;
    case Op::sub:
      if (!sub(x, y, rank, r)) return {};
      break;
    case Op::mul: {
      const bool y_uniform = is_uniform(y, rank);
      if (!y_uniform && !is_uniform(x, rank)) return {};
      if (!mul(y_uniform ? x : y, y_uniform ? y.base : x.base, rank, r)) return {};
      break;
    }
    default: return {};
  }
  return make_affine(s, t, r, rank, dims);
}

}  // namespace tl::cpu
