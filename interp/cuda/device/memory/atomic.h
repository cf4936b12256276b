// The atomics, and what they return: the values before.
#pragma once

#include "interp/cuda/device/memory/memory.h"

namespace tl {
enum class Atomic : unsigned char { add, max, min, bit_and, bit_or, bit_xor, xchg };

template <class P>
struct AtomicOptions {
  static_assert(is_address<P>, "an atomic takes pointers first: tl.atomic_add(z_ptr + offs, z, {.mask = mask})");
};
#define TL_ATOMIC_WORDS \
  AtomicSem sem{};      \
  AtomicScope scope{};
template <class T, int D>
struct AtomicOptions<Ptr<T, D>> {
  ScalarMask mask{};
  TL_ATOMIC_WORDS
};
template <>
struct AtomicOptions<NonePtr> {
  ScalarMask mask{};
  TL_ATOMIC_WORDS
};
template <class P>
  requires(is_ptr_block<P>)
struct AtomicOptions<P> {
  MaskArgument<typename P::config, typename P::shape_type, typename detail::Access<P>::layout> mask{};
  TL_ATOMIC_WORDS
};
template <class T, class S, class L>
struct AtomicOptions<GatherBlock<T, S, L>> {
  MaskArgument<GatherConfig<L>, S, L> mask{};
  TL_ATOMIC_WORDS
};
#undef TL_ATOMIC_WORDS
struct SwapOptions {
  AtomicSem sem{};
  AtomicScope scope{};
};

namespace detail {

// The op itself is relaxed; fences on both sides give it the order that was asked for, once for all lanes of a thread.
// PTX ISA, "Memory Consistency Model".
__forceinline__ void fence(AtomicReach scope) {
  if (scope == AtomicReach::cta) asm volatile("fence.acq_rel.cta;" ::: "memory");
  else if (scope == AtomicReach::sys) asm volatile("fence.acq_rel.sys;" ::: "memory");
  else asm volatile("fence.acq_rel.gpu;" ::: "memory");
}
struct Ordered {
  AtomicOrder order;
  AtomicReach scope;
  __forceinline__ void before() const {
    if (order == AtomicOrder::release || order == AtomicOrder::acq_rel) fence(scope);
  }
  __forceinline__ void after() const {
    if (order == AtomicOrder::acquire || order == AtomicOrder::acq_rel) fence(scope);
  }
};

// A scope of one program is served as that of the GPU.
#define TL_ATOM_AT(REACH, OP, C, OLD, P, X) \
  asm volatile("atom.relaxed." REACH ".global." OP " %0, [%1], %2;" : "=" C(OLD) : "l"(P), C(X) : "memory")
#define TL_ATOM(OP, C, OLD, P, X)               \
  if (sys) TL_ATOM_AT("sys", OP, C, OLD, P, X); \
  else TL_ATOM_AT("gpu", OP, C, OLD, P, X);
#define TL_SWAP_AT(REACH, TYPE, C, OLD, P, X, Y)                              \
  asm volatile("atom.relaxed." REACH ".global.cas." TYPE " %0, [%1], %2, %3;" \
               : "=" C(OLD)                                                   \
               : "l"(P), C(X), C(Y)                                           \
               : "memory")
#define TL_SWAP(TYPE, C, OLD, P, X, Y)               \
  if (sys) TL_SWAP_AT("sys", TYPE, C, OLD, P, X, Y); \
  else TL_SWAP_AT("gpu", TYPE, C, OLD, P, X, Y);

// *p == expected ? (*p = value) : nothing, by bits; the old value.
template <class T>
__forceinline__ T swap_one(T* p, T expected, T value, bool sys) {
  static_assert(sizeof(T) >= 2, "a GPU has no tl.atomic_cas of 8 bits: keep it in a tensor of 32 or 64 bits");
  if constexpr (sizeof(T) == 2) {
    unsigned short old;
    TL_SWAP("b16", "h", old, p, __builtin_bit_cast(unsigned short, expected), __builtin_bit_cast(unsigned short, value))
    return __builtin_bit_cast(T, old);
  } else if constexpr (sizeof(T) == 4) {
    unsigned old;
    TL_SWAP("b32", "r", old, p, __builtin_bit_cast(unsigned, expected), __builtin_bit_cast(unsigned, value))
    return __builtin_bit_cast(T, old);
  } else {
    unsigned long long old;
    TL_SWAP("b64", "l", old, p, __builtin_bit_cast(unsigned long long, expected),
            __builtin_bit_cast(unsigned long long, value))
    return __builtin_bit_cast(T, old);
  }
}
#undef TL_SWAP
#undef TL_SWAP_AT

template <class T>
__forceinline__ bool same_bits(T a, T b) {
  if constexpr (sizeof(T) == 2) return __builtin_bit_cast(unsigned short, a) == __builtin_bit_cast(unsigned short, b);
  else if constexpr (sizeof(T) == 4) return __builtin_bit_cast(unsigned, a) == __builtin_bit_cast(unsigned, b);
  else return __builtin_bit_cast(unsigned long long, a) == __builtin_bit_cast(unsigned long long, b);
}

// An atomic that PTX has no instruction for: tried again until no other thread came between.
template <class T, class F>
__forceinline__ T change_one(T* p, bool sys, F f) {
  using Bits = choice<sizeof(T) == 2, unsigned short, choice<sizeof(T) == 4, unsigned, unsigned long long>>;
  T old = __builtin_bit_cast(T, *reinterpret_cast<volatile Bits*>(p));
  while (true) {
    const T seen = swap_one(p, old, f(old), sys);
    if (same_bits(seen, old)) return seen;
    old = seen;
  }
}

// For integers of so many bits, as T tells signed from unsigned.
#define TL_ATOMIC_BITS(BITS, C, WORD, SIGNED)                   \
  template <Atomic O, class T>                                  \
  __forceinline__ WORD atomic_bits(T* p, WORD x, bool sys) {    \
    WORD old;                                                   \
    if constexpr (O == Atomic::add) {                           \
      TL_ATOM("add.u" BITS, C, old, p, x)                       \
    } else if constexpr (O == Atomic::max && same<T, SIGNED>) { \
      TL_ATOM("max.s" BITS, C, old, p, x)                       \
    } else if constexpr (O == Atomic::max) {                    \
      TL_ATOM("max.u" BITS, C, old, p, x)                       \
    } else if constexpr (O == Atomic::min && same<T, SIGNED>) { \
      TL_ATOM("min.s" BITS, C, old, p, x)                       \
    } else if constexpr (O == Atomic::min) {                    \
      TL_ATOM("min.u" BITS, C, old, p, x)                       \
    } else if constexpr (O == Atomic::bit_and) {                \
      TL_ATOM("and.b" BITS, C, old, p, x)                       \
    } else if constexpr (O == Atomic::bit_or) {                 \
      TL_ATOM("or.b" BITS, C, old, p, x)                        \
    } else if constexpr (O == Atomic::bit_xor) {                \
      TL_ATOM("xor.b" BITS, C, old, p, x)                       \
    } else {                                                    \
      TL_ATOM("exch.b" BITS, C, old, p, x)                      \
    }                                                           \
    return old;                                                 \
  }
TL_ATOMIC_BITS("32", "r", unsigned, int)
TL_ATOMIC_BITS("64", "l", unsigned long long, long long)
#undef TL_ATOMIC_BITS

template <class T>
__forceinline__ T add_one(T* p, T x, bool sys) {
  T old;
  if constexpr (same<T, Float16>) {
    TL_ATOM("add.noftz.f16", "h", old.bits, p, x.bits)
  } else if constexpr (same<T, BFloat16>) {
#if __CUDA_ARCH__ >= 900
    TL_ATOM("add.noftz.bf16", "h", old.bits, p, x.bits)
#else
    old = change_one(p, sys, [x](T before) { return from_float<T>(to_float(before) + to_float(x)); });
#endif
  } else if constexpr (same<T, float>) {
    TL_ATOM("add.f32", "f", old, p, x)
  } else {
    TL_ATOM("add.f64", "d", old, p, x)
  }
  return old;
}

template <Atomic O, class T>
constexpr void check_dtype_has() {
  constexpr bool wide = sizeof(T) >= 4, half = same<T, Float16> || same<T, BFloat16>;
  if constexpr (O == Atomic::add) {
    static_assert(wide || half,
                  "a GPU adds atomically to no other dtype than int32, int64, uint32, uint64, fp16, bf16, fp32 and "
                  "fp64: accumulate in a tensor of 16 bits or more");
  } else if constexpr (O == Atomic::bit_and || O == Atomic::bit_or || O == Atomic::bit_xor) {
    static_assert(wide && is_integer_storage<T>,
                  "a GPU has no atomics on bits of this dtype: its bits are those of an int32, uint32, int64 or uint64 "
                  "tensor");
  } else {
    static_assert(wide, "a GPU has no such atomic of this dtype: keep it in a tensor of 32 or 64 bits");
  }
}

template <Atomic O, class T>
__forceinline__ T atomic_one(T* p, T x, bool sys) {
  check_dtype_has<O, T>();
  if constexpr (O == Atomic::add && is_float(dtype_of<T>)) return add_one(p, x, sys);
  else if constexpr (O == Atomic::max && is_float(dtype_of<T>))
    return change_one(p, sys, [x](T old) { return ops::Maximum::apply(old, x); });
  else if constexpr (O == Atomic::min && is_float(dtype_of<T>))
    return change_one(p, sys, [x](T old) { return ops::Minimum::apply(old, x); });
  else {
    using Bits = choice<sizeof(T) == 4, unsigned, unsigned long long>;
    return __builtin_bit_cast(T, atomic_bits<O>(p, __builtin_bit_cast(Bits, x), sys));
  }
}
#undef TL_ATOM
#undef TL_ATOM_AT

// f(address, number of the register) of one cell: one thread acts for all; the others learn the old value from it.
template <int Threads, class T, int D, class F>
__forceinline__ auto atomically(const Ptr<T, D>& p, bool on, const Ordered& ordered, F f) {
  __shared__ T old;
  cuda::synchronize<Threads>();
  if (threadIdx.x == 0) {
    ordered.before();
    old = on ? f(p.p, 0) : T{};
    ordered.after();
  }
  cuda::synchronize<Threads>();
  return Scalar<T>{old};
}

// The layout of a block of pointers of any kind, and where a register's lane points.
template <class P>
struct AddressLayout {
  using type = typename Access<P>::layout;
};
template <class T, class S, class L>
struct AddressLayout<GatherBlock<T, S, L>> {
  using type = L;
};

// A lane held by several threads acts once; the old values then come from the thread that did.
template <class P, class M, class F>
__forceinline__ auto atomically_by_lane(const P& p, const M& mask, const Ordered& ordered, F f) {
  using T = typename P::pointee;
  using S = typename P::shape_type;
  using L = typename AddressLayout<P>::type;
  Block<T, S, L> old;
  ordered.before();
#pragma unroll
  for (int r = 0; r < old.count; ++r) {
    const auto at = coordinates_of<S>(L::of_thread() + L::flats.at[r]);
    bool on = L::is_first_holder();
    if constexpr (!same<M, NoMask>) {
      on = on && mask.box.at(at);
      if (mask.uses_lanes) on = on && mask.on.at[r];
    }
    T* address;
    if constexpr (is_gather<P>) address = p.p + p.addresses.v[r];
    else address = p.p + static_cast<long long>(p.offsets.at(at));
    old.v[r] = on ? f(address, r) : T{};
  }
  ordered.after();
  if constexpr (L::replicated_bits() == 0) {
    return old;
  } else {
    using Map = ScratchMap<T, S>;
    auto* const memory = cuda::scratch<Map::bytes>();
    cuda::synchronize<L::thread_count>();
    write_scratch<Map>(memory, old);
    cuda::synchronize<L::thread_count>();
    read_scratch<Map>(old, memory);
    return old;
  }
}

template <class X>
constexpr void check_one_cell() {
  static_assert(is_scalar<X> || is_literal<X>,
                "the pointer is one cell, and takes a scalar: add a block of offsets to it, as in x_ptr + offs, or "
                "reduce the block");
}

}  // namespace detail

template <Atomic O, int Threads, class P, class X>
__forceinline__ auto atomic(const P& p, const X& value, const AtomicOptions<P>& options) {
  using T = typename P::pointee;
  const detail::Ordered ordered{options.sem.value, options.scope.value};
  const bool sys = options.scope.value == AtomicReach::sys;
  if constexpr (is_ptr<P>) {
    detail::check_one_cell<X>();
    const T x = convert<T>(plain(value));
    return detail::atomically<Threads>(p, options.mask.on, ordered,
                                       [&](T* to, int) { return detail::atomic_one<O>(to, x, sys); });
  } else {
    const auto x = spread<T, typename P::shape_type, typename detail::AddressLayout<P>::type>(value);
    return detail::atomically_by_lane(p, options.mask, ordered,
                                      [&](T* to, int r) { return detail::atomic_one<O>(to, T(x.v[r]), sys); });
  }
}

template <int Threads, class P, class X, class Y>
__forceinline__ auto atomic_cas(const P& p, const X& expected, const Y& value, const SwapOptions& options) {
  using T = typename P::pointee;
  const detail::Ordered ordered{options.sem.value, options.scope.value};
  const bool sys = options.scope.value == AtomicReach::sys;
  if constexpr (is_ptr<P>) {
    detail::check_one_cell<X>();
    detail::check_one_cell<Y>();
    const T x = convert<T>(plain(expected)), y = convert<T>(plain(value));
    return detail::atomically<Threads>(p, true, ordered, [&](T* to, int) { return detail::swap_one(to, x, y, sys); });
  } else {
    using S = typename P::shape_type;
    using L = typename detail::AddressLayout<P>::type;
    const auto x = spread<T, S, L>(expected);
    const auto y = spread<T, S, L>(value);
    return detail::atomically_by_lane(p, detail::NoMask{}, ordered,
                                      [&](T* to, int r) { return detail::swap_one(to, T(x.v[r]), T(y.v[r]), sys); });
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
    static_assert(same<R, long long> || same<R, unsigned long long>,
                  "tl.umulhi takes 32- and 64-bit integers: cast with .to(tl.uint32)");
    using X = bare<decltype(like)>;
    if constexpr (is_scalar<X>) {
      return Scalar<R>{static_cast<R>(__umul64hi(plain(a), plain(b)))};
    } else {
      const auto z = materialize(like);
      using S = typename decltype(z)::shape_type;
      using L = typename decltype(z)::layout;
      const auto x = spread<R, S, L>(a);
      const auto y = spread<R, S, L>(b);
      Block<R, S, L> out;
#pragma unroll
      for (int r = 0; r < out.count; ++r) out.v[r] = static_cast<R>(__umul64hi(x.v[r], y.v[r]));
      return out;
    }
  }
}

}  // namespace tl
