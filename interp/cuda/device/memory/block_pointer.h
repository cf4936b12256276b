// Tiles of a strided tensor: block pointers. Alignment is looked at as the kernel runs.
#pragma once

#include "interp/cuda/device/entry.h"
#include "interp/cuda/device/memory/memory.h"
#include "interp/cuda/device/values/tuple.h"

namespace tl {

enum class Padding { zero, nan };
// tl.nan has a type of its own, so that integers refuse it as they compile.
struct NanPadding {
  constexpr operator Padding() const { return Padding::nan; }
};
template <class T>
struct PaddingOf {
  Padding value = Padding::zero;
  __forceinline__ PaddingOf() {}
  __forceinline__ PaddingOf(Padding padding) : value(padding) {}
  __forceinline__ PaddingOf(NanPadding) : value(Padding::nan) {
    static_assert(is_float(dtype_of<T>), "integers have no NaN to pad with: pass .padding = tl.zero");
  }
};

// Which axes are checked against the tensor's bounds; any tl.axes(...).
struct CheckedAxes {
  bool at[8] = {};
  __forceinline__ CheckedAxes() {}
  template <int... A>
  __forceinline__ CheckedAxes(Axes<A...>) {
#pragma unroll
    for (int i = 0; i < 8; ++i) at[i] = Axes<A...>::has(i);
  }
};

// A tile of shape S at `offsets` in a tensor: element (i, j) lies at start + i x strides[0] + j x strides[1]. The start
// moves along with the offsets, so that a loop multiplies nothing.
template <class Cfg, class T, class S, class C>
struct BlockPtr {
  using pointee = T;
  using config = Cfg;
  using shape_type = S;
  using coefficients = C;
  static constexpr Dtype<dtype_of<T>> dtype{};
  static constexpr S shape{};
  T* start;
  long long sizes[S::rank], strides[S::rank], offsets[S::rank] = {};

  __forceinline__ void advance(int axis, long long by) {
    offsets[axis] += by;
    start += by * strides[axis];
  }
};
template <class T>
inline constexpr bool is_block_ptr = false;
template <class Cfg, class T, class S, class C>
inline constexpr bool is_block_ptr<BlockPtr<Cfg, T, S, C>> = true;

template <class P>
  requires(is_block_ptr<P>)
struct LoadOptions<P> {
  CheckedAxes boundary_check{};
  PaddingOf<typename P::pointee> padding{};
  TL_LOAD_WORDS
};
template <class P>
  requires(is_block_ptr<P>)
struct StoreOptions<P> {
  CheckedAxes boundary_check{};
  TL_STORE_WORDS
};

namespace detail {

template <class T>
inline constexpr int stride_coefficient = is_constant<T> ? 0 : run_time + divisibility<T>;
template <auto V>
inline constexpr int stride_coefficient<constant<V>> = static_cast<int>(V);
template <class T>
inline constexpr int stride_coefficient<Scalar<T, is_one>> = 1;

template <class T>
struct StridesOf;
template <class... T>
struct StridesOf<Tuple<T...>> {
  using type = Coefficients<stride_coefficient<T>...>;
};

// Strides that are looked at as the kernel runs.
template <class P>
struct RefinedValue {
  static constexpr rules::Index value =
      rules::refined(index_value<typename P::shape_type>(typename P::coefficients{}, 1));
};

// A tile by accesses of 16 bytes, each whole or off: its pointers and its bounds.
template <class P>
struct WideTile {
  using S = typename P::shape_type;
  using C = typename P::coefficients;
  using Cfg = typename P::config;
  using Refined = RefinedValue<P>;
  using Wide = PtrBlock<Cfg, typename P::pointee, long long, S,
                        typename IndexType<Cfg, long long, S, Refined>::coefficients, Refined::value.divisibility>;
  // The same rows where they begin anywhere.
  using Unaligned =
      PtrBlock<Cfg, typename P::pointee, long long, S, typename P::coefficients, sizeof(typename P::pointee)>;
  static constexpr int axis = rules::contiguous_axis(Refined::value);

  Wide pointers;
  Box<Cfg, S> box = Box<Cfg, S>::all();
  bool has_rows, possible, covered = true;  // the same for all threads; has_rows: elements are neighbours along `axis`

  __forceinline__ WideTile(const P& b, const CheckedAxes& checked) {
    unsigned long long bytes = 0, bounds = 0;
#pragma unroll
    for (int i = 0; i < S::rank; ++i) {
      if (checked.at[i]) {
        box.lo[i] = clamp_to_int(-b.offsets[i]);
        box.hi[i] = clamp_to_int(b.sizes[i] - b.offsets[i]);
        covered &= b.offsets[i] >= 0 && b.offsets[i] <= b.sizes[i] - S::at(i);
        if (i == axis)
          bounds = static_cast<unsigned long long>(b.offsets[i]) | static_cast<unsigned long long>(b.sizes[i]);
      }
      pointers.offsets.factor[i] = b.strides[i];
      if (is_run_time(C::at(i))) bytes |= static_cast<unsigned long long>(b.strides[i]) * sizeof(typename P::pointee);
    }
    pointers.p = b.start;
    pointers.offsets.base = 0;
    bytes |= reinterpret_cast<unsigned long long>(b.start);
    has_rows = axis >= 0 && b.strides[axis < 0 ? 0 : axis] == 1;
    possible = has_rows && bytes % 16 == 0 && bounds % (16 / sizeof(typename P::pointee)) == 0;
  }
  __forceinline__ Unaligned unaligned() const {
    Unaligned rows{pointers.p, {}};
#pragma unroll
    for (int i = 0; i < S::rank; ++i) rows.offsets.factor[i] = pointers.offsets.factor[i];
    return rows;
  }
};

// f(index within the tile, address, inside) for every element in turn, the last axis fastest: any strides, any
// alignment. With `Skip`, for those alone whose index has the bits of `round` there.
template <int Skip = 0, class P, class F>
__forceinline__ void for_each_element(const P& b, const CheckedAxes& checked, F f, int thread = threadIdx.x,
                                      int round = 0) {
  using S = typename P::shape_type;
#pragma unroll 1
  for (int number = thread; number < S::size >> bits_in(Skip); number += 32 * P::config::num_warps) {
    const int flat = Skip == 0 ? number : deposit(number, S::size - 1 & ~Skip) | round;
    const auto c = coordinates_of<S>(flat);
    auto* address = b.start;
    bool inside = true;
#pragma unroll
    for (int i = 0; i < S::rank; ++i) {
      const long long at = b.offsets[i] + c.at[i];
      inside = inside && (!checked.at[i] || (at >= 0 && at < b.sizes[i]));
      address += c.at[i] * b.strides[i];
    }
    f(flat, c, address, inside);
  }
}

template <class T>
__forceinline__ T padding_value(Padding padding) {
  if constexpr (is_float(dtype_of<T>)) return padding == Padding::nan ? convert<T>(__uint_as_float(0x7fc00000)) : T{};
  else return T{};
}

template <class P>
using TileLayout = typename Access<typename WideTile<P>::Wide>::layout;
template <class P>
struct ScratchRounds {
  static constexpr int skip =
      conversion_rounds<typename P::pointee, typename P::shape_type, TileLayout<P>, TileLayout<P>>();
  using Map = ScratchMap<typename P::pointee, typename P::shape_type, skip>;
};

// Where rows begin anywhere a tile goes through scratch, in rounds that each take little of it: f(round, memory).
template <class P, class F>
__forceinline__ void through_scratch(F f) {
  using Rounds = ScratchRounds<P>;
  auto* const memory = cuda::scratch<Rounds::Map::bytes>();
#pragma unroll
  for (int turn = 0; turn < 1 << bits_in(Rounds::skip); ++turn) {
    cuda::synchronize<32 * P::config::num_warps>();
    f(deposit(turn, Rounds::skip), memory);
  }
}

template <class P>
__forceinline__ auto load_tile(const P& b, const CheckedAxes& checked, Padding padding,
                               const cuda::AccessWords& words = {}) {
  using S = typename P::shape_type;
  using T = typename P::pointee;
  using Rounds = ScratchRounds<P>;
  Block<T, S, TileLayout<P>> out;
  const WideTile<P> wide(b, checked);
  if (wide.possible) {
    LoadOptions<typename WideTile<P>::Wide> options;
    options.cache_modifier.value = words.cache;
    options.eviction_policy.value = words.eviction;
    options.is_volatile = words.is_volatile;
    options.mask.box = wide.box;
    if (WideTile<P>::axis >= 0) options.mask.box.aligned[WideTile<P>::axis < 0 ? 0 : WideTile<P>::axis] = 16;
    options.other.all.v = padding_value<T>(padding);
    out = tl::load(wide.pointers, options);
  } else {
    through_scratch<P>([&](int round, unsigned char* memory) {
      const auto put = [&](int flat, const auto&, const T* address, bool inside) {
        *reinterpret_cast<T*>(memory + Rounds::Map::offset(flat)) = inside ? *address : padding_value<T>(padding);
      };
      for_each_element<Rounds::skip>(b, checked, put, threadIdx.x, round);
      cuda::synchronize<32 * P::config::num_warps>();
      read_scratch<typename Rounds::Map>(out, memory, Rounds::skip, round);
    });
  }
  return out;
}

template <class P, class X>
__forceinline__ void store_tile(const P& b, const X& x, const CheckedAxes& checked,
                                const cuda::AccessWords& words = {}) {
  using S = typename P::shape_type;
  using T = typename P::pointee;
  using Rounds = ScratchRounds<P>;
  const auto value = spread<T, S, TileLayout<P>>(x);  // once, before the two ways part
  const WideTile<P> wide(b, checked);
  if (wide.possible) {
    StoreOptions<typename WideTile<P>::Wide> options;
    options.cache_modifier.value = words.cache;
    options.eviction_policy.value = words.eviction;
    options.mask.box = wide.box;
    if (WideTile<P>::axis >= 0) options.mask.box.aligned[WideTile<P>::axis < 0 ? 0 : WideTile<P>::axis] = 16;
    tl::store(wide.pointers, value, options);
  } else {
    through_scratch<P>([&](int round, unsigned char* memory) {
      write_scratch<typename Rounds::Map>(memory, value, Rounds::skip, round);
      cuda::synchronize<32 * P::config::num_warps>();
      const auto take = [&](int flat, const auto&, T* address, bool inside) {
        if (inside) *address = *reinterpret_cast<const T*>(memory + Rounds::Map::offset(flat));
      };
      for_each_element<Rounds::skip>(b, checked, take, threadIdx.x, round);
    });
  }
}

}  // namespace detail

template <class Cfg, class S, class P, class Sizes, class Strides, class Offsets>
__forceinline__ auto make_block_ptr(const P& base, const Sizes& sizes, const Strides& strides, const Offsets& offsets) {
  static_assert(Sizes::count == S::rank && Strides::count == S::rank && Offsets::count == S::rank,
                "tl.make_block_ptr: shape, strides, offsets, block shape and order have one entry an axis: tl.tuple(m, "
                "n) and tl.shape(BM, BN) of two");
  BlockPtr<Cfg, typename P::pointee, S, typename detail::StridesOf<Strides>::type> b{base.p, {}, {}};
  auto fill = [&]<int... I>(Indices<I...>) {
    ((b.sizes[I] = plain(get<I>(sizes)), b.strides[I] = plain(get<I>(strides)), b.advance(I, plain(get<I>(offsets)))),
     ...);
  };
  fill(make_indices<S::rank>{});
  return b;
}

template <class B, class Steps>
__forceinline__ B advanced(B b, const Steps& steps) {
  auto move = [&]<int... I>(Indices<I...>) { (b.advance(I, plain(get<I>(steps))), ...); };
  move(make_indices<B::shape_type::rank>{});
  return b;
}

template <class P>
  requires(is_block_ptr<P>)
__forceinline__ auto load(const P& p, const LoadOptions<P>& options) {
  return detail::load_tile(p, options.boundary_check, options.padding.value, options.words());
}
template <class P, class X>
  requires(is_block_ptr<P>)
__forceinline__ void store(const P& p, const X& x, const StoreOptions<P>& options) {
  detail::store_tile(p, x, options.boundary_check, options.words());
}

// An index into a tensor: an integer of any kind.
struct Position {
  long long v;
  template <class A>
    requires(is_scalar<A> || is_literal<A>)
  __forceinline__ Position(const A& a) : v(plain(a)) {}
};
template <int Rank>
struct Positions {
  Position at[Rank];
};

}  // namespace tl
