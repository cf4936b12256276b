// What a block is to the producer: nothing but its rank. Every operator takes it and gives it back, so that a kernel's
// arithmetic costs the producer no register and no instruction, and only scalars, addresses of tiles and loops remain.
#pragma once

#include "interp/cuda/device/values/pointer.h"

namespace tl::cuda {

template <class...>
inline constexpr bool nil_never = false;

// A size of a block that is a Nil: what tl.shape makes of it tells a rank alone.
struct NilSize {
#define TL_NIL_SIZE(op)                                                 \
  friend constexpr NilSize operator op(NilSize, NilSize) { return {}; } \
  template <class A>                                                    \
  friend constexpr NilSize operator op(const A&, NilSize) {             \
    return {};                                                          \
  }                                                                     \
  template <class B>                                                    \
  friend constexpr NilSize operator op(NilSize, const B&) {             \
    return {};                                                          \
  }
  TL_NIL_SIZE(+)
  TL_NIL_SIZE(-)
  TL_NIL_SIZE(*)
  TL_NIL_SIZE(/)
  TL_NIL_SIZE(%)
#undef TL_NIL_SIZE
};
template <int Rank>
struct NilShape {};

// Uniform: made of scalars that come from blocks, such as a sum, and of what the producer knows. An address made of it
// is one that the consumers know in affine form, and the producer not at all.
template <int Rank, bool Uniform = false>
struct Nil {
  struct Dtype {};
  struct Shape {
    template <class Axis>
    constexpr NilSize operator[](const Axis&) const {
      return {};
    }
  };
  static constexpr int rank = Rank;
  static constexpr bool is_uniform = Uniform;
  Dtype dtype;
  Shape shape;

  constexpr Nil() = default;
  constexpr Nil(const Nil&) = default;
  constexpr Nil& operator=(const Nil&) { return *this; }
  template <class T>
  constexpr Nil(const T&) {}
  template <class T>
  constexpr Nil& operator=(const T&) {
    return *this;
  }

  template <class... Axes>
  constexpr Nil<sizeof...(Axes), Uniform> operator()(Axes...) const {
    return {};
  }
  template <class... D>
  constexpr Nil to(D...) const {
    return {};
  }

  template <class T>
    requires same<T, bool>
  constexpr operator T() const {
    static_assert(
        nil_never<T>,
        "an if or a while looks at a block's value, which the warps that load ahead do not have: use tl.where, "
        "or tl.load the value as a scalar");
    return false;
  }
};

template <class T>
inline constexpr bool is_nil = false;
template <int R, bool U>
inline constexpr bool is_nil<Nil<R, U>> = true;
template <class... T>
concept any_nil = (is_nil<T> || ...);

template <class T>
constexpr int rank_of() {
  if constexpr (is_nil<T>) return T::rank;
  else if constexpr (requires { typename T::shape_type; }) return T::shape_type::rank;
  else return 0;
}
template <class... T>
constexpr int largest_rank() {
  int most = 0;
  ((most = rank_of<T>() > most ? rank_of<T>() : most), ...);
  return most;
}
// Of values with a Nil among them: whether all Nils are uniform.
template <class T>
inline constexpr bool is_no_block_of_nil = true;
template <int R, bool U>
inline constexpr bool is_no_block_of_nil<Nil<R, U>> = U;
// What an op makes of these, lane by lane.
template <class... T>
using nil_of = Nil<largest_rank<T...>(), (is_no_block_of_nil<T> && ...)>;
// What a reduction of one axis leaves: one value, or a block with an axis less.
template <class T>
using nil_reduced = Nil<(rank_of<T>() > 0 ? rank_of<T>() - 1 : 0), rank_of<T>() <= 1>;

#define TL_NIL_BINARY(op)                                  \
  template <class A, class B>                              \
    requires any_nil<A, B>                                 \
  constexpr nil_of<A, B> operator op(const A&, const B&) { \
    return {};                                             \
  }
TL_NIL_BINARY(+)
TL_NIL_BINARY(-)
TL_NIL_BINARY(*)
TL_NIL_BINARY(/)
TL_NIL_BINARY(%)
TL_NIL_BINARY(&)
TL_NIL_BINARY(|)
TL_NIL_BINARY(^)
TL_NIL_BINARY(<<)
TL_NIL_BINARY(>>)
TL_NIL_BINARY(<)
TL_NIL_BINARY(<=)
TL_NIL_BINARY(>)
TL_NIL_BINARY(>=)
TL_NIL_BINARY(==)
TL_NIL_BINARY(!=)
#undef TL_NIL_BINARY

#define TL_NIL_ASSIGN(op)                                    \
  template <int R, bool U, class B>                          \
  constexpr Nil<R, U>& operator op(Nil<R, U>& a, const B&) { \
    return a;                                                \
  }
TL_NIL_ASSIGN(+=)
TL_NIL_ASSIGN(-=)
TL_NIL_ASSIGN(*=)
TL_NIL_ASSIGN(/=)
TL_NIL_ASSIGN(%=)
TL_NIL_ASSIGN(&=)
TL_NIL_ASSIGN(|=)
TL_NIL_ASSIGN(^=)
TL_NIL_ASSIGN(<<=)
TL_NIL_ASSIGN(>>=)
#undef TL_NIL_ASSIGN

#define TL_NIL_UNARY(op)                         \
  template <int R, bool U>                       \
  constexpr Nil<R, U> operator op(Nil<R, U> x) { \
    return x;                                    \
  }
TL_NIL_UNARY(-)
TL_NIL_UNARY(~)
TL_NIL_UNARY(!)
#undef TL_NIL_UNARY

// What an op's options in braces are: any op's, in the order in which each op has them.
struct AnyOption {
  constexpr AnyOption() = default;
  template <class T>
  constexpr AnyOption(const T&) {}
};
struct NilOptions {
  AnyOption mask, other, boundary_check, padding, cache_modifier, eviction_policy, is_volatile, sem, scope;
  AnyOption reverse, descending;
};

}  // namespace tl::cuda
