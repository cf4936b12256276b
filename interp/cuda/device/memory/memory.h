// Loads and stores: mask[i] ? *p[i] : other. One predicated access of up to 16 bytes where type and mask allow it.
#pragma once

#include "interp/cuda/device/memory/shared.h"
#include "interp/cuda/device/values/pointer.h"
#include "interp/cuda/rules/access.h"
#include "interp/lang/access_words.h"

namespace tl {
namespace cuda {

// What PTX calls an access of so many bytes. A lane that is off keeps what `pack` holds. One function a mnemonic.
#define TL_LOAD(NAME, FIRST, LD, LAST)                                                                              \
  template <class P>                                                                                                \
  __forceinline__ void NAME(P& pack, const void* from, bool on) {                                                   \
    constexpr int bytes = sizeof(P);                                                                                \
    const int p = on;                                                                                               \
    if constexpr (bytes == 16) {                                                                                    \
      auto w = __builtin_bit_cast(uint4, pack);                                                                     \
      asm volatile("{\n.reg .pred p;\n" FIRST "setp.ne.s32 p, %5, 0;\n@p " LD ".v4.b32 {%0, %1, %2, %3}, [%4]" LAST \
                   ";\n}"                                                                                           \
                   : "+r"(w.x), "+r"(w.y), "+r"(w.z), "+r"(w.w)                                                     \
                   : "l"(from), "r"(p));                                                                            \
      pack = __builtin_bit_cast(P, w);                                                                              \
    } else if constexpr (bytes == 8) {                                                                              \
      auto w = __builtin_bit_cast(uint2, pack);                                                                     \
      asm volatile("{\n.reg .pred p;\n" FIRST "setp.ne.s32 p, %3, 0;\n@p " LD ".v2.b32 {%0, %1}, [%2]" LAST ";\n}"  \
                   : "+r"(w.x), "+r"(w.y)                                                                           \
                   : "l"(from), "r"(p));                                                                            \
      pack = __builtin_bit_cast(P, w);                                                                              \
    } else if constexpr (bytes == 4) {                                                                              \
      auto w = __builtin_bit_cast(unsigned, pack);                                                                  \
      asm volatile("{\n.reg .pred p;\n" FIRST "setp.ne.s32 p, %2, 0;\n@p " LD ".b32 %0, [%1]" LAST ";\n}"           \
                   : "+r"(w)                                                                                        \
                   : "l"(from), "r"(p));                                                                            \
      pack = __builtin_bit_cast(P, w);                                                                              \
    } else if constexpr (bytes == 2) {                                                                              \
      auto w = __builtin_bit_cast(unsigned short, pack);                                                            \
      asm volatile("{\n.reg .pred p;\n" FIRST "setp.ne.s32 p, %2, 0;\n@p " LD ".b16 %0, [%1]" LAST ";\n}"           \
                   : "+h"(w)                                                                                        \
                   : "l"(from), "r"(p));                                                                            \
      pack = __builtin_bit_cast(P, w);                                                                              \
    } else {                                                                                                        \
      unsigned w = __builtin_bit_cast(unsigned char, pack);                                                         \
      asm volatile("{\n.reg .pred p;\n" FIRST "setp.ne.s32 p, %2, 0;\n@p " LD ".u8 %0, [%1]" LAST ";\n}"            \
                   : "+r"(w)                                                                                        \
                   : "l"(from), "r"(p));                                                                            \
      pack = __builtin_bit_cast(P, static_cast<unsigned char>(w));                                                  \
    }                                                                                                               \
  }
#define TL_POLICY(WHICH) ".reg .b64 policy;\ncreatepolicy.fractional.L2::" WHICH ".b64 policy, 1.0;\n"
TL_LOAD(load_global, "", "ld.global", "")
TL_LOAD(load_ca, "", "ld.global.ca", "")
TL_LOAD(load_cg, "", "ld.global.cg", "")
TL_LOAD(load_cs, "", "ld.global.cs", "")
TL_LOAD(load_cv, "", "ld.global.cv", "")
TL_LOAD(load_volatile, "", "ld.volatile.global", "")
TL_LOAD(load_evict_first, TL_POLICY("evict_first"), "ld.global.L1::evict_first.L2::cache_hint", ", policy")
TL_LOAD(load_evict_last, TL_POLICY("evict_last"), "ld.global.L1::evict_last.L2::cache_hint", ", policy")
#undef TL_LOAD

#define TL_STORE(NAME, FIRST, ST, LAST)                                                                             \
  template <class P>                                                                                                \
  __forceinline__ void NAME(void* to, const P& pack, bool on) {                                                     \
    constexpr int bytes = sizeof(P);                                                                                \
    const int p = on;                                                                                               \
    if constexpr (bytes == 16) {                                                                                    \
      const auto w = __builtin_bit_cast(uint4, pack);                                                               \
      asm volatile("{\n.reg .pred p;\n" FIRST "setp.ne.s32 p, %5, 0;\n@p " ST ".v4.b32 [%4], {%0, %1, %2, %3}" LAST \
                   ";\n}" ::"r"(w.x),                                                                               \
                   "r"(w.y), "r"(w.z), "r"(w.w), "l"(to), "r"(p)                                                    \
                   : "memory");                                                                                     \
    } else if constexpr (bytes == 8) {                                                                              \
      const auto w = __builtin_bit_cast(uint2, pack);                                                               \
      asm volatile("{\n.reg .pred p;\n" FIRST "setp.ne.s32 p, %3, 0;\n@p " ST ".v2.b32 [%2], {%0, %1}" LAST         \
                   ";\n}" ::"r"(w.x),                                                                               \
                   "r"(w.y), "l"(to), "r"(p)                                                                        \
                   : "memory");                                                                                     \
    } else if constexpr (bytes == 4) {                                                                              \
      const auto w = __builtin_bit_cast(unsigned, pack);                                                            \
      asm volatile("{\n.reg .pred p;\n" FIRST "setp.ne.s32 p, %2, 0;\n@p " ST ".b32 [%1], %0" LAST ";\n}" ::"r"(w), \
                   "l"(to), "r"(p)                                                                                  \
                   : "memory");                                                                                     \
    } else if constexpr (bytes == 2) {                                                                              \
      const auto w = __builtin_bit_cast(unsigned short, pack);                                                      \
      asm volatile("{\n.reg .pred p;\n" FIRST "setp.ne.s32 p, %2, 0;\n@p " ST ".b16 [%1], %0" LAST ";\n}" ::"h"(w), \
                   "l"(to), "r"(p)                                                                                  \
                   : "memory");                                                                                     \
    } else {                                                                                                        \
      const unsigned w = __builtin_bit_cast(unsigned char, pack);                                                   \
      asm volatile("{\n.reg .pred p;\n" FIRST "setp.ne.s32 p, %2, 0;\n@p " ST ".u8 [%1], %0" LAST ";\n}" ::"r"(w),  \
                   "l"(to), "r"(p)                                                                                  \
                   : "memory");                                                                                     \
    }                                                                                                               \
  }
TL_STORE(store_global, "", "st.global", "")
TL_STORE(store_wb, "", "st.global.wb", "")
TL_STORE(store_cg, "", "st.global.cg", "")
TL_STORE(store_cs, "", "st.global.cs", "")
TL_STORE(store_wt, "", "st.global.wt", "")
TL_STORE(store_evict_first, TL_POLICY("evict_first"), "st.global.L1::evict_first.L2::cache_hint", ", policy")
TL_STORE(store_evict_last, TL_POLICY("evict_last"), "st.global.L1::evict_last.L2::cache_hint", ", policy")
#undef TL_STORE
#undef TL_POLICY

// The words of an access. PTX takes one of them: volatile before the cache operator, that before the eviction policy.
struct AccessWords {
  CacheOperator cache = CacheOperator::standard;
  Eviction eviction = Eviction::normal;
  bool is_volatile = false;
};
template <class P>
__forceinline__ void load_by(const AccessWords& words, P& pack, const void* from, bool on) {
  if (words.is_volatile) load_volatile(pack, from, on);
  else if (words.cache == CacheOperator::ca) load_ca(pack, from, on);
  else if (words.cache == CacheOperator::cg) load_cg(pack, from, on);
  else if (words.cache == CacheOperator::cs) load_cs(pack, from, on);
  else if (words.cache == CacheOperator::cv) load_cv(pack, from, on);
  else if (words.eviction == Eviction::first) load_evict_first(pack, from, on);
  else if (words.eviction == Eviction::last) load_evict_last(pack, from, on);
  else load_global(pack, from, on);
}
template <class P>
__forceinline__ void store_by(const AccessWords& words, void* to, const P& pack, bool on) {
  if (words.cache == CacheOperator::wb) store_wb(to, pack, on);
  else if (words.cache == CacheOperator::cg) store_cg(to, pack, on);
  else if (words.cache == CacheOperator::cs) store_cs(to, pack, on);
  else if (words.cache == CacheOperator::wt) store_wt(to, pack, on);
  else if (words.eviction == Eviction::first) store_evict_first(to, pack, on);
  else if (words.eviction == Eviction::last) store_evict_last(to, pack, on);
  else store_global(to, pack, on);
}

}  // namespace cuda

namespace detail {

// The layout and the accesses of an affine block of pointers.
template <class P>
struct Access;
template <class Cfg, class T, class I, class S, class C, int D>
struct Access<PtrBlock<Cfg, T, I, S, C, D>> {
  static constexpr rules::Access how = rules::access_of(cuda::config_of<Cfg>, index_value<S>(C{}, D), sizeof(T));
  struct Held {
    static constexpr rules::Layout value = how.layout;
  };
  using layout = to_layout<Held>;
  static constexpr int axis = how.axis, elements = how.elements;
  static constexpr int neighbour = axis < 0 ? 0 : S::stride(axis);
  static constexpr int vector_bits = layout::register_of(neighbour * (elements - 1));
  struct Lanes {
    int at[elements];
  };
  static constexpr Lanes make_lanes() {
    Lanes t{};
    for (int e = 0; e < elements; ++e) t.at[e] = layout::register_of(neighbour * e);
    return t;
  }
  static constexpr Lanes lanes = make_lanes();  // what a neighbour adds to a register's number
};

template <class S, class L>
struct LanesOn {
  bool at[L::register_count];
};

}  // namespace detail

// One bool for all lanes; a literal counts as one.
template <class M>
inline constexpr bool is_mask_scalar = is_literal<M>;
template <int D>
inline constexpr bool is_mask_scalar<Scalar<bool, D>> = true;

// A mask of any kind, at a load's layout: a box, and a bit a register where it is none.
template <class Cfg, class S, class L>
struct MaskArgument {
  Box<Cfg, S> box = Box<Cfg, S>::all();
  detail::LanesOn<S, L> on;
  bool uses_lanes = false;

  __forceinline__ bool lane(int r) const { return on.at[r]; }
  __forceinline__ MaskArgument() {}
  template <class M>
  requires(is_value<M> || is_literal<M>) __forceinline__ MaskArgument(const M& mask) {
    if constexpr (is_box<M>) {
      const auto bounds = stretched_mask<S>(mask);
#pragma unroll
      for (int i = 0; i < S::rank; ++i)
        box.lo[i] = bounds.lo[i], box.hi[i] = bounds.hi[i], box.aligned[i] = bounds.aligned[i];
    } else if constexpr (is_lazy<M> || is_block<M>) {
      static_assert(same<typename M::element, bool>, "a mask holds bools: compare to make one, as in offsets < n");
      uses_lanes = true;
      const auto bits = spread<bool, S, L>(mask);
#pragma unroll
      for (int r = 0; r < L::register_count; ++r) on.at[r] = bits.v[r];
    } else {
      static_assert(is_mask_scalar<M>, "a mask holds bools: compare to make one, as in offsets < n");
      box = uniform_box<Cfg, S>(static_cast<bool>(convert<bool>(plain(mask))));
    }
  }
};

// A scalar of the pointer's dtype. The compiler sees a literal 0 as such, through PTX it would not.
template <class T>
struct Fill {
  T v{};
  __forceinline__ Fill() {}
  template <class A>
  requires(is_scalar<A> || is_literal<A>) __forceinline__ Fill(const A& a) {
    if constexpr (is_literal<A>) v = plain(a) == 0 ? T{} : convert<T>(plain(a));
    else v = convert<T>(a.v);
  }
};

// The fill of masked lanes, at a load's layout: one value for all, or one a register.
template <class T, class S, class L>
struct FillBlock {
  Fill<T> all;
  T lanes[L::register_count];
  bool uses_lanes = false;

  __forceinline__ T at(int r) const { return uses_lanes ? lanes[r] : all.v; }
  __forceinline__ FillBlock() {}
  template <class A>
  requires(is_value<A> || is_literal<A>) __forceinline__ FillBlock(const A& a) {
    if constexpr (is_scalar<A> || is_literal<A>) {
      all = Fill<T>(a);
    } else {
      uses_lanes = true;
      const auto x = spread<T, S, L>(as_block(a));
#pragma unroll
      for (int r = 0; r < L::register_count; ++r) lanes[r] = x.v[r];
    }
  }
};

struct ScalarMask {
  bool on = true;
  __forceinline__ ScalarMask() {}
  template <class M>
  requires(is_scalar<M> || is_literal<M>) __forceinline__ ScalarMask(const M& mask) : on(convert<bool>(plain(mask))) {
    static_assert(is_mask_scalar<M>, "a mask holds bools: compare to make one, as in offsets < n");
  }
};

// The words of an access, in Triton's order; `volatile` is a word of C++.
#define TL_LOAD_WORDS               \
  CacheModifier cache_modifier{};   \
  EvictionPolicy eviction_policy{}; \
  bool is_volatile = false;         \
  __forceinline__ cuda::AccessWords words() const { return {cache_modifier.value, eviction_policy.value, is_volatile}; }
#define TL_STORE_WORDS              \
  CacheModifier cache_modifier{};   \
  EvictionPolicy eviction_policy{}; \
  __forceinline__ cuda::AccessWords words() const { return {cache_modifier.value, eviction_policy.value, false}; }

template <class P>
struct LoadOptions {
  static_assert(is_address<P>, "tl.load takes pointers: add the offsets to one, as in tl.load(x_ptr + offs)");
};
template <class P>
struct StoreOptions {
  static_assert(is_address<P>, "a store takes pointers first: tl.store(z_ptr + offs, z, {.mask = mask})");
};
template <class T, int D>
struct LoadOptions<Ptr<T, D>> {
  ScalarMask mask{};
  Fill<T> other{};
  TL_LOAD_WORDS
};
template <class T, int D>
struct StoreOptions<Ptr<T, D>> {
  ScalarMask mask{};
  TL_STORE_WORDS
};
template <>
struct LoadOptions<NonePtr> {
  ScalarMask mask{};
  Fill<float> other{};
  TL_LOAD_WORDS
};
template <>
struct StoreOptions<NonePtr> {
  ScalarMask mask{};
  TL_STORE_WORDS
};
template <class P>
requires(is_ptr_block<P>) struct LoadOptions<P> {
  MaskArgument<typename P::config, typename P::shape_type, typename detail::Access<P>::layout> mask{};
  FillBlock<typename P::pointee, typename P::shape_type, typename detail::Access<P>::layout> other{};
  TL_LOAD_WORDS
};
template <class P>
requires(is_ptr_block<P>) struct StoreOptions<P> {
  MaskArgument<typename P::config, typename P::shape_type, typename detail::Access<P>::layout> mask{};
  TL_STORE_WORDS
};
// A gather's own layout takes any mask; its config matters to no one.
template <class L>
struct GatherConfig : cuda::Config<L::warp_count, 1, 1> {};
template <class T, class S, class L>
struct LoadOptions<GatherBlock<T, S, L>> {
  MaskArgument<GatherConfig<L>, S, L> mask{};
  FillBlock<T, S, L> other{};
  TL_LOAD_WORDS
};
template <class T, class S, class L>
struct StoreOptions<GatherBlock<T, S, L>> {
  MaskArgument<GatherConfig<L>, S, L> mask{};
  TL_STORE_WORDS
};

namespace detail {

// Every lane is on.
struct NoMask {
  static constexpr bool uses_lanes = false;
};

// f(register, address, whole, bounds) for each access of a thread; whole: every lane of it is on.
template <class P, class M, class F>
__forceinline__ void for_each_access(const P& p, const M& mask, F f) {
  using A = Access<P>;
  using S = typename P::shape_type;
  using C = typename P::coefficients;
  using L = typename A::layout;
  const auto c = coordinates_of<S>(L::of_thread());
  auto* const mine = p.p + static_cast<long long>(p.offsets.at(c));
#pragma unroll
  for (int r = 0; r < L::register_count; ++r) {
    if (r & A::vector_bits) continue;
    const auto step = coordinates_of<S>(L::flats.at[r]);
    auto* address = mine;
    bool whole = true;
#pragma unroll
    for (int i = 0; i < S::rank; ++i) {
      if (C::at(i) != 0) address += static_cast<long long>(p.offsets.coefficient(i)) * step.at[i];
      if constexpr (!same<M, NoMask>) {
        const int width = i == A::axis ? A::elements : 1;
        if (mask.box.lo[i] > 0) whole &= step.at[i] >= mask.box.lo[i] - c.at[i];
        whole &= step.at[i] + (width - 1) < mask.box.hi[i] - c.at[i];
      }
    }
    if constexpr (!same<M, NoMask>) {
      if (mask.uses_lanes) {
#pragma unroll
        for (int e = 0; e < A::elements; ++e) whole &= mask.lane(r | A::lanes.at[e]);
      }
    }
    f(r, address, whole, c, step);
  }
}

// One lane of an access that is not whole.
template <class P, class M>
__forceinline__ bool lane_is_on(const M& mask, int r, int e, const Coordinates<P::shape_type::rank>& c,
                                const Coordinates<P::shape_type::rank>& step) {
  using A = Access<P>;
  bool on = true;
#pragma unroll
  for (int i = 0; i < P::shape_type::rank; ++i) {
    const int at = step.at[i] + (i == A::axis ? e : 0);
    if (mask.box.lo[i] > 0) on &= at >= mask.box.lo[i] - c.at[i];
    on &= at < mask.box.hi[i] - c.at[i];
  }
  return mask.uses_lanes ? on && mask.lane(r | A::lanes.at[e]) : on;
}

// The mask's bounds fall between accesses, so that each is whole or off.
template <class P, class M>
__forceinline__ bool accesses_are_uniform(const M& mask) {
  using A = Access<P>;
  return A::elements == 1 || (!mask.uses_lanes && mask.box.aligned[A::axis < 0 ? 0 : A::axis] >= A::elements);
}

}  // namespace detail

template <class P>
requires(is_ptr_block<P>) __forceinline__ auto load(const P& p, const LoadOptions<P>& options) {
  using A = detail::Access<P>;
  using T = typename P::pointee;
  Block<T, typename P::shape_type, typename A::layout> out;
  const bool uniform = detail::accesses_are_uniform<P>(options.mask);
  const cuda::AccessWords words = options.words();
  detail::for_each_access(p, options.mask, [&](int r, const T* address, bool whole, const auto& c, const auto& step) {
    cuda::Pack<T, A::elements> pack;
#pragma unroll
    for (int e = 0; e < A::elements; ++e) pack.at[e] = options.other.at(r | A::lanes.at[e]);
    cuda::load_by(words, pack, address, whole);
    if (!uniform && !whole) {
#pragma unroll
      for (int e = 0; e < A::elements; ++e) {
        cuda::Pack<T, 1> one{pack.at[e]};
        cuda::load_by(words, one, address + e, detail::lane_is_on<P>(options.mask, r, e, c, step));
        pack.at[e] = one.at[0];
      }
    }
#pragma unroll
    for (int e = 0; e < A::elements; ++e) out.v[r | A::lanes.at[e]] = pack.at[e];
  });
  return out;
}

template <class P, class X>
requires(is_ptr_block<P>) __forceinline__ void store(const P& p, const X& value, const StoreOptions<P>& options) {
  using A = detail::Access<P>;
  using T = typename P::pointee;
  using L = typename A::layout;
  const auto x = spread<T, typename P::shape_type, L>(value);
  const bool uniform = detail::accesses_are_uniform<P>(options.mask);
  const cuda::AccessWords words = options.words();
  const bool mine = L::is_first_holder();
  detail::for_each_access(p, options.mask, [&](int r, T* address, bool whole, const auto& c, const auto& step) {
    cuda::Pack<T, A::elements> pack;
#pragma unroll
    for (int e = 0; e < A::elements; ++e) pack.at[e] = x.v[r | A::lanes.at[e]];
    cuda::store_by(words, address, pack, whole && mine);
    if (!uniform && !whole && mine) {
#pragma unroll
      for (int e = 0; e < A::elements; ++e)
        cuda::store_by(words, address + e, cuda::Pack<T, 1>{pack.at[e]},
                       detail::lane_is_on<P>(options.mask, r, e, c, step));
    }
  });
}

template <class T, int D>
__forceinline__ auto load(const Ptr<T, D>& p, const LoadOptions<Ptr<T, D>>& options) {
  cuda::Pack<T, 1> one{options.other.v};
  cuda::load_by(options.words(), one, p.p, options.mask.on);
  return Scalar<T>{one.at[0]};
}
template <class T, int D, class X>
__forceinline__ void store(const Ptr<T, D>& p, const X& value, const StoreOptions<Ptr<T, D>>& options) {
  static_assert(is_scalar<X> || is_literal<X>,
                "the pointer is one cell, and takes a scalar: add a block of offsets to it, as in x_ptr + offs, or "
                "reduce the block");
  cuda::store_by(options.words(), p.p, cuda::Pack<T, 1>{convert<T>(plain(value))}, options.mask.on && threadIdx.x == 0);
}

__forceinline__ Scalar<float> load(const NonePtr&, const LoadOptions<NonePtr>& options) { return {options.other.v}; }
template <class X>
__forceinline__ void store(const NonePtr&, const X&, const StoreOptions<NonePtr>&) {}

// Is register r of a gather on?
template <class S, class M, class L>
__forceinline__ bool gather_lane_is_on(const M& mask, int r) {
  return mask.uses_lanes ? mask.on.at[r] : mask.box.at(coordinates_of<S>(L::of_thread() + L::flats.at[r]));
}
template <class T, class S, class L>
__forceinline__ auto load(const GatherBlock<T, S, L>& p, const LoadOptions<GatherBlock<T, S, L>>& options) {
  Block<T, S, L> out;
  const cuda::AccessWords words = options.words();
#pragma unroll
  for (int r = 0; r < out.count; ++r) {
    cuda::Pack<T, 1> one{options.other.at(r)};
    cuda::load_by(words, one, p.p + p.addresses.v[r], gather_lane_is_on<S, decltype(options.mask), L>(options.mask, r));
    out.v[r] = one.at[0];
  }
  return out;
}
template <class T, class S, class L, class X>
__forceinline__ void store(const GatherBlock<T, S, L>& p, const X& value,
                           const StoreOptions<GatherBlock<T, S, L>>& options) {
  const auto x = spread<T, S, L>(value);
  const cuda::AccessWords words = options.words();
#pragma unroll
  for (int r = 0; r < x.count; ++r)
    cuda::store_by(words, p.p + p.addresses.v[r], cuda::Pack<T, 1>{x.v[r]},
                   gather_lane_is_on<S, decltype(options.mask), L>(options.mask, r) && L::is_first_holder());
}

}  // namespace tl
