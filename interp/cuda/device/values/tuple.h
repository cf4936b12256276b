// Several values at once: what tl.tuple and tl.split return; a plain struct, so that auto [x, y] opens it.
#pragma once

#include "interp/cuda/device/values/scalar.h"

namespace tl {

template <class... T>
struct Tuple;
template <>
struct Tuple<> {
  static constexpr int count = 0;
};
template <class A>
struct Tuple<A> {
  static constexpr int count = 1;
  A a;
};
template <class A, class B>
struct Tuple<A, B> {
  static constexpr int count = 2;
  A a;
  B b;
};
template <class A, class B, class C>
struct Tuple<A, B, C> {
  static constexpr int count = 3;
  A a;
  B b;
  C c;
};
template <class A, class B, class C, class D>
struct Tuple<A, B, C, D> {
  static constexpr int count = 4;
  A a;
  B b;
  C c;
  D d;
};
template <class A, class B, class C, class D, class E>
struct Tuple<A, B, C, D, E> {
  static constexpr int count = 5;
  A a;
  B b;
  C c;
  D d;
  E e;
};
template <class A, class B, class C, class D, class E, class F>
struct Tuple<A, B, C, D, E, F> {
  static constexpr int count = 6;
  A a;
  B b;
  C c;
  D d;
  E e;
  F f;
};

template <int I, class T>
__forceinline__ auto& get(T& t) {
  if constexpr (I == 0) return t.a;
  else if constexpr (I == 1) return t.b;
  else if constexpr (I == 2) return t.c;
  else if constexpr (I == 3) return t.d;
  else if constexpr (I == 4) return t.e;
  else return t.f;
}

// Sizes, bounds and offsets: one integer each.
template <class T>
inline constexpr bool is_one_integer = same<T, ZeroLiteral>;
template <class T>
  requires is_literal<T>
inline constexpr bool is_one_integer<T> = literal_kind<T> == LiteralKind::integer;
template <class T, int D>
inline constexpr bool is_one_integer<Scalar<T, D>> = is_integer(dtype_of<T>);

template <class T>
inline constexpr bool holds_integers = false;
template <class... T>
inline constexpr bool holds_integers<Tuple<T...>> = (is_one_integer<T> && ...);

}  // namespace tl
