// What a load or store of each kind of pointer may be told: mask, other, words of the access.
#pragma once

#include "interp/cuda/device/memory/ptx_access.h"
#include "interp/cuda/device/memory/shared.h"
#include "interp/cuda/device/values/pointer.h"
#include "interp/rules/access.h"

namespace tl {

namespace detail {

// The layout and the accesses of a block of pointers.
template <class P>
constexpr rules::Access access_of() {
  using S = typename P::shape_type;
  constexpr int bytes = sizeof(typename P::pointee);
  constexpr rules::Config config = cuda::config_of<typename P::config>;
  if constexpr (is_formula_pointers<P>) return P::how;
  else return rules::access_of(config, index_value<S>(typename P::coefficients{}, P::divisibility), bytes);
}
template <class P>
struct Access {
  using S = typename P::shape_type;
  static constexpr rules::Access how = access_of<P>();
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

namespace detail {

// box & condition
template <class M>
inline constexpr bool is_box_and_condition = false;
template <class Cfg, class S, class Cut, class A, class B>
inline constexpr bool is_box_and_condition<Condition<Cfg, S, Combined<Cut, ops::And, A, B>>> =
    (is_box<A> && is_condition<B>) || (is_condition<A> && is_box<B>);

}  // namespace detail

// A mask of any kind, at a load's layout: a box, or a bit a register for other masks.
template <class Cfg, class S, class L>
struct MaskArgument {
  Box<Cfg, S> box = Box<Cfg, S>::all();
  detail::LanesOn<S, L> on;
  bool uses_lanes = false;
  int constant_bits = 0;  // of a register's number: they do not change its lane

  __forceinline__ bool lane(int r) const { return on.at[r]; }
  __forceinline__ MaskArgument() {}
  template <class M>
    requires(is_value<M> || is_literal<M>)
  __forceinline__ MaskArgument(const M& mask) {
    if constexpr (is_box<M>) {
      set_box(mask);
    } else if constexpr (detail::is_box_and_condition<M>) {
      using A = bare<decltype(mask.holds.a)>;
      if constexpr (is_box<A>) {
        set_box(mask.holds.a);
        set_lanes(mask.holds.b);
      } else {
        set_box(mask.holds.b);
        set_lanes(mask.holds.a);
      }
    } else if constexpr (is_lazy<M> || is_block<M>) {
      static_assert(same<typename M::element, bool>, "a mask holds bools: compare to make one, as in offsets < n");
      set_lanes(mask);
    } else {
      static_assert(is_mask_scalar<M>, "a mask holds bools: compare to make one, as in offsets < n");
      box = uniform_box<Cfg, S>(static_cast<bool>(convert<bool>(plain(mask))));
    }
  }

 private:
  template <class M>
  __forceinline__ void set_box(const M& mask) {
    const auto bounds = stretched_mask<S>(mask);
#pragma unroll
    for (int i = 0; i < S::rank; ++i) {
      box.lo[i] = bounds.lo[i];
      box.hi[i] = bounds.hi[i];
      box.aligned[i] = bounds.aligned[i];
    }
  }
  // Registers that differ along an axis on which a condition is constant share a lane, which is asked for once: of
  // 128 x 64 elements whose rows a table names, a thread asks for 8 rows, not for 64 lanes.
  template <class M>
  static constexpr int bits_without_effect() {
    int bits = 0;
    if constexpr (is_condition<M>)
      for (int bit = 1; bit < L::register_count; bit *= 2) {
        const auto c = coordinates_of<S>(L::flats.at[bit]);
        for (int i = 0; i < S::rank; ++i)
          if (c.at[i] > 0 && c.at[i] < M::axes.at[i].constancy) bits |= bit;
      }
    return bits;
  }
  template <class M>
  __forceinline__ void set_lanes(const M& mask) {
    uses_lanes = true;
    if constexpr (is_condition<M>) {
      const auto lanes = stretched_mask<S>(mask);
      const auto thread = coordinates_of<S>(L::of_thread());
      constexpr int constant = bits_without_effect<bare<decltype(lanes)>>();
      constant_bits = constant;
#pragma unroll
      for (int r = 0; r < L::register_count; ++r)
        on.at[r] = r & constant ? on.at[r & ~constant] : lanes.at(sum_of(thread, coordinates_of<S>(L::flats.at[r])));
    } else {
      const auto bits = spread<bool, S, L>(mask);
#pragma unroll
      for (int r = 0; r < L::register_count; ++r) on.at[r] = bits.v[r];
    }
  }
};

// A scalar of the pointer's dtype. The compiler sees a literal 0 as such, through PTX it would not.
template <class T>
struct Fill {
  T v{};
  __forceinline__ Fill() {}
  template <class A>
    requires(is_scalar<A> || is_literal<A>)
  __forceinline__ Fill(const A& a) {
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
    requires(is_value<A> || is_literal<A>)
  __forceinline__ FillBlock(const A& a) {
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
    requires(is_scalar<M> || is_literal<M>)
  __forceinline__ ScalarMask(const M& mask) : on(convert<bool>(plain(mask))) {
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
  requires(is_ptr_block<P>)
struct LoadOptions<P> {
  MaskArgument<typename P::config, typename P::shape_type, typename detail::Access<P>::layout> mask{};
  FillBlock<typename P::pointee, typename P::shape_type, typename detail::Access<P>::layout> other{};
  TL_LOAD_WORDS
};
template <class P>
  requires(is_ptr_block<P>)
struct StoreOptions<P> {
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

}  // namespace tl
