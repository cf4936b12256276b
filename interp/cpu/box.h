// The closed form of masks: lane (i, j, ..) = lo[0] <= i < hi[0] && lo[1] <= j < hi[1] && ..
#pragma once

#include <algorithm>

#include "interp/cpu/affine.h"

namespace tl::cpu {

struct Box {
  std::int64_t lo[max_rank], hi[max_rank];
};

template <class Rank>
Box whole_box(Rank rank, const std::int64_t* dims) {
  Box b;
  for (int i = 0; i < rank; ++i) {
    b.lo[i] = 0;
    b.hi[i] = dims[i];
  }
  return b;
}

template <class Rank>
Ref make_box(State& s, const Box& b, Rank rank, const std::int64_t* dims) {
  for (int i = 0; i < rank; ++i)
    if (b.lo[i] >= b.hi[i]) return make_mask(s, false, rank, dims);
  Value* d = s.make(Form::box, DType::int1, rank, dims);
  d->base = 1;
  for (int i = 0; i < rank; ++i) {
    d->lo()[i] = b.lo[i];
    d->hi[i] = b.hi[i];
  }
  return Ref::take(d);
}

inline std::int64_t floor_div(std::int64_t a, std::int64_t b) {  // b > 0
  return b == 1 ? a : a / b - (a % b < 0);                       // most masks step by one, and a division is slow
}

// The only axis along which lanes differ; -1 where there are several, which make no box.
template <class Rank>
int stepping_axis(const Affine& d, Rank rank) {
  int axis = -1;
  for (int i = 0; i < rank; ++i)
    if (d.strides[i] != 0) {
      if (axis >= 0) return -1;
      axis = i;
    }
  return axis;
}

// d < 0
template <class Rank>
Ref where_negative(State& s, const Affine& d, Rank rank, const std::int64_t* dims) {
  std::int64_t min, max;
  if (!range(d, rank, dims, min, max)) return {};
  if (max < 0 || min >= 0) return make_mask(s, max < 0, rank, dims);
  const int axis = stepping_axis(d, rank);
  if (axis < 0) return {};
  Box box = whole_box(rank, dims);
  const std::int64_t step = d.strides[axis];
  if (step > 0)
    box.hi[axis] = std::clamp<std::int64_t>(-floor_div(d.base, step), 0,
                                            dims[axis]);  // base + step i < 0 for i < ceil(-base / step)
  else box.lo[axis] = std::clamp<std::int64_t>(floor_div(d.base, -step) + 1, 0, dims[axis]);
  return make_box(s, box, rank, dims);
}

// d == 0, or d != 0
template <class Rank>
Ref where_zero(State& s, const Affine& d, bool is_zero, Rank rank, const std::int64_t* dims) {
  std::int64_t min, max;
  if (!range(d, rank, dims, min, max)) return {};
  if (min > 0 || max < 0) return make_mask(s, !is_zero, rank, dims);
  if (min == 0 && max == 0) return make_mask(s, is_zero, rank, dims);
  const int axis = stepping_axis(d, rank);
  if (axis < 0) return {};
  const std::int64_t step = d.strides[axis];
  if (step != 1 && d.base % step) return make_mask(s, !is_zero, rank, dims);
  if (!is_zero) return {};
  Box box = whole_box(rank, dims);
  box.lo[axis] = -(d.base / step);
  box.hi[axis] = box.lo[axis] + 1;
  return make_box(s, box, rank, dims);
}

// x op y, one of < <= > >= == !=, where d is x - y.
template <Op op, class Rank>
Ref where_sign(State& s, Affine d, Rank rank, const std::int64_t* dims) {
  if constexpr (op == Op::eq || op == Op::ne) return where_zero(s, d, op == Op::eq, rank, dims);
  if constexpr (op == Op::gt || op == Op::ge)  // y - x < 0
    if (!mul(d, -1, rank, d)) return {};
  if constexpr (op == Op::le || op == Op::ge)  // x - y - 1 < 0
    if (!sub(d.base, 1, d.base)) return {};
  return where_negative(s, d, rank, dims);
}

}  // namespace tl::cpu
