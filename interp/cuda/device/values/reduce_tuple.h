// Reductions and scans of several blocks at once, by a function of their scalars.
#pragma once

#include "interp/cuda/device/values/reduce.h"

namespace tl {

namespace detail {

// Several blocks of one shape, lane by lane in a tuple.
template <class X>
struct TupleOf;
template <class... X>
struct TupleOf<Tuple<X...>> {
  static constexpr int count = sizeof...(X);
  using indices = make_indices<count>;
  using elements = Tuple<typename X::element...>;
  template <class First, class...>
  struct FirstOf {
    using type = First;
  };
  using first = typename FirstOf<X...>::type;
  static constexpr bool one_shape = (same<shape_of<X>, shape_of<first>> && ...);
};

// f on the scalars of two lanes, f(a0, a1, .., b0, b1, ..), which gives a tuple of scalars.
template <class E, class F, int... I>
__forceinline__ E combine_lanes(F& f, const E& a, const E& b, Indices<I...>) {
  const auto made = f(Scalar<bare<decltype(get<I>(a))>>{get<I>(a)}..., Scalar<bare<decltype(get<I>(b))>>{get<I>(b)}...);
  static_assert(bare<decltype(made)>::count == sizeof...(I),
                "the combine function gives another number of values than it combines: return tl.tuple of as many");
  E out;
  ((get<I>(out) = convert<bare<decltype(get<I>(out))>>(plain(get<I>(made)))), ...);
  return out;
}

template <class L, class S, class E, class X, int... I>
__forceinline__ void gather_lanes(E (&v)[L::register_count], const X& x, Indices<I...>) {
  const auto put = [&]<int K>(constant<K>) {
    const auto from = spread<bare<decltype(get<K>(v[0]))>, S, L>(get<K>(x));
#pragma unroll
    for (int r = 0; r < L::register_count; ++r) get<K>(v[r]) = from.v[r];
  };
  (put(constant<I>{}), ...);
}

template <int K, int Axis, class S, class L, class R>
__forceinline__ auto reduced_part(const R& all) {
  constexpr int count = Slice<L, S, Axis>::register_count;
  struct Values {
    bare<decltype(get<K>(all.v[0]))> v[count];
  } values;
#pragma unroll
  for (int r = 0; r < count; ++r) values.v[r] = get<K>(all.v[r]);
  return reduced_block<bare<decltype(get<K>(all.v[0]))>, Axis, S, L>(values);
}
template <int K, class S, class L, class E>
__forceinline__ auto scanned_part(const E (&all)[L::register_count]) {
  Block<bare<decltype(get<K>(all[0]))>, S, L> out;
#pragma unroll
  for (int r = 0; r < L::register_count; ++r) out.v[r] = get<K>(all[r]);
  return out;
}
template <class... X>
__forceinline__ Tuple<X...> as_tuple(const X&... x) {
  return {x...};
}

}  // namespace detail

template <class T>
inline constexpr bool is_tuple = false;
template <class... X>
inline constexpr bool is_tuple<Tuple<X...>> = true;

template <class Cfg, int A, class... X, class F>
__forceinline__ auto reduce_tuple(const Tuple<X...>& x, F f, int& parity) {
  using Of = detail::TupleOf<Tuple<X...>>;
  static_assert(Of::one_shape, "the blocks of the tuple have different shapes: tl.broadcast_to gives all one");
  using S = shape_of<typename Of::first>;
  constexpr int axis = detail::axis_of<A, S>;
  static_assert(axis >= 0 && axis < S::rank, "the block has no such axis: axes count from 0, and -1_c is the last");
  using L = cuda::default_layout<Cfg, S>;
  using E = typename Of::elements;
  E v[L::register_count];
  detail::gather_lanes<L, S>(v, x, typename Of::indices{});
  const auto all = detail::reduced<axis, S, L>(
      v, [&](const E& a, const E& b) { return detail::combine_lanes(f, a, b, typename Of::indices{}); }, parity);
  auto parts = [&]<int... I>(Indices<I...>) { return detail::as_tuple(detail::reduced_part<I, axis, S, L>(all)...); };
  return parts(typename Of::indices{});
}

template <class Cfg, int A, class... X, class F>
__forceinline__ auto scan_tuple(const Tuple<X...>& x, F f, int& parity) {
  using Of = detail::TupleOf<Tuple<X...>>;
  static_assert(Of::one_shape, "the blocks of the tuple have different shapes: tl.broadcast_to gives all one");
  using S = shape_of<typename Of::first>;
  constexpr int axis = detail::axis_of<A, S>;
  static_assert(axis >= 0 && axis < S::rank, "the block has no such axis: axes count from 0, and -1_c is the last");
  using L = detail::scan_layout<S, A, Cfg::num_warps>;
  using E = typename Of::elements;
  E y[L::register_count];
  detail::gather_lanes<L, S>(y, x, typename Of::indices{});
  detail::scan<axis, S, L>(
      y, [&](const E& a, const E& b) { return detail::combine_lanes(f, a, b, typename Of::indices{}); }, parity);
  auto parts = [&]<int... I>(Indices<I...>) { return detail::as_tuple(detail::scanned_part<I, S, L>(y)...); };
  return parts(typename Of::indices{});
}

}  // namespace tl
