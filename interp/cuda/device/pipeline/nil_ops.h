// Every op of the language on a Nil, by its family in the table of ops: an op that is new there has a form here, and a
// kernel that calls it keeps its roles.
#pragma once

#include "interp/cuda/device/context.h"
#include "interp/cuda/device/values/nil.h"
#include "interp/lang/libdevice.h"
#include "interp/lang/op_list.h"

namespace tl::cuda {

namespace detail {

template <class T>
inline constexpr int axes_of_shape = -1;  // of no shape
template <int... N>
inline constexpr int axes_of_shape<Shape<N...>> = sizeof...(N);
template <int Rank>
inline constexpr int axes_of_shape<NilShape<Rank>> = Rank;

// The rank that an op was told: of tl.zeros(tl.shape(M, N), tl.float32) 2; -1: none of its operands is a shape.
template <class... A>
constexpr int told_rank() {
  int rank = -1;
  ((rank = axes_of_shape<A> >= 0 ? axes_of_shape<A> : rank), ...);
  return rank;
}

template <OpFamily Family, class First, class... More>
constexpr auto nil_result();
template <class X>
struct NilOfEach;
template <class... T>
struct NilOfEach<Tuple<T...>> {
  template <OpFamily Family, class... More>
  using type = Tuple<decltype(nil_result<Family, T, More...>())...>;
};
template <OpFamily Family, class X, class... More>
constexpr auto nil_combined() {
  if constexpr (is_tuple<X>) return typename NilOfEach<X>::template type<Family, More...>{};
  else return nil_result<Family, X, More...>();
}

template <class X, class... Options>
constexpr auto reduced() {
  if constexpr (sizeof...(Options) == 0) return Nil<0, true>{};  // over all axes
  else if constexpr ((same<Options, KeepDims> || ...)) return Nil<rank_of<X>()>{};
  else return nil_reduced<X>{};
}

// What an op of this family makes of its operands, as one value.
template <OpFamily Family, class First, class... More>
constexpr auto nil_result() {
  constexpr int rank = rank_of<First>(), most = largest_rank<First, More...>(), told = told_rank<First, More...>();
  if constexpr (Family == OpFamily::reduction) return reduced<First, More...>();
  else if constexpr (Family == OpFamily::scan) return Nil<rank>{};
  else if constexpr (Family == OpFamily::dot) return Nil<(rank > 2 ? rank : 2)>{};
  else if constexpr (Family == OpFamily::random || Family == OpFamily::memory) return Nil<most, most == 0>{};
  else if constexpr (Family == OpFamily::movement) return Nil<most>{};
  else if constexpr (Family == OpFamily::creation && told >= 0) return Nil<told, told == 0>{};
  else if constexpr (Family == OpFamily::view && told >= 0) return Nil<told, is_no_block_of_nil<First>>{};
  else if constexpr (Family == OpFamily::pieces && sizeof...(More) > 0) return Nil<most + 1>{};  // join
  else if constexpr (Family == OpFamily::pieces) return nil_reduced<First>{};                    // split
  else return nil_of<First, More...>{};
}

// Do lanes come to threads that had none of them? A block that is stretched or joined is no address of the producer's
// but part of a value, which the consumers make.
template <class R, class... A>
constexpr bool spreads() {
  if constexpr (is_block<R> && (is_block<A> || ...)) {
    const auto size = []<class X>() {
      if constexpr (is_block<X>) return X::shape_type::size;
      else return 0;
    };
    return ((R::shape_type::size > size.template operator()<A>()) && ...);
  } else {
    return false;
  }
}

// As many as the op gives: one, a pair, or four words. What the table says of tl.reduce and tl.associative_scan is how
// many they may be given; they give as many as they are.
template <OpFamily Family, int Results, class... A>
constexpr auto nil_results() {
  if constexpr (Results == 4 && (Family == OpFamily::reduction || Family == OpFamily::scan)) {
    return nil_combined<Family, A...>();
  } else if constexpr (Results > 0) {
    using N = decltype(nil_result<Family, A...>());
    if constexpr (Results == 1) return N{};
    else if constexpr (Results == 2) return Tuple<N, N>{};
    else return Tuple<N, N, N, N>{};
  }
}

}  // namespace detail

struct NilLibdevice {
#define TL_ONE(NAME)                              \
  template <class X>                              \
  __forceinline__ auto NAME(const X& x) const {   \
    if constexpr (any_nil<X>) return nil_of<X>{}; \
    else return Libdevice{}.NAME(x);              \
  }
#define TL_TWO(NAME)                                        \
  template <class A, class B>                               \
  __forceinline__ auto NAME(const A& a, const B& b) const { \
    if constexpr (any_nil<A, B>) return nil_of<A, B>{};     \
    else return Libdevice{}.NAME(a, b);                     \
  }
  TL_LIBDEVICE(TL_ONE, TL_TWO)
#undef TL_ONE
#undef TL_TWO
};

// `Self` is the producer. Where an op takes options in braces, it takes these.
template <class Cfg, class Self>
struct NilOps : Ops<Cfg, Self> {
  using Base = Ops<Cfg, Self>;
  static constexpr NilLibdevice libdevice{};

// Of scalars and index blocks the producer computes the value: addresses are made of it.
#define TL_NIL_COMPUTED(NAME, FAMILY, RESULTS)                                                       \
  template <class... A>                                                                              \
  __forceinline__ auto NAME(const A&... a) const {                                                   \
    constexpr bool makes_block = FAMILY == OpFamily::creation && detail::told_rank<A...>() >= 0;     \
    if constexpr (makes_block || any_nil<A...>) return detail::nil_results<FAMILY, RESULTS, A...>(); \
    else if constexpr (FAMILY == OpFamily::view || FAMILY == OpFamily::pieces) {                     \
      using Made = decltype(Base::NAME(a...));                                                       \
      if constexpr (detail::spreads<Made, A...>()) return Nil<Made::shape_type::rank>{};             \
      else return Base::NAME(a...);                                                                  \
    } else return Base::NAME(a...);                                                                  \
  }
// What the consumers alone do.
#define TL_NIL_LEFT_OUT(NAME, FAMILY, RESULTS)                          \
  template <class... A>                                                 \
  constexpr auto NAME(const A&...) const {                              \
    return detail::nil_results<FAMILY, RESULTS, A...>();                \
  }                                                                     \
  template <class X>                                                    \
  constexpr auto NAME(const X&, NilOptions) const {                     \
    return detail::nil_results<FAMILY, RESULTS, X>();                   \
  }                                                                     \
  template <class X, class Y>                                           \
  constexpr auto NAME(const X&, const Y&, NilOptions) const {           \
    return detail::nil_results<FAMILY, RESULTS, X, Y>();                \
  }                                                                     \
  template <class X, class Y, class Z>                                  \
  constexpr auto NAME(const X&, const Y&, const Z&, NilOptions) const { \
    return detail::nil_results<FAMILY, RESULTS, X, Y, Z>();             \
  }
// What the producer has as any executor has it.
#define TL_NIL_KEPT(NAME, FAMILY, RESULTS)

#define TL_NIL_program TL_NIL_COMPUTED
#define TL_NIL_creation TL_NIL_COMPUTED
#define TL_NIL_cast TL_NIL_COMPUTED
#define TL_NIL_view TL_NIL_COMPUTED
#define TL_NIL_pieces TL_NIL_COMPUTED
#define TL_NIL_arithmetic TL_NIL_COMPUTED
#define TL_NIL_bitwise TL_NIL_COMPUTED
#define TL_NIL_logical TL_NIL_COMPUTED
#define TL_NIL_comparison TL_NIL_COMPUTED
#define TL_NIL_select TL_NIL_COMPUTED
#define TL_NIL_math TL_NIL_COMPUTED
#define TL_NIL_hint TL_NIL_COMPUTED
#define TL_NIL_movement TL_NIL_LEFT_OUT
#define TL_NIL_reduction TL_NIL_LEFT_OUT
#define TL_NIL_scan TL_NIL_LEFT_OUT
#define TL_NIL_dot TL_NIL_LEFT_OUT
#define TL_NIL_memory TL_NIL_LEFT_OUT
#define TL_NIL_random TL_NIL_LEFT_OUT
#define TL_NIL_debugging TL_NIL_LEFT_OUT
#define TL_NIL_pointer TL_NIL_KEPT
#define TL_NIL_loop TL_NIL_KEPT

#define TL_OP(NAME, TEXT, FAMILY, OPERANDS, RESULTS, ...) TL_NIL_##FAMILY(NAME, OpFamily::FAMILY, RESULTS)
  TL_OPS(TL_OP)
  TL_NIL_COMPUTED(fdiv, OpFamily::arithmetic, 1)
  TL_NIL_COMPUTED(div_rn, OpFamily::arithmetic, 1)
  TL_NIL_COMPUTED(sqrt_rn, OpFamily::math, 1)
#undef TL_OP
};

}  // namespace tl::cuda
