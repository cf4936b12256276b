// The consumers: the warps that compute. They run the kernel's text with blocks in registers; the tiles they dot come
// from the producer's ring.
#pragma once

#include "interp/cuda/device/context.h"
#include "interp/cuda/device/dot/wgmma_dot.h"
#include "interp/cuda/device/memory/tma_descriptor.h"
#include "interp/cuda/device/pipeline/ring.h"

namespace tl::cuda {

template <class Cfg>
struct Consumer : Ops<Cfg, Consumer<Cfg>> {
  using Base = Ops<Cfg, Consumer>;
  static constexpr int threads = 32 * Cfg::num_warps;

  Ring<Cfg::num_stages> ring;
  SharedAddress tile_barrier;
  mutable TileSpace tiles;
  int tile_phase = 0;
  int warpgroup = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);  // uniform, and the compiler knows

  __forceinline__ Consumer(RingBarriers<Cfg::num_stages, Cfg::num_warps>& barriers)
      : ring{shared_address(barriers.full), shared_address(barriers.empty)},
        tile_barrier(shared_address(&barriers.tile)) {}

  template <class R>
  __forceinline__ auto loop(R range) const {
    return ScopedRange<R>{range, &tiles};
  }
  template <class... T>
  __forceinline__ Tuple<T...> stage(T... values) const {
    return {values...};
  }
  // Pointers are loaded where a descriptor's tile is waited for.
  template <class P>
  __forceinline__ auto tile(const P& p, LoadOptions<P> options = {}) const {
    return tl::load(p, options);
  }

  template <class R, class Load, class Compute>
  __forceinline__ void pipelined(const R& range, Load&& load, Compute&& compute) {
    using This = Stage<Cfg, bare<decltype(load(*range.begin()))>>;
    const Stretch measured;
    report_shared_bytes<Cfg::num_stages * This::bytes>();
    ring.template place<false>(This::bytes, tiles.top);
#pragma unroll 1
    for (auto i : range) {
      const auto staged = load(i);
      ring.wait_full();
      This::compute(compute, staged, shared_pointer(ring.bytes_at()), typename This::indices{});
      ring.release();
      ring.step();
    }
  }

  // A tile for the consumers themselves; it lives until the surrounding loop's next turn.
  template <class T, class S>
  __forceinline__ auto load_tile(const TileRequest<T, S>& request) {
    report_tile_bytes<TileRequest<T, S>::rounded_bytes>();
    const SharedAddress at = tiles.take(TileRequest<T, S>::rounded_bytes, ring);
    synchronize<threads>();  // whoever still reads what lay here
    if (threadIdx.x == 0) {
      mbarrier_arrive_expect(tile_barrier, TileRequest<T, S>::bytes);
      request.load(at, tile_barrier);
    }
    mbarrier_wait(tile_barrier, tile_phase);
    tile_phase ^= 1;
    return SharedTile<T, S, false, Cfg>{shared_pointer(at)};
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
    if (threadIdx.x == 0) tma_wait();
  }

  template <class A, class B>
  __forceinline__ auto dot(const A& a, const B& b) {
    if constexpr (on_wgmma<A, B, Tf32>()) return product<false>(a, b, accumulator<A, B>{});
    else return multiply<Cfg, Tf32>(a, b);
  }
  template <class A, class B, class C, class Precision = Tf32>
  __forceinline__ auto dot(const A& a, const B& b, const C& c, Precision = {}) {
    if constexpr (on_wgmma<A, B, Precision>()) {
      using Acc = accumulator<A, B>;
      check_accumulator<float, C>();
      return product<true>(a, b, spread<float, typename Acc::shape_type, typename Acc::layout>(c));
    } else {
      return multiply_add<Cfg, Precision>(a, b, c);
    }
  }

 private:
  template <class A, class B>
  using product_shape = Shape<A::shape_type::at(0), B::shape_type::at(1)>;
  template <class A, class B, class Precision>
  static constexpr bool on_wgmma() {
    constexpr DType a = dtype_of<typename A::element>, b = dtype_of<typename B::element>;
    return Cfg::matrix == Matrix::wgmma && fits_wgmma<Cfg, product_shape<A, B>> && wgmma_takes<a, b> &&
           A::shape_type::at(1) * size_in_bytes(a) >= 32 && !(a == DType::float32 && same<Precision, Ieee>);
  }
  template <class A, class B>
  using accumulator = Block<float, product_shape<A, B>, accumulator_layout<Cfg, product_shape<A, B>>>;

  // c + a b, or a b
  template <bool Accumulate, class A, class B, class C>
  __forceinline__ C product(const A& a, const B& b, C c) {
    using SA = typename A::shape_type;
    using SB = typename B::shape_type;
    static_assert(SA::at(1) == SB::at(0), "tl.dot: a has as many columns as b has rows: tl.trans turns a block");
    using Plan = AccumulatorPlan<SA::at(0), SB::at(1), Cfg::num_warps>;
    using Left = DotOperand<Cfg, A, true>;
    using Right = DotOperand<Cfg, B, false>;
    constexpr int scratch_bytes = Left::scratch_bytes + Right::scratch_bytes;
    unsigned char* copies = nullptr;
    if constexpr (scratch_bytes > 0) {
      copies = scratch<scratch_bytes>();
      synchronize<threads>();
    }
    const auto left = Left::make(a, copies);
    const auto right = Right::make(b, copies + Left::scratch_bytes);
    if constexpr (scratch_bytes > 0) {
      fence_async_proxy();
      synchronize<threads>();
    }
    warpgroup_dot<Plan, SA::at(1), Accumulate>(warpgroup, c.v, left, right);
    return c;
  }
};

}  // namespace tl::cuda
