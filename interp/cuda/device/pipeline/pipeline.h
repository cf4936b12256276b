// tl.pipelined where one role does everything: tiles go through a ring of stages in shared memory, filled by cp.async
// ahead of their use.
//
// Step i computes on slot i % stages while the copies of steps i + 1 ... i + stages - 1 are under way; one barrier a
// step.
#pragma once

#include "interp/cuda/device/memory/ring_tile.h"
#include "interp/cuda/device/pipeline/range.h"

namespace tl {

// What tl.tile returns: a load to be staged.
template <class P>
struct PointerTile {
  P p;
  TileOptions<P> options;
};
template <class D, class S>
struct DescriptorTile {
  D descriptor;
  Positions<S::rank> start;
};

template <class Cfg, class T, class S>
template <class... I>
__forceinline__ auto PointerDescriptor<Cfg, T, S>::tile(const I&... start) const {
  static_assert(sizeof...(I) == S::rank, "desc.tile takes one index an axis: desc.tile(i, j)");
  return DescriptorTile<PointerDescriptor, S>{*this, {{start...}}};
}

namespace cuda {

// The staged form of one thing that the load lambda returns: scalars need no memory.
template <class Cfg, class X>
struct Staged {
  static constexpr int bytes = 0;
  static __forceinline__ const X& view(const X& x, unsigned char*) { return x; }
  static __forceinline__ void issue(const X&, unsigned char*) {}
};

template <class Cfg, class P>
struct Staged<Cfg, PointerTile<P>> {
  using S = typename P::shape_type;
  static_assert(S::rank == 2, "tl.tile stages blocks of one axis or two: tl.load takes the others");
  using Tile = SharedTile<typename P::pointee, S, tl::detail::Access<P>::axis == 0, Cfg>;
  static constexpr int bytes = tl::detail::whole_kilobytes(Tile::format::bytes);
  static __forceinline__ Tile view(const PointerTile<P>&, unsigned char* memory) { return {memory}; }
  static __forceinline__ void issue(const PointerTile<P>& x, unsigned char* memory) {
    issue_pointers(x.p, x.options, Tile{memory});
  }
};

// One axis: the compute lambda receives the block in registers.
template <class Cfg, class P>
requires(P::shape_type::rank == 1) struct Staged<Cfg, PointerTile<P>> {
  using Row = SharedRow<typename P::pointee, typename P::shape_type, Cfg>;
  static constexpr int bytes = tl::detail::whole_kilobytes(Row::bytes);
  static __forceinline__ auto view(const PointerTile<P>&, unsigned char* memory) { return Row{memory}.to_block(); }
  static __forceinline__ void issue(const PointerTile<P>& x, unsigned char* memory) {
    issue_pointers(x.p, x.options, Row{memory});
  }
};

template <class Cfg, class D, class S>
struct Staged<Cfg, DescriptorTile<D, S>> {
  using Tile = SharedTile<typename D::element, S, false, Cfg>;
  static constexpr int bytes = tl::detail::whole_kilobytes(Tile::format::bytes);
  static __forceinline__ Tile view(const DescriptorTile<D, S>&, unsigned char* memory) { return {memory}; }
  static __forceinline__ void issue(const DescriptorTile<D, S>& x, unsigned char* memory) {
    issue_block(x.descriptor.tile_at(x.start), D::all_axes(), Padding::zero, Tile{memory});
  }
};

template <class Cfg, class StagedTuple>
struct Stage {
  static_assert(
      same<Cfg, void>,
      "the first lambda of tl.pipelined returns what is staged: return tl.stage(tl.tile(ptrs, {.mask = mask}))");
};
template <class Cfg, class... X>
struct Stage<Cfg, Tuple<X...>> {
  static constexpr int bytes = (0 + ... + Staged<Cfg, X>::bytes);
  static constexpr int offset(int i) {
    const int sizes[] = {Staged<Cfg, X>::bytes..., 0};
    int at = 0;
    for (int j = 0; j < i; ++j) at += sizes[j];
    return at;
  }
  template <int... I>
  static __forceinline__ void issue(const Tuple<X...>& t, unsigned char* slot, Indices<I...>) {
    (Staged<Cfg, X>::issue(get<I>(t), slot + offset(I)), ...);
  }
  template <class Compute, int... I>
  static __forceinline__ void compute(Compute& f, const Tuple<X...>& t, unsigned char* slot, Indices<I...>) {
    f(Staged<Cfg, X>::view(get<I>(t), slot + offset(I))...);
  }
  using indices = make_indices<sizeof...(X)>;
};

template <class Cfg, class R, class Load, class Compute>
__forceinline__ void run_pipeline(const R& range, Load& load, Compute& compute) {
#ifdef TILESCOPE_PLAIN  // tiles of pointers are loaded already: one turn after the other
  using Turn = Stage<Cfg, bare<decltype(load(*range.begin()))>>;
  report_shared_bytes<Turn::bytes>();
#pragma unroll 1
  for (auto i : range) {
    const auto staged = load(i);
    synchronize<32 * Cfg::num_warps>();
    Turn::issue(staged, dynamic_shared, typename Turn::indices{});
    commit_copies();
    wait_copies<0>();
    synchronize<32 * Cfg::num_warps>();
    Turn::compute(compute, staged, dynamic_shared, typename Turn::indices{});
  }
#else
  using I = typename R::integer;
  using Step = Scalar<I, R::divisibility>;
  using This = Stage<Cfg, bare<decltype(load(Step{}))>>;
  constexpr int stages = Cfg::num_stages < 2 ? 2 : Cfg::num_stages;
  report_shared_bytes<stages * This::bytes>();
  const I count = range.count();
  auto step = [&](I i) { return Step{static_cast<I>(range.lo + i * range.step)}; };
  auto slot = [&](int s) { return dynamic_shared + s * This::bytes; };

  synchronize<32 * Cfg::num_warps>();  // an earlier loop may still read the ring
  int reads = 0, writes = 0;
  // The first stages - 1 rounds only fill; one loop for both, so that the copies are compiled once.
#pragma unroll 1
  for (I i = 1 - stages; i < count; ++i) {
    if (i >= 0) {
      wait_copies<stages - 2>();
      synchronize<32 * Cfg::num_warps>();
    }
    if (i + (stages - 1) < count) This::issue(load(step(i + (stages - 1))), slot(writes), typename This::indices{});
    commit_copies();
    writes = writes + 1 == stages ? 0 : writes + 1;
    if (i >= 0) {
      This::compute(compute, load(step(i)), slot(reads), typename This::indices{});
      reads = reads + 1 == stages ? 0 : reads + 1;
    }
  }
  wait_copies<0>();
#endif
}

}  // namespace cuda
}  // namespace tl
