// Loads and stores: mask[i] ? *p[i] : other. One predicated access of up to 16 bytes where type and mask allow it.
#pragma once

#include "interp/cuda/device/memory/access_options.h"

namespace tl {

namespace detail {

// Every lane is on.
struct NoMask {
  static constexpr bool uses_lanes = false;
};

// Of the access that begins with register r, `step` from the thread's first element, which lies at `first`. Steps of an
// affine block are sums; those of a formula were evaluated with the pointers.
template <class P>
__forceinline__ auto* address_of_access(const P& p, typename P::pointee* first, int r,
                                        const Coordinates<P::shape_type::rank>& step) {
  if constexpr (is_formula_pointers<P>) {
    return p.p + static_cast<long long>(p.first[r]);
  } else {
#pragma unroll
    for (int i = 0; i < P::shape_type::rank; ++i)
      if (P::coefficients::at(i) != 0) first += static_cast<long long>(p.offsets.coefficient(i)) * step.at[i];
    return first;
  }
}
// Element `e` of an access, which need not follow the others where the access is not whole.
template <class P>
__forceinline__ auto* address_of_neighbour(const P& p, typename P::pointee* access, int e,
                                           const Coordinates<P::shape_type::rank>& c,
                                           Coordinates<P::shape_type::rank> step) {
  if constexpr (is_formula_pointers<P> && Access<P>::axis >= 0) {
    step.at[Access<P>::axis] += e;
    return p.p + static_cast<long long>(p.offsets.at(sum_of(c, step)));
  } else {
    return access + e;
  }
}
// Whether the elements of each access are neighbours, as its type has it.
template <class P>
__forceinline__ bool accesses_are_contiguous(const P& p) {
  if constexpr (is_formula_pointers<P> && Access<P>::elements > 1) return is_regular(p.offsets);
  else return true;
}

// f(register, address, whole, bounds) for each access of a thread; whole: every lane of it is on.
template <class P, class M, class F>
__forceinline__ void for_each_access(const P& p, const M& mask, F f) {
  using A = Access<P>;
  using S = typename P::shape_type;
  using L = typename A::layout;
  const auto c = coordinates_of<S>(L::of_thread());
  auto* const mine = p.p + (is_formula_pointers<P> ? 0ll : static_cast<long long>(p.offsets.at(c)));
  const bool contiguous = accesses_are_contiguous(p);
#pragma unroll
  for (int r = 0; r < L::register_count; ++r) {
    if (r & A::vector_bits) continue;
    const auto step = coordinates_of<S>(L::flats.at[r]);
    bool whole = contiguous;
#pragma unroll
    for (int i = 0; i < S::rank; ++i) {
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
    f(r, address_of_access(p, mine, r, step), whole, c, step);
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
  return A::elements == 1 || ((!mask.uses_lanes || (mask.constant_bits & A::vector_bits) == A::vector_bits) &&
                              mask.box.aligned[A::axis < 0 ? 0 : A::axis] >= A::elements);
}

}  // namespace detail

template <class P>
  requires(is_ptr_block<P>)
__forceinline__ auto load(const P& p, const LoadOptions<P>& options) {
  using A = detail::Access<P>;
  using T = typename P::pointee;
  Block<T, typename P::shape_type, typename A::layout> out;
  const bool uniform = detail::accesses_are_uniform<P>(options.mask) && detail::accesses_are_contiguous(p);
  const cuda::AccessWords words = options.words();
  detail::for_each_access(p, options.mask, [&](int r, T* address, bool whole, const auto& c, const auto& step) {
    cuda::Pack<T, A::elements> pack;
#pragma unroll
    for (int e = 0; e < A::elements; ++e) pack.at[e] = options.other.at(r | A::lanes.at[e]);
    cuda::load_by(words, pack, address, whole);
    if (!uniform && !whole) {
#pragma unroll
      for (int e = 0; e < A::elements; ++e) {
        cuda::Pack<T, 1> one{pack.at[e]};
        cuda::load_by(words, one, detail::address_of_neighbour(p, address, e, c, step),
                      detail::lane_is_on<P>(options.mask, r, e, c, step));
        pack.at[e] = one.at[0];
      }
    }
#pragma unroll
    for (int e = 0; e < A::elements; ++e) out.v[r | A::lanes.at[e]] = pack.at[e];
  });
  return out;
}

template <class P, class X>
  requires(is_ptr_block<P>)
__forceinline__ void store(const P& p, const X& value, const StoreOptions<P>& options) {
  using A = detail::Access<P>;
  using T = typename P::pointee;
  using L = typename A::layout;
  const auto x = spread<T, typename P::shape_type, L>(value);
  const bool uniform = detail::accesses_are_uniform<P>(options.mask) && detail::accesses_are_contiguous(p);
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
        cuda::store_by(words, detail::address_of_neighbour(p, address, e, c, step), cuda::Pack<T, 1>{pack.at[e]},
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
  return mask.box.at(coordinates_of<S>(L::of_thread() + L::flats.at[r])) && (!mask.uses_lanes || mask.lane(r));
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
