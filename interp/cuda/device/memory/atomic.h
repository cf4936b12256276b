// tl.atomic_add, and what it returns: the values before.
#pragma once

#include "interp/cuda/device/memory/memory.h"

namespace tl {
namespace detail {

template <class T>
__forceinline__ T atomic_add_one(T* p, T x) {
  if constexpr (same<T, long long>) {
    return static_cast<long long>(
        atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(x)));
  } else if constexpr (same<T, Float16>) {
    Float16 old;
    asm volatile("atom.global.add.noftz.f16 %0, [%1], %2;" : "=h"(old.bits) : "l"(p), "h"(x.bits) : "memory");
    return old;
  } else if constexpr (same<T, BFloat16>) {
#if __CUDA_ARCH__ >= 900
    BFloat16 old;
    asm volatile("atom.global.add.noftz.bf16 %0, [%1], %2;" : "=h"(old.bits) : "l"(p), "h"(x.bits) : "memory");
    return old;
#else
    static_assert(!same<T, T>, "tl.atomic_add on bfloat16 wants a chip of sm_90 or newer: add in float32");
#endif
  } else {
    static_assert(same<T, int> || same<T, unsigned> || same<T, float> || same<T, double>,
                  "a GPU adds atomically to no other dtype than int32, int64, uint32, fp16, bf16, fp32 and fp64: "
                  "accumulate in a tensor of 16 bits or more");
    return atomicAdd(p, x);
  }
}

}  // namespace detail

// One thread adds for all; the others learn the old value from it.
template <int Threads, class T, int D, class X>
__forceinline__ auto atomic_add(const Ptr<T, D>& p, const X& x, const StoreOptions<Ptr<T, D>>& options) {
  static_assert(is_scalar<X> || is_literal<X>,
                "the pointer is one cell, and takes a scalar: add a block of offsets to it, as in x_ptr + offs, or "
                "reduce the block");
  __shared__ T old;
  cuda::synchronize<Threads>();
  if (threadIdx.x == 0) old = options.mask.on ? detail::atomic_add_one(p.p, convert<T>(plain(x))) : T{};
  cuda::synchronize<Threads>();
  return Scalar<T>{old};
}

// A lane held by several threads is added once; the old values then come from the thread that added.
template <int, class P, class X>
requires(is_ptr_block<P> || is_gather<P>) __forceinline__
    auto atomic_add(const P& p, const X& value, const StoreOptions<P>& options) {
  using T = typename P::pointee;
  using S = typename P::shape_type;
  using L = typename decltype([] {
    if constexpr (is_gather<P>) return Choice<true, typename P::layout, void>{};
    else return Choice<true, typename detail::Access<P>::layout, void>{};
  }())::type;
  const auto x = spread<T, S, L>(value);
  Block<T, S, L> old;
#pragma unroll
  for (int r = 0; r < x.count; ++r) {
    const auto at = coordinates_of<S>(L::of_thread() + L::flats.at[r]);
    bool on = options.mask.box.at(at) && L::is_first_holder();
    if (options.mask.uses_lanes) on = on && options.mask.on.at[r];
    T* address;
    if constexpr (is_gather<P>) address = p.p + p.addresses.v[r];
    else address = p.p + static_cast<long long>(p.offsets.at(at));
    old.v[r] = on ? detail::atomic_add_one(address, x.v[r]) : T{};
  }
  if constexpr (L::replicated_bits() == 0) {
    return old;
  } else {
    using Map = detail::ScratchMap<T, S>;
    auto* const memory = cuda::scratch<Map::bytes>();
    cuda::synchronize<L::thread_count>();
    detail::write_scratch<Map>(memory, old);
    cuda::synchronize<L::thread_count>();
    detail::read_scratch<Map>(old, memory);
    return old;
  }
}

// The high word of an unsigned product.
template <class A, class B>
__forceinline__ auto high_product(const A& a, const B& b) {
  const auto like = binary<ops::Add>(a, b);
  using R = typename bare<decltype(like)>::element;
  if constexpr (same<R, int> || same<R, unsigned>) {
    using Wide = unsigned long long;
    const auto x = cast<DType::int64>(cast<DType::uint32>(a));
    const auto y = cast<DType::int64>(cast<DType::uint32>(b));
    return cast<dtype_of<R>>(map<unsigned>(
        binary<ops::Multiply>(x, y), [](long long p) { return static_cast<unsigned>(static_cast<Wide>(p) >> 32); }));
  } else {
    static_assert(same<R, long long>, "tl.umulhi takes 32- and 64-bit integers: cast with .to(tl.uint32)");
    using X = bare<decltype(like)>;
    if constexpr (is_scalar<X>) {
      return Scalar<long long>{static_cast<long long>(__umul64hi(plain(a), plain(b)))};
    } else {
      const auto z = materialize(like);
      using S = typename decltype(z)::shape_type;
      using L = typename decltype(z)::layout;
      const auto x = spread<long long, S, L>(a);
      const auto y = spread<long long, S, L>(b);
      Block<long long, S, L> out;
#pragma unroll
      for (int r = 0; r < out.count; ++r) out.v[r] = static_cast<long long>(__umul64hi(x.v[r], y.v[r]));
      return out;
    }
  }
}

// The caller's promise: D divides x (of a pointer: its offset in elements).
template <int D, class X>
__forceinline__ auto with_divisibility(const X& x) {
  constexpr auto most = [](int a, int b) { return a > b ? a : b; };
  if constexpr (is_ptr<X>)
    return Ptr<typename X::pointee, most(X::divisibility, divisibility_of_product(D, sizeof(typename X::pointee)))>{
        x.p};
  else if constexpr (is_scalar<X>) return Scalar<typename X::element, most(X::divisibility, D)>{x.v};
  else return x;
}

// Promises nothing, so that a variable declared from it may take any value.
template <class X>
__forceinline__ auto without_divisibility(const X& x) {
  if constexpr (is_ptr<X>) return Ptr<typename X::pointee, sizeof(typename X::pointee)>{x.p};
  else if constexpr (is_scalar<X>) return Scalar<typename X::element>{x.v};
  else if constexpr (is_literal<X>) return detail::valued(x);
  else return x;
}

}  // namespace tl
