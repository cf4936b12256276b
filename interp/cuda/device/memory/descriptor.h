// Descriptors through ordinary loads and stores: where TMA cannot be used, and those that a kernel makes.
#pragma once

#include "interp/cuda/device/memory/atomic.h"
#include "interp/cuda/device/memory/block_pointer.h"

namespace tl {

// As the entry receives it: without the kernel's configuration.
template <class T, class S>
struct Descriptor<T, S, Pointers> {
  const cuda::TensorPointers<S::rank>* tensor;
};

// A tensor cut in tiles, through ordinary loads and stores. Elements outside read 0 and are not stored.
template <class Cfg, class T, class S>
struct PointerDescriptor {
  using element = T;
  using block_shape = S;
  static constexpr Dtype<dtype_of<T>> dtype{};
  const cuda::TensorPointers<S::rank>* tensor;

  struct Strides {
    static constexpr rules::Index value = rules::descriptor_strides(S::sizes);
  };
  using Tile = BlockPtr<Cfg, T, S, typename detail::IndexType<Cfg, long long, S, Strides>::coefficients>;
  // Its type says that the last axis is contiguous; where it is not, the run-time stride says so and the wide way is
  // not taken.
  __forceinline__ Tile tile_at(const Positions<S::rank>& start) const {
    Tile b{static_cast<T*>(tensor->address), {}, {}};
#pragma unroll
    for (int i = 0; i < S::rank; ++i) {
      b.sizes[i] = tensor->extents[i];
      b.strides[i] = tensor->strides[i];
      b.advance(i, start.at[i].v);
    }
    return b;
  }
  static __forceinline__ CheckedAxes all_axes() {
    CheckedAxes checked;
#pragma unroll
    for (int i = 0; i < S::rank; ++i) checked.at[i] = true;
    return checked;
  }

  __forceinline__ auto load(Positions<S::rank> start) const {
    return detail::load_tile(tile_at(start), all_axes(), Padding::zero);
  }
  template <class X>
  __forceinline__ void store(Positions<S::rank> start, const X& x) const {
    if constexpr (is_deferred<X>) store(start, x.to_block());
    else if constexpr (!same<shape_of<X>, S>) sub_descriptor<shape_of<X>>().store(start, x);
    else detail::store_tile(tile_at(start), x, all_axes());
  }
  // Rows at any places, of a tile of one row.
  template <class R>
  __forceinline__ auto gather(const R& rows, Position column) const {
    const auto [p, on] = lanes(cast<DType::int64>(as_block(rows))(Colon{}, NoneAxis{}), columns(column));
    return tl::load(p, LoadOptions<bare<decltype(p)>>{.mask = on, .other = 0});
  }
  template <class X, class R>
  __forceinline__ void scatter(const X& x, const R& rows, Position column) const {
    const auto [p, on] = lanes(cast<DType::int64>(as_block(rows))(Colon{}, NoneAxis{}), columns(column));
    tl::store(p, as_block(x), StoreOptions<bare<decltype(p)>>{.mask = on});
  }
#define TL_ATOMIC(NAME, OP)                                               \
  template <class X>                                                      \
  __forceinline__ void NAME(Positions<S::rank> start, const X& x) const { \
    atomically<Atomic::OP>(start, x);                                     \
  }
  TL_ATOMIC(atomic_add, add)
  TL_ATOMIC(atomic_max, max)
  TL_ATOMIC(atomic_min, min)
  TL_ATOMIC(atomic_and, bit_and)
  TL_ATOMIC(atomic_or, bit_or)
  TL_ATOMIC(atomic_xor, bit_xor)
#undef TL_ATOMIC

  // A block smaller than the descriptor's may be stored, too: half an accumulator.
  template <class Sub>
  __forceinline__ auto sub_descriptor() const {
    return PointerDescriptor<Cfg, T, Sub>{tensor};
  }

 private:
  template <class P, class M>
  struct Lanes {
    P pointers;
    M on;
  };
  template <int N>
  static __forceinline__ auto along(const Position& first) {
    return Scalar<long long>{first.v} + cuda::Context<Cfg>{}.arange(constant<0>{}, constant<N>{});
  }
  static __forceinline__ auto columns(const Position& first) {
    static_assert(S::rank == 2 && S::at(0) == 1,
                  "rows are gathered and scattered by tiles of one row: describe it with tl.shape(1_c, BN)");
    return along<S::at(1)>(first)(NoneAxis{}, Colon{});
  }
  // Where rows and columns meet, and whether that is inside.
  template <class R, class C>
  __forceinline__ auto lanes(const R& rows, const C& cols) const {
    const auto at = Scalar<long long>{tensor->strides[0]} * rows + Scalar<long long>{tensor->strides[1]} * cols;
    const auto on = (rows >= 0) & (rows < Scalar<long long>{tensor->extents[0]}) & (cols >= 0) &
                    (cols < Scalar<long long>{tensor->extents[1]});
    const auto p = Ptr<T, static_cast<int>(sizeof(T))>{static_cast<T*>(tensor->address)} + at;
    return Lanes<bare<decltype(p)>, bare<decltype(on)>>{p, on};
  }
  template <Atomic O, class X>
  __forceinline__ void atomically(const Positions<S::rank>& start, const X& x) const {
    static_assert(same<shape_of<X>, S>, "an atomic by a descriptor takes a block of its tile's shape");
    const auto change = [&](const auto& p, const auto& on) {
      using P = bare<decltype(p)>;
      AtomicOptions<P> options{.mask = on};
      options.sem.value = AtomicOrder::relaxed;
      tl::atomic<O, 32 * Cfg::num_warps>(p, as_block(x), options);
    };
    if constexpr (S::rank == 1) {
      const auto i = along<S::at(0)>(start.at[0]);
      change(Ptr<T, static_cast<int>(sizeof(T))>{static_cast<T*>(tensor->address)} +
                 Scalar<long long>{tensor->strides[0]} * i,
             (i >= 0) & (i < Scalar<long long>{tensor->extents[0]}));
    } else {
      static_assert(S::rank == 2, "an atomic by a descriptor has one or two axes: use tl.atomic_add on pointers");
      const auto [p, on] =
          lanes(along<S::at(0)>(start.at[0])(Colon{}, NoneAxis{}), along<S::at(1)>(start.at[1])(NoneAxis{}, Colon{}));
      change(p, on);
    }
  }
};

// One that a kernel makes: it holds what the entry's only points to.
template <class Cfg, class T, class S>
struct MadeDescriptor {
  using element = T;
  static constexpr Dtype<dtype_of<T>> dtype{};
  cuda::TensorPointers<S::rank> tensor;

  __forceinline__ PointerDescriptor<Cfg, T, S> bound() const { return {&tensor}; }
  __forceinline__ auto load(Positions<S::rank> start) const { return bound().load(start); }
  template <class X>
  __forceinline__ void store(Positions<S::rank> start, const X& x) const {
    bound().store(start, x);
  }
  template <class R>
  __forceinline__ auto gather(const R& rows, Position column) const {
    return bound().gather(rows, column);
  }
  template <class X, class R>
  __forceinline__ void scatter(const X& x, const R& rows, Position column) const {
    bound().scatter(x, rows, column);
  }
#define TL_ATOMIC(NAME)                                                   \
  template <class X>                                                      \
  __forceinline__ void NAME(Positions<S::rank> start, const X& x) const { \
    bound().NAME(start, x);                                               \
  }
  TL_ATOMIC(atomic_add)
  TL_ATOMIC(atomic_max)
  TL_ATOMIC(atomic_min)
  TL_ATOMIC(atomic_and)
  TL_ATOMIC(atomic_or)
  TL_ATOMIC(atomic_xor)
#undef TL_ATOMIC
};

template <class Cfg, class S, class P, class Sizes, class Strides>
__forceinline__ auto make_tensor_descriptor(const P& base, const Sizes& sizes, const Strides& strides) {
  static_assert(is_ptr<P>, "the base must be one pointer: pass the tensor's first element");
  static_assert(Sizes::count == S::rank && Strides::count == S::rank,
                "tl.make_tensor_descriptor: shape, strides and tile have one entry an axis: tl.tuple(m, n) and "
                "tl.shape(BM, BN) of two");
  MadeDescriptor<Cfg, typename P::pointee, S> made{{const_cast<void*>(static_cast<const void*>(base.p)), {}, {}}};
  auto fill = [&]<int... I>(Indices<I...>) {
    ((made.tensor.extents[I] = plain(get<I>(sizes)), made.tensor.strides[I] = plain(get<I>(strides))), ...);
  };
  fill(make_indices<S::rank>{});
  return made;
}

template <class T>
inline constexpr bool is_descriptor = false;
template <class Cfg, class T, class S>
inline constexpr bool is_descriptor<PointerDescriptor<Cfg, T, S>> = true;
template <class Cfg, class T, class S>
inline constexpr bool is_descriptor<MadeDescriptor<Cfg, T, S>> = true;
template <class T>
concept descriptor = is_descriptor<bare<T>>;

}  // namespace tl
