// What the operators ask of their operands: what a literal becomes beside them, which dtype they promote to, what is
// known of the result.
#pragma once

#include "interp/cuda/device/report.h"
#include "interp/cuda/device/values/block.h"
#include "interp/cuda/device/values/ops.h"

namespace tl {
namespace detail {

template <class T>
__device__ __noinline__ void fail_literal();  // debug.h
// Where the compiler keeps the call it cannot tell whether a literal fits; the host can: host/literals.h.
template <class T>
__forceinline__ void refuse_literal() {
  cuda::report<cuda::Report::literal, static_cast<int>(dtype_of<T>)>();
  fail_literal<T>();
}

// For a constant; for a literal, whose value no type tells, one that only its own type holds.
template <class A>
constexpr long long literal_value() {
  if constexpr (is_real_constant<A>) return 0;  // an infinity has none
  else if constexpr (is_constant<A>) return static_cast<long long>(A::value);
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

// The dtype in which Op works on values of the promoted dtype, of which A was the left one.
template <class Op, class A>
constexpr DType computed(DType promoted) {
  if (is_narrow_float(promoted)) return DType::float32;
  if constexpr (Op::code == rules::Operator::shift_right && !is_literal<A>)
    return shift_right_dtype(dtype_of<typename A::element>, promoted);
  return promoted;
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
    constexpr bool is_u64 = same<T, unsigned long long>;
    if constexpr (is_constant<A>) {
      static_assert(is_u64 ? A::value >= 0 : static_cast<long long>(static_cast<T>(A::value)) == A::value,
                    "a constant does not fit the integers that it joins: cast the block to a wider dtype first");
    } else if constexpr (is_u64) {
      if constexpr (static_cast<A>(-1) < static_cast<A>(1))
        if (a < 0) refuse_literal<T>();
    } else if constexpr (!same<A, T>) {
      if (static_cast<long long>(static_cast<T>(plain(a))) != static_cast<long long>(plain(a))) refuse_literal<T>();
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

// Whether a literal beside a value of dtype D becomes one of D.
template <DType D, class A>
constexpr bool takes_dtype() {
  if constexpr (is_literal<A>) return promote(D, literal_kind<A>, literal_value<A>()) == D;
  else return false;
}

// An operand as the rules see it.
template <class A>
constexpr rules::Operand operand() {
  if constexpr (is_literal<A>)
    return {rules::Form::scalar,
            literal_kind<A> == LiteralKind::integer ? DType::int32
            : literal_kind<A> == LiteralKind::real  ? DType::float32
                                                    : DType::int1,
            true};
  else return {form_of<A>(), dtype_of<typename A::element>, false, operators_in<A>};
}
template <class Op, class A, class B>
constexpr int divisibility_after() {
  return rules::divisibility_after(Op::code, divisibility<A>, divisibility<B>, is_constant<B> ? literal_value<B>() : 0,
                                   most_divisible);
}

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

template <class T, int Divisibility>
template <class U>
  requires(!is_same_scalar<U, T>)
__forceinline__ Scalar<T, Divisibility>& Scalar<T, Divisibility>::operator=(const U& other) {
  constexpr bool is_assignable = detail::takes_dtype<dtype_of<T>, U>();
  static_assert(is_assignable || is_literal<U>,
                "assignment may not change a value's dtype or shape: cast with .to(x.dtype), or give the result a "
                "name of its own");
  static_assert(is_assignable || !is_literal<U>,
                "assignment may not change a value's dtype: declare a new variable, auto y = tl.scalar(0.5, "
                "tl.float32)");
  if constexpr (is_assignable) {
    detail::check_literal<T>(other);
    *this = Scalar<T>{convert<T>(plain(other))};
  }
  return *this;
}

template <DType D, class A>
  requires(!is_literal<A>)
__forceinline__ auto cast(const A& a);

}  // namespace tl
