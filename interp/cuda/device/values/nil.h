// What a block is to the producer: nothing. Every operator takes it and gives it back, so that a kernel's arithmetic
// costs the producer no register and no instruction, and only scalars, addresses of tiles and loops remain.
#pragma once

#include "interp/cuda/device/values/constant.h"

namespace tl::cuda {

template <class...>
inline constexpr bool nil_never = false;

struct Nil {
  struct Dtype {};
  struct Shape {};
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
  constexpr Nil operator()(Axes...) const {
    return {};
  }
  template <class D>
  constexpr Nil to(D) const {
    return {};
  }

  template <class T>
  requires same<T, bool>
  constexpr operator T() const {
    static_assert(nil_never<T>,
                  "if and while cannot look at a block's value in a kernel with descriptors: the warps that "
                  "only load tiles have no blocks; use tl.where, or tl.load the value as a scalar");
    return false;
  }
};

template <class T>
inline constexpr bool is_nil = false;
template <>
inline constexpr bool is_nil<Nil> = true;
template <class... T>
concept any_nil = (is_nil<T> || ...);

#define TL_NIL_BINARY(op)     \
  template <class A, class B> \
  requires any_nil<A, B>      \
  constexpr Nil operator op(const A&, const B&) { return {}; }
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

#define TL_NIL_ASSIGN(op)                        \
  template <class B>                             \
  constexpr Nil& operator op(Nil& a, const B&) { \
    return a;                                    \
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

constexpr Nil operator-(Nil) { return {}; }
constexpr Nil operator~(Nil) { return {}; }
constexpr Nil operator!(Nil) { return {}; }

struct NilPair {
  Nil a, b;
};
// What {.mask = ..., .other = ...} is for a Nil pointer.
struct NilOptions {
  Nil mask, other;
};

}  // namespace tl::cuda
