// Integer blocks without a layout: base + sum over the axes of coefficient x coordinate, evaluated where a consumer
// wants them.
//
// A coefficient is part of the type where it is known, else it is a run-time value with a known divisor. However long
// the expression, the type stays this small.
#pragma once

#include "interp/cuda/device/config.h"
#include "interp/cuda/device/values/ops.h"
#include "interp/cuda/device/values/scalar.h"

namespace tl {

// Coefficients: a static one is itself; a run-time one is `run_time` + its divisibility.
using rules::is_run_time;
using rules::run_time;

template <int... C>
struct Coefficients {
  static constexpr int at(int axis) {
    const int all[] = {C..., 0};
    return all[axis];
  }
};

template <int Rank>
struct Coordinates {
  int at[Rank == 0 ? 1 : Rank];
};

template <int Rank>
__forceinline__ constexpr Coordinates<Rank> sum_of(Coordinates<Rank> a, const Coordinates<Rank>& b) {
#pragma unroll
  for (int i = 0; i < Rank; ++i) a.at[i] += b.at[i];
  return a;
}

// Row-major index -> coordinates.
template <class S>
__forceinline__ constexpr Coordinates<S::rank> coordinates_of(int flat) {
  Coordinates<S::rank> c{};
#pragma unroll
  for (int i = 0; i < S::rank; ++i) c.at[i] = S::at(i) == 1 ? 0 : flat / S::stride(i) & (S::at(i) - 1);
  return c;
}

namespace detail {
template <class S, class Sub>
__forceinline__ Coordinates<Sub::rank> broadcast_coordinates(const Coordinates<S::rank>& c) {
  Coordinates<Sub::rank> to{};
#pragma unroll
  for (int i = 0; i < Sub::rank; ++i) to.at[i] = Sub::at(i) == 1 ? 0 : c.at[i + S::rank - Sub::rank];
  return to;
}

template <class S, int... C>
constexpr rules::Index index_value(Coefficients<C...>, int divisibility) {
  return {S::sizes, {C...}, divisibility};
}
}  // namespace detail

template <class Cfg, class I, class S, class C, int Divisibility>
struct Index {
  using element = I;
  using config = Cfg;
  using shape_type = S;
  using coefficients = C;
  static constexpr int divisibility = Divisibility;  // of the base
  static constexpr rules::Index form = detail::index_value<S>(C{}, Divisibility);
  static constexpr Dtype<dtype_of<I>> dtype{};
  static constexpr S shape{};

  I base;
  I factor[S::rank];  // the run-time coefficients; the others are unused

  __forceinline__ I coefficient(int axis) const {
    return is_run_time(C::at(axis)) ? factor[axis] : static_cast<I>(C::at(axis));
  }
  __forceinline__ I at(const Coordinates<S::rank>& c) const {
    I value = base;
#pragma unroll
    for (int i = 0; i < S::rank; ++i)
      if (C::at(i) != 0) value = ops::wrapped_sum(value, ops::wrapped_product(coefficient(i), static_cast<I>(c.at[i])));
    return value;
  }

  // What another base or other run-time coefficients change may be assigned; other coefficients are another type.
  Index& operator=(const Index&) = default;
  template <class U>
    requires(!same<U, Index>)
  __forceinline__ Index& operator=(const U& other);

  template <class... Marks>
  __forceinline__ auto operator()(Marks...) const;
  template <DType D>
  __forceinline__ auto to(Dtype<D>) const;
  template <DType D, cast_way W>
  __forceinline__ auto to(Dtype<D>, W) const;
};

template <class T>
inline constexpr bool is_index = false;
template <class Cfg, class I, class S, class C, int D>
inline constexpr bool is_index<Index<Cfg, I, S, C, D>> = true;

namespace detail {

// The type of an index from a struct whose `value` says what it is.
template <class Cfg, class I, class S, class V>
struct IndexType {
  template <class At>
  struct Make;
  template <int... At>
  struct Make<Indices<At...>> {
    using coefficients = Coefficients<V::value.coefficient[At]...>;
    using type = Index<Cfg, I, S, coefficients, V::value.divisibility>;
  };
  using coefficients = typename Make<make_indices<S::rank>>::coefficients;
  using type = typename Make<make_indices<S::rank>>::type;
};
template <class Cfg, class I, class S, class V>
using index_type = typename IndexType<Cfg, I, S, V>::type;

template <class A, class B, int Sign>
struct SumValue {
  using S = broadcast_shape<typename A::shape_type, typename B::shape_type>;
  static constexpr rules::Index value = rules::sum(A::form, B::form, Sign, S::sizes, most_divisible);
};
template <class A, int Sign, int Divisibility>
struct ShiftedValue {
  static constexpr rules::Index value = rules::shifted(A::form, Sign, Divisibility, most_divisible);
};
template <class A, class B>
struct ScaledValue {
  static constexpr rules::Factor factor() {
    if constexpr (is_constant<B>) return rules::factor_of(true, B::value, divisibility<B>);
    else return rules::factor_of(is_unit<B>, 1, divisibility<B>);
  }
  static constexpr rules::Index value = rules::scaled(A::form, factor(), most_divisible);
};
template <class A, class... Marks>
struct SlicedIndex {
  using S = sliced_shape<typename A::shape_type, Marks...>;
  static constexpr rules::Sizes source = Sliced<typename A::shape_type, Marks...>::sources();
  static constexpr rules::Index value = rules::with_axes(A::form, S::sizes, source);
};
template <class A, class To>
struct StretchedValue {
  static constexpr rules::Index value = rules::stretched(A::form, To::sizes);
};

template <class A, class B>
using wider_int = choice<sizeof(A) >= sizeof(B), A, B>;

}  // namespace detail

template <class Cfg, class I, class S, class C, int D>
template <class... Marks>
__forceinline__ auto Index<Cfg, I, S, C, D>::operator()(Marks...) const {
  using Sliced = detail::SlicedIndex<Index, Marks...>;
  detail::index_type<Cfg, I, typename Sliced::S, Sliced> out{base, {}};
#pragma unroll
  for (int i = 0; i < out.shape.rank; ++i)
    if (is_run_time(out.form.coefficient[i])) out.factor[i] = factor[Sliced::source[i]];
  return out;
}

// a + Sign * b
template <int Sign, class A, class B>
__forceinline__ auto sum_of_indices(const A& a, const B& b) {
  using Sum = detail::SumValue<A, B, Sign>;
  using I = detail::wider_int<typename A::element, typename B::element>;
  using S = typename Sum::S;
  detail::index_type<typename A::config, I, S, Sum> out{
      ops::wrapped_sum(static_cast<I>(a.base), ops::wrapped_product(I(Sign), static_cast<I>(b.base))), {}};
#pragma unroll
  for (int i = 0; i < S::rank; ++i)
    if (is_run_time(Sum::value.coefficient[i])) {
      const int from_a = rules::source_axis(A::shape_type::sizes, S::sizes, i),
                from_b = rules::source_axis(B::shape_type::sizes, S::sizes, i);
      out.factor[i] =
          ops::wrapped_sum(from_a < 0 ? I(0) : static_cast<I>(a.coefficient(from_a)),
                           ops::wrapped_product(I(Sign), from_b < 0 ? I(0) : static_cast<I>(b.coefficient(from_b))));
    }
  return out;
}

// Sign * a + b, b an integer scalar, constant or literal
template <int Sign, class A, class B>
__forceinline__ auto shifted_index(const A& a, const B& b) {
  using I = choice<is_scalar<B>, detail::wider_int<typename A::element, decltype(plain(b))>, typename A::element>;
  using Shifted = detail::ShiftedValue<A, Sign, divisibility<B>>;
  detail::index_type<typename A::config, I, typename A::shape_type, Shifted> out{
      ops::wrapped_sum(ops::wrapped_product(I(Sign), static_cast<I>(a.base)), static_cast<I>(plain(b))), {}};
#pragma unroll
  for (int i = 0; i < A::shape_type::rank; ++i)
    if (is_run_time(Shifted::value.coefficient[i]))
      out.factor[i] = ops::wrapped_product(I(Sign), static_cast<I>(a.coefficient(i)));
  return out;
}

template <class A, class B>
__forceinline__ auto scaled_index(const A& a, const B& b) {
  using I = choice<is_scalar<B>, detail::wider_int<typename A::element, decltype(plain(b))>, typename A::element>;
  using Scaled = detail::ScaledValue<A, B>;
  const I by = static_cast<I>(plain(b));
  detail::index_type<typename A::config, I, typename A::shape_type, Scaled> out{
      ops::wrapped_product(static_cast<I>(a.base), by), {}};
#pragma unroll
  for (int i = 0; i < A::shape_type::rank; ++i)
    if (is_run_time(Scaled::value.coefficient[i]))
      out.factor[i] = ops::wrapped_product(static_cast<I>(a.coefficient(i)), by);
  return out;
}

template <class To, class A>
__forceinline__ auto stretched_index(const A& a) {
  using Stretched = detail::StretchedValue<A, To>;
  detail::index_type<typename A::config, typename A::element, To, Stretched> out{a.base, {}};
#pragma unroll
  for (int i = 0; i < To::rank; ++i)
    if (is_run_time(Stretched::value.coefficient[i]))
      out.factor[i] = a.factor[rules::source_axis(A::shape_type::sizes, To::sizes, i)];
  return out;
}

}  // namespace tl
