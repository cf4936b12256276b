// The producer: one thread that runs the kernel's text for its loops and addresses alone, and asks TMA for the tiles
// ahead of the consumers. Its blocks are Nil; scalars, and loads of scalars, are real.
#pragma once

#include "interp/cuda/device/context.h"
#include "interp/cuda/device/memory/tma_descriptor.h"
#include "interp/cuda/device/pipeline/ring.h"
#include "interp/cuda/device/values/nil.h"

namespace tl::cuda {

template <class Cfg>
struct Producer : Ops<Cfg, Producer<Cfg>> {
  using Base = Ops<Cfg, Producer>;

  Ring<Cfg::num_stages> ring;
  mutable TileSpace tiles;

  __forceinline__ Producer(RingBarriers<Cfg::num_stages, Cfg::num_warps>& barriers)
      : ring{shared_address(barriers.full), shared_address(barriers.empty)} {}

  template <class R>
  __forceinline__ auto loop(R range) const {
    return ScopedRange<R>{range, &tiles};
  }
  template <class... T>
  __forceinline__ Tuple<T...> stage(T... values) const {
    return {values...};
  }
  template <class P>
  constexpr Nil tile(const P&, NilOptions = {}) const {
    return {};
  }

  template <class R, class Load, class Compute>
  __forceinline__ void pipelined(const R& range, Load&& load, Compute&&) {
    using Loaded = bare<decltype(load(*range.begin()))>;
    using This = Stage<Cfg, Loaded>;
    using Delivered = Deliveries<Cfg, Loaded>;
    ring.template place<true>(This::bytes, tiles.top);
#pragma unroll 1
    for (auto i : range) {
      const auto staged = load(i);
      ring.wait_empty();
      ring.expect(Delivered::bytes);
      Delivered::load(staged, ring.bytes_at(), ring.full_barrier(), typename This::indices{});
      ring.step();
    }
  }
  template <class T, class S>
  __forceinline__ Nil load_tile(const TileRequest<T, S>&) {
    tiles.take(TileRequest<T, S>::rounded_bytes, ring);
    return {};
  }
  template <class T, class S, class X>
  __forceinline__ void store_tile(const TensorMap*, TilePosition, const X&) const {}

  // Ops of blocks: nothing.
#define TL_NIL_OP(name)                   \
  template <class... A>                   \
  constexpr Nil name(const A&...) const { \
    return {};                            \
  }
  // clang-format off
  TL_NIL_OP(zeros) TL_NIL_OP(full) TL_NIL_OP(broadcast_to) TL_NIL_OP(expand_dims) TL_NIL_OP(reshape)
  TL_NIL_OP(permute) TL_NIL_OP(trans) TL_NIL_OP(join) TL_NIL_OP(convert_layout) TL_NIL_OP(sum)
  TL_NIL_OP(max) TL_NIL_OP(min) TL_NIL_OP(argmax) TL_NIL_OP(argmin)
  TL_NIL_OP(reduce) TL_NIL_OP(cumsum) TL_NIL_OP(dot) TL_NIL_OP(rand) TL_NIL_OP(randint) TL_NIL_OP(randn) TL_NIL_OP(print_if)
  TL_NIL_OP(breakpoint_if) TL_NIL_OP(device_assert)
  // clang-format on
#ifdef TILESCOPE_PLAIN
                  TL_NIL_OP(arange)
#endif
#undef TL_NIL_OP
                      template <class A>
                      constexpr NilPair split(const A&) const {
    return {};
  }

  // Ops of blocks and scalars: those of scalars are real.
#define TL_SCALAR_OP(name)                     \
  template <class... A>                        \
  __forceinline__ auto name(const A&... a) {   \
    if constexpr (any_nil<A...>) return Nil{}; \
    else return Base::name(a...);              \
  }
  // clang-format off
  TL_SCALAR_OP(where) TL_SCALAR_OP(minimum) TL_SCALAR_OP(maximum) TL_SCALAR_OP(clamp) TL_SCALAR_OP(exp) TL_SCALAR_OP(exp2)
  TL_SCALAR_OP(log) TL_SCALAR_OP(log2) TL_SCALAR_OP(sqrt) TL_SCALAR_OP(rsqrt) TL_SCALAR_OP(sin) TL_SCALAR_OP(cos)
  TL_SCALAR_OP(sigmoid) TL_SCALAR_OP(erf) TL_SCALAR_OP(floor) TL_SCALAR_OP(ceil) TL_SCALAR_OP(abs) TL_SCALAR_OP(fma)
  TL_SCALAR_OP(umulhi) TL_SCALAR_OP(cast) TL_SCALAR_OP(multiple_of) TL_SCALAR_OP(assume)
  // clang-format on
#undef TL_SCALAR_OP

      // The consumers store, and load blocks.
      template <class P, class B>
      __forceinline__ void store(const P&, const B&, NilOptions = {}) const {
  }
  template <class P, class B>
  constexpr Nil atomic_add(const P&, const B&, NilOptions = {}) const {
    return {};
  }
  template <class P>
  __forceinline__ auto load(const P& p, NilOptions = {}) {
    if constexpr (is_ptr<P>) return Base::load(p);
    else return Nil{};
  }
};

}  // namespace tl::cuda
