// The producer: the warps that run the kernel's text for its loops and addresses alone, and copy the tiles ahead of the
// consumers: one thread by TMA, or a warpgroup by cp.async. Its blocks are Nil; scalars, and loads of scalars, are
// real.
#pragma once

#include "interp/cuda/device/context.h"
#include "interp/cuda/device/memory/ring_tile.h"
#include "interp/cuda/device/memory/tma_descriptor.h"
#include "interp/cuda/device/pipeline/ring.h"
#include "interp/cuda/device/values/nil.h"

namespace tl::cuda {

// WithTma: the launch's descriptors are tensor maps, and one thread asks for their tiles.
template <class Cfg, bool WithTma>
struct Producer : Ops<Cfg, Producer<Cfg, WithTma>> {
  using Base = Ops<Cfg, Producer>;

  Ring<Cfg::num_stages> ring;

  template <int ConsumerWarps>
  __forceinline__ Producer(RingBarriers<Cfg::num_stages, ConsumerWarps>& barriers, const RingPlan& plan)
      : ring(barriers, plan) {}

  template <class R>
  __forceinline__ auto loop(const R& range, RangeOptions options) const {
    return Turns<R, Producer>(range, options, this);
  }
  __forceinline__ void end_turn() const { ring.end_turn(); }

  // Tiles
  template <class P>
    requires(!WithTma && is_ring_load<P> && is_ptr_block<P>)
  __forceinline__ Nil<2> load(const P& p, TileOptions<P> options = {}) const {
    using Tile = RingTile<P, Cfg>;
    const RingSlot slot = reserve(Tile::format::bytes);
    arrive(slot, issue_pointers(p, options, Tile{shared_pointer(slot.memory)}, covers_tile(options.mask.box)));
    return {};
  }
  template <class P>
    requires(!WithTma && is_ring_load<P> && is_block_ptr<P>)
  __forceinline__ Nil<2> load(const P& p, LoadOptions<P> options = {}) const {
    return load_block(p, options.boundary_check, options.padding.value);
  }
  template <class P>
  __forceinline__ Nil<2> load_block(const P& p, const CheckedAxes& checked, Padding padding) const {
    using Tile = RingTile<P, Cfg>;
    const RingSlot slot = reserve(Tile::format::bytes);
    arrive(slot, issue_block(p, checked, padding, Tile{shared_pointer(slot.memory)}));
    return {};
  }
  template <class T, class S>
  __forceinline__ Nil<2> load_tile(const TileRequest<T, S>& request) const {
    const RingSlot slot = reserve(TileRequest<T, S>::bytes);
    mbarrier_arrive_expect(slot.full, TileRequest<T, S>::bytes);
    request.load(slot.memory, slot.full);
    return {};
  }
  template <class T, class S, class X>
  __forceinline__ void store_tile(const TensorMap*, TilePosition, const X&) const {}
  template <class D, int Rank, class X>
  __forceinline__ void store_block(const D&, const Positions<Rank>&, const X&) const {}

  // Other loads: scalars are real, blocks are the consumers'.
  template <class T, int D>
  __forceinline__ auto load(const Ptr<T, D>& p, LoadOptions<Ptr<T, D>> options = {}) const {
    return Base::load(p, options);
  }
  template <class P>
    requires(!is_ptr<P> && (WithTma || !is_ring_load<P>))
  constexpr auto load(const P&, NilOptions = {}) const {
    constexpr int rank = rank_of<P>();
    if constexpr (is_nil<P>)
      static_assert(WithTma || rank != 2 || !P::is_uniform,
                    "where this tile lies depends on a block's values, which the warps that load it do not have");
    return Nil<rank, rank == 0>{};
  }
  template <class P, class X>
  __forceinline__ void store(const P&, const X&, NilOptions = {}) const {}
#define TL_ATOMIC(name)                                            \
  template <class P, class X>                                      \
  constexpr auto name(const P&, const X&, NilOptions = {}) const { \
    return Nil<rank_of<P>(), rank_of<P>() == 0>{};                 \
  }
  // clang-format off
  TL_ATOMIC(atomic_add) TL_ATOMIC(atomic_max) TL_ATOMIC(atomic_min) TL_ATOMIC(atomic_and) TL_ATOMIC(atomic_or)
  TL_ATOMIC(atomic_xor) TL_ATOMIC(atomic_xchg)
  // clang-format on
#undef TL_ATOMIC
          template <class P, class X, class Y>
          constexpr auto atomic_cas(const P&, const X&, const Y&, NilOptions = {}) const {
    return Nil<rank_of<P>(), rank_of<P>() == 0>{};
  }
  __forceinline__ void debug_barrier() const {}

  // Ops of blocks: nothing but a rank.
  template <int... N, class... A>
  constexpr Nil<sizeof...(N), sizeof...(N) == 0> zeros(Shape<N...>, const A&...) const {
    return {};
  }
  template <int... N, class... A>
  constexpr Nil<sizeof...(N), sizeof...(N) == 0> full(Shape<N...>, const A&...) const {
    return {};
  }
  template <class A, class... B>
  constexpr Nil<(rank_of<A>() == 3 ? 3 : 2)> dot(const A&, const B&...) const {
    return {};
  }
  template <class... A>
  constexpr Nil<2> dot_scaled(const A&...) const {
    return {};
  }
#define TL_REDUCED(name)                                                              \
  template <class X, class... A>                                                      \
  constexpr auto name(const X&, const A&...) const {                                  \
    if constexpr (sizeof...(A) == 0) return Nil<0, true>{};                           \
    else if constexpr ((same<A, KeepDims> || ...)) return Nil<rank_of<X>(), false>{}; \
    else return nil_reduced<X>{};                                                     \
  }
  // clang-format off
  TL_REDUCED(sum) TL_REDUCED(max) TL_REDUCED(min) TL_REDUCED(argmax) TL_REDUCED(argmin) TL_REDUCED(reduce)
  TL_REDUCED(xor_sum)
  // clang-format on
#undef TL_REDUCED
#define TL_RANDOM(name)                                                           \
  template <class S, class I>                                                     \
  constexpr Nil<rank_of<I>(), rank_of<I>() == 0> name(const S&, const I&) const { \
    return {};                                                                    \
  }
      // clang-format off
  TL_RANDOM(rand) TL_RANDOM(randint) TL_RANDOM(randn)
  // clang-format on
#undef TL_RANDOM
#define TL_KEPT(name)                                                       \
  template <class X, class... A>                                            \
  constexpr Nil<rank_of<X>()> name(const X&, const A&...) const {           \
    return {};                                                              \
  }                                                                         \
  template <class X, class A>                                               \
  constexpr Nil<rank_of<X>()> name(const X&, const A&, ScanOptions) const { \
    return {};                                                              \
  }
      // clang-format off
  TL_KEPT(cumsum) TL_KEPT(cumprod) TL_KEPT(softmax) TL_KEPT(flip) TL_KEPT(zeros_like) TL_KEPT(full_like)
  // clang-format on
#undef TL_KEPT
          template <class X>
          constexpr Nil<rank_of<X>()> sort(const X&, NilSort = {}) const {
    return {};
  }
  template <class... A>
  __forceinline__ void print_if(const A&...) const {}
  template <class... A>
  __forceinline__ void device_print(const A&...) const {}
  template <class... A>
  __forceinline__ void static_print(const A&...) const {}
  template <class... A>
  __forceinline__ void breakpoint_if(const A&...) const {}
  template <class... A>
  __forceinline__ void device_assert(const A&...) const {}
#ifdef TILESCOPE_PLAIN
  template <class... A>
  constexpr Nil<1> arange(const A&...) const {
    return {};
  }
#endif

  // Shapes of Nil; of index blocks they are real.
#define TL_SHAPE_OP(name, rank)                                  \
  template <class X, class... A>                                 \
  __forceinline__ auto name(const X& x, const A&... a) const {   \
    if constexpr (any_nil<X>) return Nil<rank, X::is_uniform>{}; \
    else return Base::name(x, a...);                             \
  }
  // clang-format off
  TL_SHAPE_OP(expand_dims, X::rank + 1) TL_SHAPE_OP(permute, X::rank) TL_SHAPE_OP(trans, X::rank)
  TL_SHAPE_OP(convert_layout, X::rank)
  // clang-format on
#undef TL_SHAPE_OP
      template <class X, int... N>
      __forceinline__ auto reshape(const X& x, Shape<N...> s) const {
    if constexpr (any_nil<X>) return Nil<sizeof...(N), X::is_uniform>{};
    else return Base::reshape(x, s);
  }
  template <class X, int... N>
  __forceinline__ auto broadcast_to(const X& x, Shape<N...> s) const {
    if constexpr (any_nil<X>) return Nil<sizeof...(N), X::is_uniform>{};
    else return Base::broadcast_to(x, s);
  }
  template <class X>
  __forceinline__ auto split(const X& x) const {
    if constexpr (any_nil<X>) return NilPair<nil_reduced<X>>{};
    else return Base::split(x);
  }
  template <class A, class B>
  __forceinline__ auto join(const A& a, const B& b) const {
    if constexpr (any_nil<A, B>) return Nil<largest_rank<A, B>() + 1>{};
    else return Base::join(a, b);
  }

  // Ops lane by lane: of scalars and index blocks they are real.
#define TL_LANE_OP(name)                                \
  template <class... A>                                 \
  __forceinline__ auto name(const A&... a) const {      \
    if constexpr (any_nil<A...>) return nil_of<A...>{}; \
    else return Base::name(a...);                       \
  }
  // clang-format off
  TL_LANE_OP(where) TL_LANE_OP(minimum) TL_LANE_OP(maximum) TL_LANE_OP(clamp) TL_LANE_OP(exp) TL_LANE_OP(exp2)
  TL_LANE_OP(log) TL_LANE_OP(log2) TL_LANE_OP(sqrt) TL_LANE_OP(rsqrt) TL_LANE_OP(sin) TL_LANE_OP(cos)
  TL_LANE_OP(sigmoid) TL_LANE_OP(erf) TL_LANE_OP(floor) TL_LANE_OP(ceil) TL_LANE_OP(abs) TL_LANE_OP(fma)
  TL_LANE_OP(umulhi) TL_LANE_OP(cdiv)
  TL_LANE_OP(tanh) TL_LANE_OP(log1p) TL_LANE_OP(expm1) TL_LANE_OP(tan) TL_LANE_OP(asin)
  TL_LANE_OP(acos) TL_LANE_OP(atan) TL_LANE_OP(sinh) TL_LANE_OP(cosh) TL_LANE_OP(asinh)
  TL_LANE_OP(acosh) TL_LANE_OP(atanh) TL_LANE_OP(cbrt) TL_LANE_OP(exp10) TL_LANE_OP(log10)
  TL_LANE_OP(erfc) TL_LANE_OP(lgamma) TL_LANE_OP(tgamma) TL_LANE_OP(round) TL_LANE_OP(rint)
  TL_LANE_OP(trunc) TL_LANE_OP(pow) TL_LANE_OP(atan2) TL_LANE_OP(fmod) TL_LANE_OP(copysign)
  TL_LANE_OP(hypot) TL_LANE_OP(fdim) TL_LANE_OP(nextafter) TL_LANE_OP(isnan) TL_LANE_OP(isinf)
  TL_LANE_OP(isfinite) TL_LANE_OP(signbit) TL_LANE_OP(div_rn) TL_LANE_OP(fdiv) TL_LANE_OP(sqrt_rn)
  // clang-format on
#undef TL_LANE_OP
                                          template <class X, class... D>
                                          __forceinline__ auto cast(const X& x, D... how) const {
    if constexpr (any_nil<X>) return x;
    else return Base::cast(x, how...);
  }
  template <class X, class C>
  __forceinline__ auto multiple_of(const X& x, C c) const {
    if constexpr (any_nil<X>) return x;
    else return Base::multiple_of(x, c);
  }
  template <class X>
  __forceinline__ void assume(const X& x) const {
    if constexpr (!any_nil<X>) Base::assume(x);
  }

 private:
  // A slot is taken with its first tile, and empty before any is written.
  __forceinline__ RingSlot reserve(int bytes) const {
    if (ring.level > 0 && ring.turn.tiles == 0) mbarrier_wait(ring.empty_barrier(), ring.turn.phase ^ 1);
    return ring.reserve(tl::detail::whole_kilobytes(bytes));
  }
  __forceinline__ void arrive(const RingSlot& slot, bool asynchronous) const {
    if (asynchronous) mbarrier_arrive_after_copies(slot.full);
    else mbarrier_arrive(slot.full);
  }
};

}  // namespace tl::cuda
