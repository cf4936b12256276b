// The closed form of ints and pointers: lane (i, j, ..) = base + strides[0] i + strides[1] j + ..   Exact in 64 bits,
// or not at all.
#pragma once

#include "interp/cpu/state.h"

namespace tl::cpu {

struct Affine {
  std::int64_t base;
  std::int64_t strides[max_rank];
};

inline bool add(std::int64_t a, std::int64_t b, std::int64_t& out) { return !__builtin_add_overflow(a, b, &out); }
inline bool sub(std::int64_t a, std::int64_t b, std::int64_t& out) { return !__builtin_sub_overflow(a, b, &out); }
inline bool mul(std::int64_t a, std::int64_t b, std::int64_t& out) { return !__builtin_mul_overflow(a, b, &out); }

template <class Rank>
bool add(const Affine& a, const Affine& b, Rank rank, Affine& out) {
  bool exact = add(a.base, b.base, out.base);
  for (int i = 0; i < rank; ++i) exact &= add(a.strides[i], b.strides[i], out.strides[i]);
  return exact;
}
template <class Rank>
bool sub(const Affine& a, const Affine& b, Rank rank, Affine& out) {
  bool exact = sub(a.base, b.base, out.base);
  for (int i = 0; i < rank; ++i) exact &= sub(a.strides[i], b.strides[i], out.strides[i]);
  return exact;
}
template <class Rank>
bool mul(const Affine& a, std::int64_t factor, Rank rank, Affine& out) {
  bool exact = mul(a.base, factor, out.base);
  for (int i = 0; i < rank; ++i) exact &= mul(a.strides[i], factor, out.strides[i]);
  return exact;
}

template <class Rank>
bool is_uniform(const Affine& a, Rank rank) {
  std::int64_t any = 0;
  for (int i = 0; i < rank; ++i) any |= a.strides[i];
  return any == 0;
}

// Smallest and largest lane; false where 64 bits do not hold them.
template <class Rank>
bool range(const Affine& a, Rank rank, const std::int64_t* dims, std::int64_t& min, std::int64_t& max) {
  min = max = a.base;
  bool exact = true;
  for (int i = 0; i < rank; ++i) {
    std::int64_t span;
    exact &= mul(a.strides[i], dims[i] - 1, span);
    exact &= add(min, span < 0 ? span : 0, min);
    exact &= add(max, span < 0 ? 0 : span, max);
  }
  return exact;
}

// An affine value's own lanes; an axis of one lane has no step.
template <class Rank>
Affine affine_of(const Value& d, Rank rank) {
  Affine a;
  a.base = d.base;
  for (int i = 0; i < rank; ++i) a.strides[i] = d.dims[i] > 1 ? d.strides[i] : 0;
  return a;
}

// Null where different lanes would wrap.
template <class Rank>
Ref make_affine(State& s, DType t, const Affine& a, Rank rank, const std::int64_t* dims) {
  if (!is_uniform(a, rank)) {
    std::int64_t min, max;
    if (!range(a, rank, dims, min, max) || !fits(t, min, max)) return {};
  }
  Value* d = s.make(Form::affine, t, rank, dims);
  d->base = wrap(t, a.base);
  for (int i = 0; i < rank; ++i) d->strides[i] = a.strides[i];
  return Ref::take(d);
}

// The lanes of any value as those of a `t` at the result's coordinates; false where they have no closed form.
bool read(const Value& d, DType t, int rank, const std::int64_t* dims, Affine& out);

}  // namespace tl::cpu
