// A kernel with descriptors on TMA runs as two: the consumers' warps first, then the producer's. Each instantiates the
// kernel's text with its own executor, as the outermost branch, so that neither pays for the other's registers.
#pragma once

#include "interp/cuda/device/pipeline/consumer.h"
#include "interp/cuda/device/pipeline/producer.h"

namespace tl::cuda {

// The launch's configuration where wgmma multiplies.
template <class Cfg>
struct Hopper : Cfg {
  static constexpr Matrix matrix = rules::matrix_of(Cfg::uses_dot, true, Cfg::num_warps);
};

template <class A>
inline constexpr bool on_tma = false;
template <class T, class S>
inline constexpr bool on_tma<Descriptor<T, S, Tma>> = true;

// Registers a thread gives and takes: the producer needs few. One consumer warpgroup may have 255 without that.
template <int NumWarps>
struct Registers {
  static constexpr bool moved = false;
};
template <>
struct Registers<8> {
  static constexpr bool moved = true;
  static constexpr int producer = 24, consumer = 240;
};
template <>
struct Registers<16> {
  static constexpr bool moved = true;
  static constexpr int producer = 24, consumer = 112;
};

template <class Tl, class A>
__forceinline__ auto bound_to(Tl&, const A& argument) {
  return argument;
}
template <class Tl, class T, class S>
__forceinline__ auto bound_to(Tl& tl, const Descriptor<T, S, Tma>& d) {
  return TmaDescriptor<Tl, T, S>{&tl, d.map};
}

template <class Kernel, class Launched, class... A>
requires(on_tma<A> || ...) struct Launcher<Kernel, Launched, A...> {
  using Cfg = Hopper<Launched>;
  using Moved = Registers<Cfg::num_warps>;
  static constexpr int consumer_threads = 32 * Cfg::num_warps;
  static constexpr int threads = consumer_threads + (Moved::moved ? 128 : 32);

  template <class... B>
  static __forceinline__ void run(B... arguments) {
    __shared__ RingBarriers<Cfg::num_stages, Cfg::num_warps> barriers;
    if (threadIdx.x == 0) barriers.init();
    __syncthreads();
    if (threadIdx.x >= consumer_threads) {
      if constexpr (Moved::moved) give_registers<Moved::producer>();
      if (threadIdx.x != consumer_threads) return;
      Producer<Cfg> tl(barriers);
      Kernel{}(tl, bound_to(tl, arguments)...);
    } else {
      if constexpr (Moved::moved) take_registers<Moved::consumer>();
      Consumer<Cfg> tl(barriers);
      Kernel{}(tl, bound_to(tl, arguments)...);
      tl.finish();
    }
  }
};

}  // namespace tl::cuda
