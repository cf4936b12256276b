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
inline constexpr int run_time = 1 << 28;
constexpr bool is_run_time(int coefficient) { return coefficient >= run_time; }
constexpr int divisibility_of_coefficient(int c) { return is_run_time(c) ? c - run_time : divisibility_of(c); }

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

// Row-major index -> coordinates.
template <class S>
__forceinline__ constexpr Coordinates<S::rank> coordinates_of(int flat) {
  Coordinates<S::rank> c{};
#pragma unroll
  for (int i = 0; i < S::rank; ++i) c.at[i] = S::at(i) == 1 ? 0 : flat / S::stride(i) & (S::at(i) - 1);
  return c;
}

template <class Cfg, class I, class S, class C, int Divisibility>
struct Index {
  using element = I;
  using config = Cfg;
  using shape_type = S;
  using coefficients = C;
  static constexpr int divisibility = Divisibility;  // of the base
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
  requires(!same<U, Index>) __forceinline__ Index& operator=(const U& other);

  template <class... Marks>
  __forceinline__ auto operator()(Marks...) const;
  template <DType D>
  __forceinline__ auto to(Dtype<D>) const;
};

template <class T>
inline constexpr bool is_index = false;
template <class Cfg, class I, class S, class C, int D>
inline constexpr bool is_index<Index<Cfg, I, S, C, D>> = true;

namespace detail {

template <class F, class S>
struct MakeCoefficients {
  template <class I>
  struct Make;
  template <int... I>
  struct Make<Indices<I...>> {
    using type = Coefficients<F::at(I)...>;
  };
  using type = typename Make<make_indices<S::rank>>::type;
};

// The base of an index is known to be a multiple of at most this, the widest access: so that most steps keep what is
// known.
inline constexpr int most_of_base = least(16, most_divisible);
constexpr int base_divisibility(int a, int b) { return least(most_of_base, least(a, b)); }

// Of a sum: both static, or the divisor that both have.
constexpr int sum_of_coefficients(int a, int b, int sign) {
  if (!is_run_time(a) && !is_run_time(b)) {
    const int sum = a + sign * b;
    return sum < run_time && sum > -run_time ? sum : run_time + divisibility_of(sum);
  }
  if (a == 0) return b;
  if (b == 0) return a;
  return run_time + least(divisibility_of_coefficient(a), divisibility_of_coefficient(b));
}

// Axis `i` of shape `To` in a smaller shape `From` that broadcasts to it: -1 where it has none, or only one index.
template <class From, class To>
constexpr int source_axis(int i) {
  const int j = i - (To::rank - From::rank);
  return j < 0 || From::at(j) == 1 ? -1 : j;
}

template <class A, class B, int Sign>
struct SumCoefficients {
  using S = broadcast_shape<typename A::shape_type, typename B::shape_type>;
  static constexpr int at(int i) {
    const int a = source_axis<typename A::shape_type, S>(i), b = source_axis<typename B::shape_type, S>(i);
    return sum_of_coefficients(a < 0 ? 0 : A::coefficients::at(a), b < 0 ? 0 : B::coefficients::at(b), Sign);
  }
  using type = typename MakeCoefficients<SumCoefficients, S>::type;
};

template <class A, int Factor, int Divisibility>  // Factor: static, or run_time
struct ScaledCoefficients {
  static constexpr int at(int i) {
    const int a = A::coefficients::at(i);
    if (a == 0) return 0;
    const long long product = static_cast<long long>(a) * Factor;
    if (Factor != run_time && !is_run_time(a) && product < run_time && product > -run_time)
      return static_cast<int>(product);
    return run_time + divisibility_of_product(divisibility_of_coefficient(a), Divisibility);
  }
  using type = typename MakeCoefficients<ScaledCoefficients, typename A::shape_type>::type;
};

template <class A, class... Marks>
struct SlicedCoefficients {
  using Slicing = Sliced<typename A::shape_type, Marks...>;
  static constexpr int at(int i) { return Slicing::none[i] ? 0 : A::coefficients::at(Slicing::source(i)); }
  using type = typename MakeCoefficients<SlicedCoefficients, typename Slicing::type>::type;
};

template <class A, class To>
struct StretchedCoefficients {
  static constexpr int at(int i) {
    const int a = source_axis<typename A::shape_type, To>(i);
    return a < 0 ? 0 : A::coefficients::at(a);
  }
  using type = typename MakeCoefficients<StretchedCoefficients, To>::type;
};

template <class A, class B>
using wider_int = choice<sizeof(A) >= sizeof(B), A, B>;

}  // namespace detail

template <class Cfg, class I, class S, class C, int D>
template <class... Marks>
__forceinline__ auto Index<Cfg, I, S, C, D>::operator()(Marks...) const {
  using Slicing = detail::SlicedCoefficients<Index, Marks...>;
  Index<Cfg, I, sliced_shape<S, Marks...>, typename Slicing::type, D> out{base, {}};
#pragma unroll
  for (int i = 0; i < out.shape.rank; ++i)
    if (is_run_time(Slicing::at(i))) out.factor[i] = factor[Slicing::Slicing::source(i)];
  return out;
}

// a + Sign * b
template <int Sign, class A, class B>
__forceinline__ auto sum_of_indices(const A& a, const B& b) {
  using Sum = detail::SumCoefficients<A, B, Sign>;
  using I = detail::wider_int<typename A::element, typename B::element>;
  using S = typename Sum::S;
  Index<typename A::config, I, S, typename Sum::type, detail::base_divisibility(A::divisibility, B::divisibility)> out{
      ops::wrapped_sum(static_cast<I>(a.base), ops::wrapped_product(I(Sign), static_cast<I>(b.base))), {}};
#pragma unroll
  for (int i = 0; i < S::rank; ++i)
    if (is_run_time(Sum::at(i))) {
      const int from_a = detail::source_axis<typename A::shape_type, S>(i),
                from_b = detail::source_axis<typename B::shape_type, S>(i);
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
  using Scaled = detail::ScaledCoefficients<A, Sign, 1>;
  Index<typename A::config, I, typename A::shape_type, typename Scaled::type,
        detail::base_divisibility(A::divisibility, divisibility<B>)>
      out{ops::wrapped_sum(ops::wrapped_product(I(Sign), static_cast<I>(a.base)), static_cast<I>(plain(b))), {}};
#pragma unroll
  for (int i = 0; i < A::shape_type::rank; ++i)
    if (is_run_time(Scaled::at(i))) out.factor[i] = ops::wrapped_product(I(Sign), static_cast<I>(a.coefficient(i)));
  return out;
}

template <class A, class B>
__forceinline__ auto scaled_index(const A& a, const B& b) {
  using I = choice<is_scalar<B>, detail::wider_int<typename A::element, decltype(plain(b))>, typename A::element>;
  constexpr int factor = [] {
    if constexpr (is_constant<B>)
      return B::value < run_time && B::value > -run_time ? static_cast<int>(B::value) : run_time;
    else if constexpr (is_unit<B>) return 1;
    else return run_time;
  }();
  using Scaled = detail::ScaledCoefficients<A, factor, divisibility<B>>;
  const I by = static_cast<I>(plain(b));
  Index<typename A::config, I, typename A::shape_type, typename Scaled::type,
        detail::base_divisibility(divisibility_of_product(A::divisibility, divisibility<B>), most_divisible)>
      out{ops::wrapped_product(static_cast<I>(a.base), by), {}};
#pragma unroll
  for (int i = 0; i < A::shape_type::rank; ++i)
    if (is_run_time(Scaled::at(i))) out.factor[i] = ops::wrapped_product(static_cast<I>(a.coefficient(i)), by);
  return out;
}

template <class To, class A>
__forceinline__ auto stretched_index(const A& a) {
  using Stretch = detail::StretchedCoefficients<A, To>;
  Index<typename A::config, typename A::element, To, typename Stretch::type, A::divisibility> out{a.base, {}};
#pragma unroll
  for (int i = 0; i < To::rank; ++i)
    if (is_run_time(Stretch::at(i))) out.factor[i] = a.factor[detail::source_axis<typename A::shape_type, To>(i)];
  return out;
}

}  // namespace tl
