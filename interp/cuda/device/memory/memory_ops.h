// An executor's loads, stores and atomics, and the pointers and descriptors that a kernel makes of its own.
#pragma once

#include "interp/cuda/device/memory/atomic.h"
#include "interp/cuda/device/memory/block_pointer.h"
#include "interp/cuda/device/memory/descriptor.h"
#include "interp/cuda/device/memory/memory.h"

namespace tl::cuda {

template <class Cfg>
struct MemoryOps {
  template <class P>
  __forceinline__ auto load(const P& p, LoadOptions<P> options = {}) const {
    return tl::load(p, options);
  }
  template <class P, class X>
  __forceinline__ void store(const P& p, const X& x, StoreOptions<P> options = {}) const {
    if constexpr (is_deferred<X>) tl::store(p, x.to_block(), options);
    else tl::store(p, x, options);
  }
#define TL_ATOMIC(NAME, OP)                                                                \
  template <class P, class X>                                                              \
  __forceinline__ auto NAME(const P& p, const X& x, AtomicOptions<P> options = {}) const { \
    return tl::atomic<Atomic::OP, 32 * Cfg::num_warps>(p, as_block(x), options);           \
  }
  TL_ATOMIC(atomic_add, add)
  TL_ATOMIC(atomic_max, max)
  TL_ATOMIC(atomic_min, min)
  TL_ATOMIC(atomic_and, bit_and)
  TL_ATOMIC(atomic_or, bit_or)
  TL_ATOMIC(atomic_xor, bit_xor)
  TL_ATOMIC(atomic_xchg, xchg)
#undef TL_ATOMIC
  template <class P, class X, class Y>
  __forceinline__ auto atomic_cas(const P& p, const X& expected, const Y& value, SwapOptions options = {}) const {
    return tl::atomic_cas<32 * Cfg::num_warps>(p, as_block(expected), as_block(value), options);
  }
  // What the program's threads have stored so far, all of them see.
  __forceinline__ void debug_barrier() const { synchronize<32 * Cfg::num_warps>(); }
  template <class P, class Sizes, class Strides, class Offsets, int... N, int... A>
  __forceinline__ auto make_block_ptr(const P& base, Sizes sizes, Strides strides, Offsets offsets, Shape<N...>,
                                      Axes<A...>) const {
    static_assert(sizeof...(A) == sizeof...(N),
                  "tl.make_block_ptr: shape, strides, offsets, block shape and order have one entry an axis: "
                  "tl.axes(1_c, 0_c) of two");
    static_assert(holds_integers<Sizes> && holds_integers<Strides> && holds_integers<Offsets>,
                  "tl.make_block_ptr: a shape, stride or offset must be one integer: cast it with .to(tl.int32)");
    return tl::make_block_ptr<Cfg, Shape<N...>>(base, sizes, strides, offsets);
  }
  // A descriptor of the kernel's own: a tensor from `base` on, in tiles of this shape.
  template <class P, class Sizes, class Strides, int... N>
  __forceinline__ auto make_tensor_descriptor(const P& base, const Sizes& sizes, const Strides& strides,
                                              Shape<N...>) const {
    return tl::make_tensor_descriptor<Cfg, Shape<N...>>(base, sizes, strides);
  }
  template <class B, class Steps>
  __forceinline__ B advance(const B& p, Steps steps) const {
    return advanced(p, steps);
  }
};

}  // namespace tl::cuda
