// The consumers: the warps that compute. They run the kernel's text with blocks in registers; the tiles they dot come
// from the producer's ring.
#pragma once

#include "interp/cuda/device/context.h"
#include "interp/cuda/device/dot/dot_result.h"
#include "interp/cuda/device/dot/wgmma_dot.h"
#include "interp/cuda/device/memory/lookup.h"
#include "interp/cuda/device/memory/ring_tile.h"
#include "interp/cuda/device/memory/tma_descriptor.h"
#include "interp/cuda/device/pipeline/ring.h"

namespace tl::cuda {

template <class Cfg, bool WithTma>
struct Consumer : Ops<Cfg, Consumer<Cfg, WithTma>> {
  using Base = Ops<Cfg, Consumer>;
  static constexpr int threads = 32 * Cfg::num_warps;
  using Base::dot;

  Ring<Cfg::num_stages> ring;
  int warpgroup = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);  // uniform, and the compiler knows
  mutable choice<has_wgmma, DotsInFlight, NoDotsInFlight> dots;

  __forceinline__ Consumer(RingBarriers<Cfg::num_stages, Cfg::num_warps>& barriers, const RingPlan& plan)
      : ring(barriers, plan), dots(shared_address(barriers.dot_turns), warpgroup) {}

  template <class R>
  __forceinline__ auto loop(const R& range, RangeOptions options) const {
    return Turns<R, Consumer>(range, options, this);
  }
  // All lanes of a warp are done with the turn's tiles, and so are its dots.
  __forceinline__ void end_turn() const {
    dots.wait_for_all();
    if (ring.turn.tiles == 0) return;
    __syncwarp();
    if (threadIdx.x % 32 == 0) mbarrier_arrive(ring.empty_barrier());
    ring.end_turn();
  }

  // What runs beside dots is kept before the wait for them.
  template <class X>
  __forceinline__ X noted(const X& x) const {
    dots.note(x);
    return x;
  }

  // Tiles of the ring
  template <class P>
    requires(!WithTma && is_ring_load<P> && is_ptr_block<P>)
  __forceinline__ auto load(const P&, LoadOptions<P> = {}) const {
    return arrived<RingTile<P, Cfg>>();
  }
  template <class P>
    requires(!WithTma && is_ring_load<P> && is_block_ptr<P>)
  __forceinline__ auto load(const P&, LoadOptions<P> = {}) const {
    return arrived<RingTile<P, Cfg>>();
  }
  template <class P>
  __forceinline__ auto load_block(const P&, const CheckedAxes&, Padding) const {
    return arrived<RingTile<P, Cfg>>();
  }
  template <class T, class S>
  __forceinline__ auto load_tile(const TileRequest<T, S>&) const {
    return arrived<SharedTile<T, S, false, Cfg>>();
  }
  template <class P>
    requires(!WithTma && is_lookup<P>)
  __forceinline__ auto load(const P& p, LookupOptions<P> options = {}) const {
    return looked_up(p, options);
  }
  // Everything else is loaded here.
  template <class P>
    requires(WithTma || !(is_ring_load<P> || is_lookup<P>))
  __forceinline__ auto load(const P& p, LoadOptions<P> options = {}) const {
    return tl::load(p, options);
  }

  template <class D, int Rank, class X>
  __forceinline__ void store_block(const D& descriptor, const Positions<Rank>& start, const X& x) const {
    descriptor.store(start, x);
  }
  // Through scratch, so that TMA writes whole lines and clips at the tensor's edge.
  template <class T, class S, class X>
  __forceinline__ void store_tile(const TensorMap* map, TilePosition position, const X& x) {
    const auto block = materialize(x);
    using Values = bare<decltype(block)>;
    using Whole = TileRequest<T, S>;
    using Part = TileRequest<T, typename Values::shape_type>;
    static_assert(same<typename Values::element, T>,
                  "desc.store takes a block of the tensor's dtype: cast it with .to(desc.dtype)");
    static_assert(
        Whole::format::box_bytes == Part::format::box_bytes && Whole::format::box_cols == Part::format::box_cols &&
            Part::bytes <= Whole::bytes,
        "desc.store takes a block of the descriptor's shape, or one with fewer columns: 128 bytes of them at least");
    const SharedTile<T, typename Values::shape_type, false, Cfg> copy{scratch<Part::bytes>()};
    synchronize<threads>();
    write_tile(copy, block);
    fence_async_proxy();
    synchronize<threads>();
    if (threadIdx.x == 0) {
      Part{map, position}.store(shared_address(copy.memory));
      tma_commit();
    }
  }
  __forceinline__ void finish() const {
    dots.wait_for_all();  // of those that nobody read
    if constexpr (WithTma)
      if (threadIdx.x == 0) tma_wait();
  }

  template <class A, class B>
  __forceinline__ auto dot(const A& a, const B& b) {
    if constexpr (A::shape_type::rank >= 3) return batched_multiply_add<Cfg, Tf32>(as_operand(a), as_operand(b), 0);
    else if constexpr (on_wgmma<A, B, Tf32>()) return product<false>(as_operand(a), as_operand(b), accumulator<A, B>{});
    else return multiply<Cfg, Tf32>(as_operand(a), as_operand(b));
  }
  template <class A, class B, class C, class Precision = Tf32>
  __forceinline__ auto dot(const A& a, const B& b, const C& c, Precision p = {}) {
    if constexpr (is_narrow<A, C>)
      return tl::cast<DType::float16>(as_block(dot(a, b, tl::cast<DType::float32>(as_block(c)), p)));
    else if constexpr (splits<A, B, Precision>) {
      return this->dot_in_parts(a, b, c, p);
    } else if constexpr (A::shape_type::rank >= 3) {
      return batched_multiply_add<Cfg, Precision>(as_operand(a), as_operand(b), as_operand(c));
    } else if constexpr (on_wgmma<A, B, Precision>()) {
      using Acc = accumulator<A, B>;
      check_accumulator<float, C>();
      return product<true>(as_operand(a), as_operand(b),
                           spread<float, typename Acc::shape_type, typename Acc::layout>(c));
    } else {
      return multiply_add<Cfg, Precision>(as_operand(a), as_operand(b), as_operand(c));
    }
  }

 private:
  // The next tile of this turn, once it is there.
  template <class Tile>
  __forceinline__ Tile arrived() const {
    const RingSlot slot = ring.reserve(tl::detail::whole_kilobytes(Tile::format::bytes));
    mbarrier_wait(slot.full, ring.next_parity());
    // Copies by cp.async and ordinary stores wrote by the generic proxy, wgmma reads by the asynchronous one: the fence
    // stands between the barrier that tells of the writes and every read of this thread's dots.
    if constexpr (has_wgmma && !WithTma) fence_async_proxy();
    return {shared_pointer(slot.memory)};
  }

  template <class A, class B>
  using product_shape = Shape<A::shape_type::at(0), B::shape_type::at(1)>;
  template <class A, class B, class Precision>
  static constexpr bool on_wgmma() {
    using S = product_shape<A, B>;
    constexpr rules::DotKind kind{dtype_of<typename A::element>, dtype_of<typename B::element>, same<Precision, Ieee>,
                                  false};
    return rules::dot_unit(config_of<Cfg>, kind, S::at(0), S::at(1), A::shape_type::at(1)) == rules::DotUnit::wgmma;
  }
  template <class A, class B>
  using accumulator = Block<float, product_shape<A, B>, accumulator_layout<Cfg, product_shape<A, B>>>;

  // A tile as it lies; the result of a dot in registers.
  template <class X>
  static __forceinline__ decltype(auto) as_operand(const X& x) {
    if constexpr (is_tile<X>) return (x);
    else return as_block(x);
  }

  // c + a b, or a b. Operands in scratch are read before it returns, since the next op takes that memory.
  template <bool Accumulate, class A, class B, class S, class L>
  __forceinline__ auto product(const A& a, const B& b, Block<float, S, L> c) {
    using SA = typename A::shape_type;
    using SB = typename B::shape_type;
    static_assert(SA::at(1) == SB::at(0), "tl.dot: a has as many columns as b has rows: tl.trans turns a block");
    using Plan = AccumulatorPlan<SA::at(0), SB::at(1), Cfg::num_warps>;
    using Left = DotOperand<Cfg, A, true>;
    using Right = DotOperand<Cfg, B, false>;
    constexpr int scratch_bytes = Left::scratch_bytes + Right::scratch_bytes;
    require_in_place<A, Left, WithTma>();
    require_in_place<B, Right, WithTma>();
    unsigned char* copies = nullptr;
    if constexpr (scratch_bytes > 0) {
      copies = scratch<scratch_bytes>();
      synchronize<threads>();
    }
    dots.begin();
    const auto left = Left::make(a, copies);
    const auto right = Right::make(b, copies + Left::scratch_bytes);
    if constexpr (scratch_bytes > 0) {
      fence_async_proxy();
      synchronize<threads>();
    }
    issue_warpgroup_dot<Plan, SA::at(1), Accumulate>(warpgroup, c.v, left, right);
    const int number = dots.add();
    if constexpr (scratch_bytes > 0) dots.wait_for(number);
    return DotResult<S, L>(c, dots, number);
  }
};

}  // namespace tl::cuda
