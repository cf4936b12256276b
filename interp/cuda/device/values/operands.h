// What the operators ask of their operands: what a literal becomes beside them, which dtype they promote to, what is
// known of the result.
#pragma once

#include "interp/cuda/device/values/block.h"
#include "interp/cuda/device/values/ops.h"

namespace tl {
namespace detail {

template <class T>
__device__ __noinline__ void fail_literal();  // debug.h

// Of a constant; of a literal, whose value no type tells, one that only its own type holds.
template <class A>
constexpr long long literal_value() {
  if constexpr (is_constant<A>) return static_cast<long long>(A::value);
  else if constexpr (same<A, unsigned>) return 0xffffffffll;
  else if constexpr (sizeof(A) == 8) return 1ll << 62;
  else return 0;
}

template <class A, class B>
constexpr DType promoted() {
  if constexpr (is_literal<A>) return promote(dtype_of<typename B::element>, literal_kind<A>, literal_value<A>());
  else if constexpr (is_literal<B>) return promote(dtype_of<typename A::element>, literal_kind<B>, literal_value<B>());
  else return promote(dtype_of<typename A::element>, dtype_of<typename B::element>);
}

// A literal by itself: the scalar it stands for.
template <class A>
__forceinline__ decltype(auto) valued(const A& a) {
  if constexpr (is_literal<A>) {
    using T = storage_of<dtype_of_literal(literal_kind<A>, literal_value<A>())>;
    return Scalar<T>{convert<T>(plain(a))};
  } else {
    return (a);
  }
}

// A literal that joins integers must fit their dtype. The compiler knows its value, and leaves out what holds.
template <class T, class A>
__forceinline__ void check_literal(const A& a) {
  if constexpr (is_integer_storage<T> && literal_kind<A> == LiteralKind::integer && !same<T, bool> &&
                !same<T, long long>) {
    if constexpr (is_constant<A>) {
      static_assert(static_cast<long long>(static_cast<T>(A::value)) == A::value,
                    "a constant does not fit the integers that it joins: cast the block to a wider dtype first");
    } else if constexpr (!same<A, T>) {
      if (static_cast<long long>(static_cast<T>(plain(a))) != static_cast<long long>(plain(a))) fail_literal<T>();
    }
  }
}

// A literal takes the dtype of the other side before the arithmetic, which may be wider; values stay as they are.
template <DType D, class A>
__forceinline__ decltype(auto) with_literal_rounded(const A& a) {
  if constexpr (is_literal<A>) {
    check_literal<storage_of<D>>(a);
    return Scalar<storage_of<D>>{convert<storage_of<D>>(plain(a))};
  } else {
    return (a);
  }
}

// The divisor of an integer scalar's result.
template <class Op, class A, class B>
constexpr int divisibility_after() {
  constexpr int a = divisibility<A>, b = divisibility<B>;
  if constexpr (same<Op, ops::Add> || same<Op, ops::Subtract> || same<Op, ops::Minimum> || same<Op, ops::Maximum>)
    return least(a, b);
  else if constexpr (same<Op, ops::Multiply>) return divisibility_of_product(a, b);
  else if constexpr (same<Op, ops::Divide> && is_constant<B>)
    return is_power_of_two(literal_value<B>()) && literal_value<B>() < a ? a / literal_value<B>() : 1;
  else if constexpr (same<Op, ops::Remainder>) return least(a, b);
  else return 1;
}

template <class A>
constexpr bool int_operand() {
  if constexpr (is_scalar<A>) return same<typename A::element, int> || same<typename A::element, long long>;
  else if constexpr (is_literal<A>) return literal_kind<A> == LiteralKind::integer;
  else return false;
}
template <class A>
inline constexpr bool is_int_operand = int_operand<A>();

// Of more than 32 bits, so that an index beside it counts in 64.
template <class A>
constexpr bool wide_operand() {
  if constexpr (is_scalar<A> || is_index<A>) return same<typename A::element, long long>;
  else return false;
}

template <class A>
inline constexpr bool is_mask_operand = is_box<A> || is_condition<A>;

// Two values of different sign; a literal takes the other side's.
template <class A, class B>
constexpr bool signs_differ() {
  if constexpr (is_literal<A> || is_literal<B>) return false;
  else {
    constexpr DType a = dtype_of<typename A::element>, b = dtype_of<typename B::element>;
    return is_integer(a) && is_integer(b) && is_signed(a) != is_signed(b);
  }
}
}  // namespace detail

template <DType D, class A>
requires(!is_literal<A>) __forceinline__ auto cast(const A& a);

namespace detail {
// Whether an index of type A can be assigned one of type B.
template <class A, class B>
constexpr bool holds() {
  if constexpr (!is_index<B>) {
    return false;
  } else {
    for (int i = 0; i < A::shape_type::rank; ++i) {
      const int a = A::coefficients::at(i), b = B::coefficients::at(i);
      if (is_run_time(a) ? divisibility_of_coefficient(b) % divisibility_of_coefficient(a) != 0 : a != b) return false;
    }
    return B::divisibility % A::divisibility == 0;
  }
}
}  // namespace detail

}  // namespace tl
