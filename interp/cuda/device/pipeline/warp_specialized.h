// A kernel with a dot runs as two: the consumers' warps first, then the producer's. Each instantiates the kernel's text
// with its own executor, as the outermost branch, so that neither pays for the other's registers.
//
// The producer is one thread where the launch's descriptors are tensor maps, since TMA copies by itself. Where it
// copies by pointers it is a warpgroup on Hopper, which takes registers from it, else two warps.
#pragma once

#include "interp/cuda/device/pipeline/consumer.h"
#include "interp/cuda/device/pipeline/producer.h"

namespace tl::cuda {

// The launch's configuration where warps have roles.
template <class Cfg, bool WithTma>
struct InRoles : Cfg {
  static constexpr Matrix matrix = rules::matrix_of(Cfg::dots, has_wgmma, Cfg::num_warps);
  static constexpr bool tensor_maps = WithTma, copies_ahead = !WithTma;
};
template <class Cfg>
struct Copying : Cfg {
  static constexpr int num_warps = rules::copying_warps(config_of<Cfg>);
  static constexpr bool copies = true;
};

template <class A>
inline constexpr bool on_tma = false;
template <class T, class S>
inline constexpr bool on_tma<Descriptor<T, S, Tma>> = true;

inline constexpr bool may_copy_ahead = formulas && !build.one_role;

// A descriptor that goes by pointers, bound to its role.
template <class Role, class Cfg, class T, class S>
struct RoleDescriptor {
  using element = T;
  using shape_type = S;
  static constexpr Dtype<dtype_of<T>> dtype{};
  Role* tl;
  PointerDescriptor<Cfg, T, S> pointers;

  __forceinline__ auto load(Positions<S::rank> start) const {
    return tl->load_block(pointers.tile_at(start), pointers.all_axes(), Padding::zero);
  }
  template <class X>
  __forceinline__ void store(Positions<S::rank> start, const X& x) const {
    tl->store_block(pointers, start, x);
  }
};

template <class Cfg, class Tl, class A>
__forceinline__ auto bound_to(Tl&, const A& argument) {
  return argument;
}
template <class Cfg, class Tl, class T, class S>
__forceinline__ auto bound_to(Tl& tl, const Descriptor<T, S, Tma>& d) {
  return TmaDescriptor<Tl, T, S>{&tl, d.map};
}
template <class Cfg, class Tl, class T, class S>
__forceinline__ auto bound_to(Tl& tl, const Descriptor<T, S, Pointers>& d) {
  return RoleDescriptor<Tl, Cfg, T, S>{&tl, {d.tensor}};
}

template <class A>
__forceinline__ void prefetch(const A&) {}
template <class T, class S>
__forceinline__ void prefetch(const Descriptor<T, S, Tma>& d) {
  tma_prefetch_map(d.map);
}

template <class Kernel, class Launched, class... A>
  requires((on_tma<A> || ...) || (may_copy_ahead && Launched::uses_dot && Launched::num_warps % 4 == 0))
struct Launcher<Kernel, Launched, A...> {
  static constexpr bool with_tma = (on_tma<A> || ...);
  using Cfg = InRoles<Launched, with_tma>;
  using ProducerCfg = choice<with_tma, Cfg, Copying<Cfg>>;
  static constexpr bool moved = rules::moves_registers(config_of<Cfg>);
  static constexpr rules::RegisterShares registers = rules::register_shares(config_of<Cfg>);
  static constexpr int consumer_threads = 32 * Cfg::num_warps;
  static constexpr int copying_threads = with_tma ? 1 : 32 * ProducerCfg::num_warps;
  static constexpr int threads = rules::threads_of(config_of<Cfg>);
  // Without the number ptxas does not move registers.
  static constexpr int programs_per_sm = moved || build.programs_per_sm > 1 ? build.programs_per_sm : 0;

  template <class... B>
  static __forceinline__ void run(const RingPlan& plan, B... arguments) {
    __shared__ RingBarriers<Cfg::num_stages, Cfg::num_warps> barriers;
    if (with_tma && threadIdx.x == consumer_threads) (prefetch(arguments), ...);
    barriers.init(plan, copying_threads);
    if (threadIdx.x >= consumer_threads) {
      if constexpr (moved) give_registers<registers.copying>();
      if (threadIdx.x >= consumer_threads + copying_threads) return;
      Producer<ProducerCfg, with_tma> tl(barriers, plan);
      Kernel{}(tl, bound_to<ProducerCfg>(tl, arguments)...);
      if constexpr (!with_tma) wait_copies<0>();
    } else {
      if constexpr (moved) take_registers<registers.working>();
      Consumer<Cfg, with_tma> tl(barriers, plan);
      Kernel{}(tl, bound_to<Cfg>(tl, arguments)...);
      tl.finish();
      record_end();
    }
  }
};

}  // namespace tl::cuda

template <class Role, class Cfg, class T, class S>
inline constexpr bool tl::is_descriptor<tl::cuda::RoleDescriptor<Role, Cfg, T, S>> = true;
