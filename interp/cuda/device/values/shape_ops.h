// reshape, permute, trans, split, join, broadcast_to: other names for the same registers wherever layouts allow it.
#pragma once

#include "interp/cuda/device/memory/shared.h"
#include "interp/cuda/device/values/tuple.h"

namespace tl {
namespace detail {

template <class S, class Order>
struct Permutation {
  static constexpr rules::Sizes order = Order::sizes, from = S::sizes, to = rules::permuted(from, order);
  template <class I>
  struct Make;
  template <int... I>
  struct Make<Indices<I...>> {
    using type = Shape<to[I]...>;
  };
  using shape = typename Make<make_indices<S::rank>>::type;
};
template <class L, class P>
struct PermutedValue {
  static constexpr rules::Layout value = rules::permuted(L::value, P::from, P::order);
};
// Register of the result -> register it comes from.
template <class L, class To, class P>
struct RegisterTable {
  int at[To::register_count];
  static constexpr RegisterTable make() {
    RegisterTable t{};
    for (int r = 0; r < To::register_count; ++r)
      t.at[r] = L::register_of(rules::permuted_index(P::to, rules::inverse(P::order), To::of_register(r)));
    return t;
  }
};
template <class L, class To, class P>
inline constexpr RegisterTable<L, To, P> register_table = RegisterTable<L, To, P>::make();

template <class S>
struct WithoutLast {
  template <class I>
  struct Make;
  template <int... I>
  struct Make<Indices<I...>> {
    using type = Shape<S::at(I)...>;
  };
  using type = typename Make<make_indices<S::rank - 1>>::type;
};
template <class S, int N>
struct WithLast;
template <int... E, int N>
struct WithLast<Shape<E...>, N> {
  using type = Shape<E..., N>;
};
template <class X>
struct ElementOf {
  using type = int;
};
template <class T, int D>
struct ElementOf<Scalar<T, D>> {
  using type = T;
};

template <class S, int NumWarps>
struct PairedValue {
  static constexpr rules::Layout value = rules::paired(S::sizes, NumWarps);
};
template <int NumWarps>
struct WholePairValue {
  static constexpr rules::Layout value = rules::whole_pair(NumWarps);
};
template <class L>
struct HalvedValue {
  static constexpr rules::Layout value = rules::halved(L::value);
};
template <class L>
struct DoubledValue {
  static constexpr rules::Layout value = rules::doubled(L::value);
};

template <class Order, int Rank>
constexpr bool names_each_axis() {
  unsigned seen = 0;
  for (int i = 0; i < Order::count; ++i)
    if (Order::at(i) >= 0 && Order::at(i) < Rank) seen |= 1u << Order::at(i);
  return Order::count == Rank && seen == (1u << Rank) - 1;
}

// Every thread holds both lanes of a pair.
template <class T, class L>
__forceinline__ auto whole_pair(const Block<T, Shape<2>, L>& x) {
  return convert_layout<to_layout<WholePairValue<L::warp_count>>>(x);
}

}  // namespace detail

template <class X, class Order>
__forceinline__ auto permute(const X& x, Order) {
  if constexpr (is_lazy<X>) {
    return permute(materialize(x), Order{});
  } else if constexpr (is_tile<X> && same<Order, Axes<1, 0>>) {
    using S = typename X::shape_type;
    return SharedTile<typename X::element, Shape<S::at(1), S::at(0)>, !X::transposed, typename X::config>{x.memory};
  } else if constexpr (is_deferred<X>) {
    return permute(x.to_block(), Order{});
  } else {
    using S = typename X::shape_type;
    static_assert(detail::names_each_axis<Order, S::rank>(),
                  "tl.permute: the axes are not a permutation: name each axis once, as in tl.axes(1_c, 0_c)");
    using P = detail::Permutation<S, Order>;
    using L = detail::to_layout<detail::PermutedValue<typename X::layout, P>>;
    Block<typename X::element, typename P::shape, L> out;
#pragma unroll
    for (int r = 0; r < out.count; ++r) out.v[r] = x.v[detail::register_table<typename X::layout, L, P>.at[r]];
    return out;
  }
}

// The last two axes change places.
template <class X>
__forceinline__ auto transposed(const X& x) {
  constexpr int rank = shape_of<X>::rank;
  static_assert(rank >= 2,
                "tl.trans swaps rows and columns, and this block has none: give it two axes with x(_, None)");
  auto swap = [&]<int... I>(Indices<I...>) { return permute(x, Axes<rules::transposing(rank)[I]...>{}); };
  return swap(make_indices<rank>{});
}

// (2) -> two scalars; (..., 2) -> two of (...)
template <class X>
__forceinline__ auto split(const X& x) {
  if constexpr (!is_block<X>) {
    static_assert(shape_of<X>::rank > 0,
                  "tl.split wants a last axis of 2: tl.reshape(x, tl.shape(BM, BN / 2_c, 2_c)) makes one");
    return split(materialize(x));
  } else if constexpr (same<typename X::shape_type, Shape<2>>) {
    using T = typename X::element;
    const auto all = detail::whole_pair(x);
    return Tuple<Scalar<T>, Scalar<T>>{{all.v[0]}, {all.v[1]}};
  } else {
    using S = typename X::shape_type;
    using L = typename X::layout;
    static_assert(S::at(S::rank - 1) == 2,
                  "tl.split wants a last axis of 2: tl.reshape(x, tl.shape(BM, BN / 2_c, 2_c)) makes one");
    using Half = typename detail::WithoutLast<S>::type;
    if constexpr (!L::registers::list.has(1)) {
      // The two halves lie in different threads: bring the last axis into registers.
      return split(convert_layout<detail::to_layout<detail::PairedValue<S, L::warp_count>>>(x));
    } else {
      using To = detail::to_layout<detail::HalvedValue<L>>;
      Tuple<Block<typename X::element, Half, To>, Block<typename X::element, Half, To>> out;
#pragma unroll
      for (int r = 0; r < To::register_count; ++r) {
        out.a.v[r] = x.v[2 * r];
        out.b.v[r] = x.v[2 * r + 1];
      }
      return out;
    }
  }
}

template <class To, class X, class Cfg>
__forceinline__ auto broadcast_to(const X& x) {
  if constexpr (is_index<X>) return stretched_index<To>(x);
  else if constexpr (is_formula<X>) return stretched_formula<To>(x);
  else if constexpr (is_box<X> || is_condition<X>) return stretched_mask<To>(x);
  else if constexpr (is_scalar<X> || is_literal<X>) {
    using T = typename decltype(binary<ops::Add>(x, Scalar<int>{0}))::element;
    return spread<choice<is_scalar<X>, typename detail::ElementOf<X>::type, T>, To, cuda::default_layout<Cfg, To>>(x);
  } else if constexpr (is_deferred<X>) return broadcast_to<To, decltype(x.to_block()), Cfg>(x.to_block());
  else if constexpr (same<typename X::shape_type, To>) return x;
  else return spread<typename X::element, To, cuda::default_layout<Cfg, To>>(x);
}

template <class Cfg, class A, class B>
__forceinline__ auto join(const A& a, const B& b) {
  static_assert(!is_literal<A> && !is_literal<B>,
                "tl.join takes blocks and scalars: make one of the literal with tl.full");
  if constexpr (is_scalar<A> && is_scalar<B>) {
    const auto pair = join<Cfg>(broadcast_to<Shape<1>, A, Cfg>(a), broadcast_to<Shape<1>, B, Cfg>(b));
    return reshaped<Shape<2>>(pair);
  } else if constexpr (is_scalar<A>) {
    return join<Cfg>(broadcast_to<shape_of<B>, A, Cfg>(a), b);
  } else if constexpr (is_scalar<B>) {
    return join<Cfg>(a, broadcast_to<shape_of<A>, B, Cfg>(b));
  } else if constexpr (!is_block<A> || !is_block<B>) {
    return join<Cfg>(materialize(a), materialize(b));
  } else {
    using S = broadcast_shape<typename A::shape_type, typename B::shape_type>;
    using T = storage_of<detail::promoted<A, B>()>;
    using L = typename detail::MeetingLayout<A, B, S>::type;
    using To = detail::to_layout<detail::DoubledValue<L>>;
    const auto x = spread<T, S, L>(a);
    const auto y = spread<T, S, L>(b);
    Block<T, typename detail::WithLast<S, 2>::type, To> out;
#pragma unroll
    for (int r = 0; r < L::register_count; ++r) {
      out.v[2 * r] = x.v[r];
      out.v[2 * r + 1] = y.v[r];
    }
    return out;
  }
}

}  // namespace tl
