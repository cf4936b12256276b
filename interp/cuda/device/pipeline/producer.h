// The producer: the warps that run the kernel's text for its loops and addresses alone, and copy the tiles ahead of the
// consumers: one thread by TMA, or a warpgroup by cp.async. Its blocks are Nil; scalars, and loads of scalars, are
// real.
#pragma once

#include "interp/cuda/device/memory/lookup.h"
#include "interp/cuda/device/memory/ring_tile.h"
#include "interp/cuda/device/memory/tma_descriptor.h"
#include "interp/cuda/device/pipeline/nil_ops.h"
#include "interp/cuda/device/pipeline/ring.h"

namespace tl::cuda {

// WithTma: the launch's descriptors are tensor maps, and one thread asks for their tiles.
template <class Cfg, bool WithTma>
struct Producer : NilOps<Cfg, Producer<Cfg, WithTma>> {
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
    arrive(slot, issue_pointers(p, options, Tile{shared_pointer(slot.memory)}, covers_tile(options.mask)));
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

  // Other loads: scalars and rows of tables are real, blocks are the consumers'.
  template <class P>
    requires(!WithTma && is_lookup<P>)
  __forceinline__ auto load(const P& p, LookupOptions<P> options = {}) const {
    return looked_up(p, options);
  }
  template <class T, int D>
  __forceinline__ auto load(const Ptr<T, D>& p, LoadOptions<Ptr<T, D>> options = {}) const {
    return Base::load(p, options);
  }
  template <class P>
    requires(!is_ptr<P> && (WithTma || !(is_ring_load<P> || is_lookup<P>)))
  constexpr auto load(const P&, NilOptions = {}) const {
    constexpr int rank = rank_of<P>();
    if constexpr (is_nil<P>)
      static_assert(WithTma || rank != 2 || !P::is_uniform,
                    "where this tile lies depends on a block's values, which the warps that load it do not have");
    return Nil<rank, rank == 0>{};
  }

  // Where an op's form follows from more than its family.
  using Base::arange;
  template <class... A>
    requires(!formulas)
  constexpr Nil<1> arange(const A&...) const {
    return {};
  }
  template <class... N>
  constexpr auto shape(N... n) const {
    if constexpr ((same<N, NilSize> || ...)) return NilShape<sizeof...(N)>{};
    else return Base::shape(n...);
  }
  template <class X, auto Axis>
  __forceinline__ auto expand_dims(const X& x, constant<Axis> axis) const {
    if constexpr (any_nil<X>) return Nil<X::rank + 1, X::is_uniform>{};
    else return Base::expand_dims(x, axis);
  }
  template <class X>
  __forceinline__ auto expand_dims(const X& x, Zero) const {
    return expand_dims(x, constant<0>{});
  }
  template <class X, class... A>
  constexpr Nil<rank_of<X>()> zeros_like(const X&, const A&...) const {
    return {};
  }
  template <class X, class... A>
  constexpr Nil<rank_of<X>()> full_like(const X&, const A&...) const {
    return {};
  }
  template <class X>
  __forceinline__ auto ravel(const X& x) const {
    if constexpr (any_nil<X>) return Nil<1, X::is_uniform>{};
    else return Base::ravel(x);
  }
  template <class A, class B>
  __forceinline__ auto broadcast(const A& a, const B& b) const {
    if constexpr (any_nil<A, B>) return Tuple<nil_of<A, B>, nil_of<A, B>>{};
    else return Base::broadcast(a, b);
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
